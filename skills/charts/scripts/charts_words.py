"""Words and numbers of a chart in its language: Russian where the title is, else English."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Words:
    source: str
    median: str
    first_shown: str
    top_shown: str
    thousands: str = ","
    decimal: str = "."
    percent: str = "%"

    def number(self, value, *, percent=False, axis=False, decimals=None):
        """A number as a person writes it; a share of 1 as a percentage."""
        if percent:
            whole = axis and abs(value * 100 - round(value * 100)) < 1e-6
            return self.set(f"{value * 100:,.{0 if whole else 1}f}") + self.percent
        if decimals is not None:
            return self.set(f"{value:,.{decimals}f}")
        if value == int(value):
            return self.set(f"{int(value):,}")
        size = abs(value)
        return self.set(f"{value:,.0f}" if size >= 1000 else f"{value:.1f}" if size >= 10 else f"{value:.3g}")

    def set(self, text):
        """Signs of an English number in those of the language."""
        text = "0" + text[2:] if re.fullmatch(r"-0(\.0+)?", text) else text
        return text.translate(str.maketrans({",": self.thousands, ".": self.decimal, "-": "−"}))


ENGLISH = Words(
    source="Source",
    median="median",
    first_shown="First {} of {} shown",
    top_shown="Top {} of {} shown",
)
RUSSIAN = Words(
    source="Источник",
    median="медиана",
    first_shown="Показаны первые {} из {}",
    top_shown="Показаны {} наибольших из {}",
    thousands="\u00a0",
    decimal=",",
    percent="\u00a0%",
)


def words_of(title, language=None):
    """Of the language that is named, else of the title's."""
    russian = language == "ru" if language else re.search("[а-яёА-ЯЁ]", str(title))
    return RUSSIAN if russian else ENGLISH
