"""Words that the library itself writes into a workbook, in English and Russian."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Sayings:
    summary: str
    method: str
    data: str
    contents: str
    sheet: str
    shows: str
    figures: str
    made: str
    computed: str
    rounded: str
    assumed: str
    unassumed: str
    adapted: str
    calculated: str
    head: tuple[str, str, str, str]
    page: str
    zone: str
    controls: str
    cut_text: str
    long_number: str
    early: str
    cut_rows: str
    cut_columns: str
    wide: str
    formula: str


ENGLISH = Sayings(
    summary="Summary",
    method="Method",
    data="Data",
    contents="In this workbook",
    sheet="Sheet",
    shows="What it shows",
    figures="Key figures",
    made="Data and method",
    computed="A script computes the figures from the data; the calculations are listed below.",
    rounded="Cells hold exact values; their formats round what is shown.",
    assumed="Assumptions",
    unassumed="None were needed beyond what the sheets say.",
    adapted="What was adapted on the way into Excel",
    calculated="Calculations",
    head=("Figure", "Value", "How it is computed", "File"),
    page="Page &P of &N",
    zone="{column}: Excel knows no time zones; the times are as on the clock of {zone}.",
    controls="{column}: characters that Excel cannot hold were removed.",
    cut_text="{column}: texts were cut at the length that an Excel cell can hold.",
    long_number="{column}: numbers of more digits than Excel keeps stand as text.",
    early="{column}: dates before 1900, which Excel does not know, stand as text.",
    cut_rows="Sheet {sheet}: {shown} of {all} rows; an Excel sheet holds 1,048,576 rows at most.",
    cut_columns="Sheet {sheet}: {shown} of {all} columns; an Excel sheet holds 16,384 columns at most.",
    wide="Sheet {sheet}: {shown} of {all} rows; the rest would make the file too large to open with ease.",
    formula="{column}: texts that begin like a formula stay texts.",
)
RUSSIAN = Sayings(
    summary="Сводка",
    method="Метод",
    data="Данные",
    contents="Что в книге",
    sheet="Лист",
    shows="Что на нём",
    figures="Главные цифры",
    made="Данные и метод",
    computed="Цифры вычислены скриптом по данным; расчёты перечислены ниже.",
    rounded="В ячейках точные значения; округляет их только формат показа.",
    assumed="Допущения",
    unassumed="Сверх сказанного на листах допущений нет.",
    adapted="Что изменено при переносе в Excel",
    calculated="Расчёты",
    head=("Показатель", "Значение", "Как вычислено", "Файл"),
    page="Стр. &P из &N",
    zone="{column}: Excel не знает часовых поясов; время — по часам пояса {zone}.",
    controls="{column}: убраны символы, которых Excel не хранит.",
    cut_text="{column}: тексты обрезаны до длины, которую вмещает ячейка Excel.",
    long_number="{column}: числа, в которых цифр больше, чем хранит Excel, записаны текстом.",
    early="{column}: даты до 1900 года, которых Excel не знает, записаны текстом.",
    cut_rows="Лист {sheet}: {shown} строк из {all}; лист Excel вмещает не больше 1 048 576 строк.",
    cut_columns="Лист {sheet}: {shown} столбцов из {all}; лист Excel вмещает не больше 16 384 столбцов.",
    wide="Лист {sheet}: {shown} строк из {all}; с остальными файл было бы трудно открыть.",
    formula="{column}: тексты, которые начинаются как формула, остались текстами.",
)


def sayings(code):
    return RUSSIAN if code == "ru" else ENGLISH
