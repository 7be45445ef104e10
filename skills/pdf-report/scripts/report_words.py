"""Words that a report itself writes, in English and Russian."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Sayings:
    contents: str
    page: str
    figure: str
    table: str
    method: str
    made: str
    computed: str
    rounded: str
    assumed: str
    unassumed: str
    locale: str
    update: str


ENGLISH = Sayings(
    contents="Contents",
    page="Page {} of {}",
    figure="Figure {}.",
    table="Table {}.",
    method="Method and assumptions",
    made="Data and method",
    computed="A script computes the figures from the data.",
    rounded="Numbers are rounded as they are written.",
    assumed="Assumptions",
    unassumed="None were needed beyond what the report says.",
    locale="en-GB",
    update="Right-click here and choose Update Field to see the page numbers.",
)
RUSSIAN = Sayings(
    contents="Содержание",
    page="Стр. {} из {}",
    figure="Рис. {}.",
    table="Табл. {}.",
    method="Метод и допущения",
    made="Данные и метод",
    computed="Цифры вычислены скриптом по данным.",
    rounded="Числа округлены так, как записаны.",
    assumed="Допущения",
    unassumed="Сверх сказанного в отчёте допущений нет.",
    locale="ru-RU",
    update="Нажмите правой кнопкой и выберите «Обновить поле», чтобы увидеть номера страниц.",
)


def sayings(code):
    return RUSSIAN if code == "ru" else ENGLISH
