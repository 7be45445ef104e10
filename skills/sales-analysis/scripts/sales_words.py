"""What was taken for granted about sales, in English and in Russian."""

import facts
import facts_run
from deck_words import words

SENTENCES = {
    "en": {
        "returns_none": "No row was taken for a return",
        "returns_negative": "Rows with a negative {name} are returns",
        "returns_coded": "Rows whose {order} begins with {mark} are returns",
        "amount": "amount",
        "free": "{count} rows with an amount of zero are no sales",
        "missing": "{count} rows without an amount are left out",
        "negative": "{count} negative rows that are no returns count in the net amount only",
        "services": "Codes that are services or entries by hand: {codes}",
        "undated": "{count} rows without a date are in no period",
        "not_whole": "Not whole, since the data go from {first} to {last}: {periods}",
        "one_row": (
            "{code} stands so high by one row: {largest} of {amount}; without it, it would be number {rank}"
        ),
        "abc": (
            "ABC by gross sales of {count} codes of {item} {services}: A while the share of the items before "
            "is below {a}, B below {b}, else C"
        ),
        "with_services": "with services",
        "without_services": "without services",
        "left_out": "Left out of the ranking by {item}, as services or entries by hand: {codes}",
        "last_cohort": "{period} is not whole and is left out of the cohorts",
        "first_cohort": "{period} is not whole: its cohort is smaller than the others for that reason",
        "before_data": "Customers of the first cohort, {period}, may have bought before the data begin",
        "no_buyer": "{count} sold rows without a {customer} belong to no buyer",
        "no_stage": "A stage that a group has no row for counts as zero",
    },
    "ru": {
        "returns_none": "Возвратами не считается ни одна строка",
        "returns_negative": "Строки с отрицательным значением {name} — возвраты",
        "returns_coded": "Строки, у которых {order} начинается с {mark}, — возвраты",
        "amount": "суммы",
        "free": "Строки с нулевой суммой продажами не считаются: {count}",
        "missing": "Строки без суммы не учтены: {count}",
        "negative": "Отрицательные строки, которые не возвраты, входят только в чистую сумму: {count}",
        "services": "Коды услуг и ручных записей: {codes}",
        "undated": "Строки без даты не вошли ни в один период: {count}",
        "not_whole": "Неполные периоды, так как данные идут с {first} по {last}: {periods}",
        "one_row": (
            "{code} стоит так высоко из-за одной строки: {largest} из {amount}; без неё место было бы {rank}"
        ),
        "abc": (
            "ABC по валовым продажам, кодов {item} {services}: {count}; A — пока доля позиций выше по списку "
            "меньше {a}, B — меньше {b}, остальное — C"
        ),
        "with_services": "с услугами",
        "without_services": "без услуг",
        "left_out": "В рейтинг по {item} не вошли услуги и ручные записи: {codes}",
        "last_cohort": "Период {period} неполный и в когорты не вошёл",
        "first_cohort": "Период {period} неполный: его когорта поэтому меньше других",
        "before_data": "Покупатели первой когорты, {period}, могли покупать и до начала данных",
        "no_buyer": "Проданные строки без {customer} не относятся ни к одному покупателю: {count}",
        "no_stage": "Этап, для которого у группы нет строки, считается нулём",
    },
}


def assume(code, /, **told):
    """Registers the sentence, and returns it."""
    return facts.assume(say(code, **told))


def say(code, /, **told):
    """A sentence in the language of the run."""
    return SENTENCES[_language()][code].format(**told)


def money(value):
    return words(_language()).number(value, decimals=2)


def share_of(value):
    return words(_language()).percent(value, decimals=0, spaced=True)


def _language():
    """Russian where the script or the person whom the run is for asked for it."""
    run = facts_run.current()
    return "ru" if "ru" in (run.words.code, run.language) else "en"
