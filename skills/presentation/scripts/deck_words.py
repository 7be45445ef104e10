"""Words and numbers that the library itself writes, in English and Russian."""

from __future__ import annotations

import math
from dataclasses import dataclass

import pandas as pd


@dataclass(frozen=True)
class Words:
    """One language. Forms of a count: one, few, many."""

    code: str
    source: str
    continued: str
    other: str
    missing: str
    yes: str
    no: str
    share: str
    value: str
    category: str
    rows: tuple[str, str, str]
    columns: tuple[str, str, str]
    first_shown: str
    last_shown: str
    top_shown: str
    points_shown: str
    request: str
    of_rows: tuple[str, str, str]
    method: str
    made: str
    assumed: str
    both: str
    unassumed: str
    more_assumed: tuple[str, str, str]
    computed: str
    rounded: str
    parts: str
    thousands: str
    decimal: str

    def count(self, number: int, forms: tuple[str, str, str]) -> str:
        """'1,200 more rows', 'ещё 21 строка'."""
        if self.code == "ru":
            tail, pair = number % 10, number % 100
            one, few = tail == 1 and pair != 11, tail in (2, 3, 4) and pair not in (12, 13, 14)
        else:
            one, few = number == 1, False
        form = forms[0] if one else forms[1] if few else forms[2]
        return form.format(self.number(number))

    def number(self, value: object, *, decimals: int | None = None, grouped: bool = True) -> str:
        """A number as a person writes it: thousands apart, 2 decimals at most unless it is small."""
        number = float(value)  # type: ignore[arg-type]
        if not math.isfinite(number):
            return "–"
        shortest = decimals is None
        if decimals is None:
            most = 2 if abs(number) >= 0.1 else 4
            decimals = next((d for d in range(most) if abs(round(number, d) - number) < 1e-9), most)
        if number and (abs(number) >= 1e15 or (shortest and abs(number) < 10**-decimals / 2)):
            text = f"{number:.2e}"
        else:
            number = round(number, decimals) + 0.0  # no minus before a zero
            text = f"{number:,.{decimals}f}" if grouped else f"{number:.{decimals}f}"
        return text.translate(str.maketrans({",": self.thousands, ".": self.decimal, "-": "−"}))

    def percent(self, share: object, *, decimals: int = 1, spaced: bool = False) -> str:
        """0.384 -> '38.4%'; `spaced` sets the sign as the language does: '38,4 %' in Russian."""
        number = float(share) * 100  # type: ignore[arg-type]
        if not math.isfinite(number):
            return "–"
        space = self.thousands if spaced and self.code == "ru" else ""
        return f"{self.number(number, decimals=decimals)}{space}%"

    def size(self, count: int) -> str:
        """The number of cases, as a label tells it: 'n = 1,200', on one line."""
        return f"n\u00a0=\u00a0{self.number(count, decimals=0)}"

    def moment(self, value: object) -> str:
        """A date without its midnight."""
        stamp = pd.Timestamp(value)  # type: ignore[arg-type]
        return stamp.strftime("%Y-%m-%d" if stamp == stamp.normalize() else "%Y-%m-%d %H:%M")


_ENGLISH = Words(
    code="en",
    source="Source",
    continued="(continued)",
    other="other",
    missing="(missing)",
    yes="yes",
    no="no",
    share="Share",
    value="Value",
    category="Category",
    rows=("{} more row", "{} more rows", "{} more rows"),
    columns=("{} more column", "{} more columns", "{} more columns"),
    first_shown="First {} of {} shown",
    last_shown="Last {} of {} shown",
    top_shown="Top {} of {} shown",
    points_shown="{} of {} points shown",
    request="the request",
    of_rows=("{} row", "{} rows", "{} rows"),
    method="How the figures were made: data, method and assumptions",
    made="Data and method",
    assumed="Assumptions",
    both="Method and assumptions",
    unassumed="None were needed beyond what the slides say.",
    more_assumed=("{} more is in the notes.", "{} more are in the notes.", "{} more are in the notes."),
    computed="A script computes the figures from the data; the notes name the calculations.",
    rounded="Numbers are rounded as they are written.",
    parts="Where a slide shows a part of its data, it says so.",
    thousands=",",
    decimal=".",
)
_RUSSIAN = Words(
    code="ru",
    source="Источник",
    continued="(продолжение)",
    other="прочее",
    missing="(нет данных)",
    yes="да",
    no="нет",
    share="Доля",
    value="Значение",
    category="Категория",
    rows=("ещё {} строка", "ещё {} строки", "ещё {} строк"),
    columns=("ещё {} столбец", "ещё {} столбца", "ещё {} столбцов"),
    first_shown="Показаны первые {} из {}",
    last_shown="Показаны последние {} из {}",
    top_shown="Показаны {} наибольших из {}",
    points_shown="Показано точек: {} из {}",
    request="текст запроса",
    of_rows=("{} строка", "{} строки", "{} строк"),
    method="Как получены цифры: данные, метод и допущения",
    made="Данные и метод",
    assumed="Допущения",
    both="Метод и допущения",
    unassumed="Сверх сказанного на слайдах допущений нет.",
    more_assumed=("Ещё {} — в заметках.", "Ещё {} — в заметках.", "Ещё {} — в заметках."),
    computed="Цифры вычислены скриптом по данным; расчёты названы в заметках.",
    rounded="Числа округлены так, как записаны.",
    parts="Где показана часть данных, это сказано на слайде.",
    thousands="\u00a0",
    decimal=",",
)


def words(language: str) -> Words:
    """Raises ValueError for a language without words."""
    found = {"en": _ENGLISH, "ru": _RUSSIAN}.get(str(language).lower()[:2])
    if found is None:
        raise ValueError(f"language={language!r} is not known. Write language='en' or language='ru'.")
    return found
