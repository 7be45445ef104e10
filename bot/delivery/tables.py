"""Tables in an answer: those that a chat cannot show in columns become a picture and a workbook. Pure."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from bot.chat import Delivered
from storage.records import Run

MAX_WIDTH = 35
"""Columns of text that fit on a phone."""
MAX_ROWS = 20

_RULE = re.compile(r"^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$")
_CELLS = re.compile(r"(?<!\\)\|")
_HEADING = re.compile(r"^\s*#{1,6}\s+(.*?)[\s#]*$")
_CAPTION = re.compile(r"^\s*\*{2}(.+?)\*{2}:?\s*$|^\s*(.{1,80}):\s*$")
_FENCE = re.compile(r"^\s*(`{3,}|~{3,})")
_STYLE = re.compile(r"\*\*|__|`|\\(?=[|*_])")


@dataclass(frozen=True, slots=True)
class Table:
    title: str
    """The heading or the line above it; empty where there is none."""
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    """As many cells in each as the header has."""

    @property
    def width(self) -> int:
        """Columns of text when it is set in one width, with three between two columns."""
        columns = zip(self.header, *self.rows, strict=True)
        return sum(max(map(columns_of, column)) for column in columns) + 3 * (len(self.header) - 1)

    @property
    def is_wide(self) -> bool:
        return self.width > MAX_WIDTH or len(self.rows) > MAX_ROWS


@dataclass(frozen=True, slots=True)
class Place:
    """Where a table stands: lines from `start` up to and without `end`."""

    start: int
    end: int
    table: Table


class TableMaker(Protocol):
    async def make(self, run: Run, tables: Sequence[Table]) -> tuple[Delivered, ...]:
        """One picture (`.png`) for each table, in their order, and then a workbook with a sheet for each.

        None of them where that cannot be done: the tables stay in the text. The files lie on this disk until
        the next call, with names that are safe to show.
        """
        ...


def find(markdown: str) -> tuple[Place, ...]:
    """The tables of a text, in their order. What stands in a code block is none."""
    lines = markdown.split("\n")
    found: list[Place] = []
    fence = ""
    at = 0
    while at < len(lines):
        if mark := _FENCE.match(lines[at]):
            fence = mark[1] if not fence else "" if mark[1].startswith(fence) else fence
        elif not fence and (place := _table_at(lines, at)) is not None:
            found.append(place)
            at = place.end
            continue
        at += 1
    return tuple(found)


def wide(markdown: str) -> tuple[Table, ...]:
    return tuple(place.table for place in find(markdown) if place.table.is_wide)


def without_wide(markdown: str, lines: Sequence[str]) -> str:
    """The text with a line in place of each wide table."""
    text = markdown.split("\n")
    places = [place for place in find(markdown) if place.table.is_wide]
    for place, line in reversed(list(zip(places, lines, strict=True))):
        text[place.start : place.end] = [line]
    return "\n".join(text)


def cells(line: str) -> tuple[str, ...]:
    """What stands in a row of a table, marks and all."""
    inner = line.strip().removeprefix("|")
    if inner.endswith("|") and not inner.endswith("\\|"):
        inner = inner[:-1]
    return tuple(cell.strip() for cell in _CELLS.split(inner))


def columns_of(text: str) -> int:
    """How many columns a text takes in a font of one width."""
    wide_ones = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    return wide_ones + sum(not unicodedata.combining(character) for character in text)


def _table_at(lines: Sequence[str], at: int) -> Place | None:
    if at + 1 >= len(lines) or "|" not in lines[at] or not _RULE.match(lines[at + 1]):
        return None
    header = _cells(lines[at])
    if len(header) != len(_cells(lines[at + 1])):
        return None
    end = at + 2
    while end < len(lines) and lines[end].strip() and "|" in lines[end]:
        end += 1
    rows = tuple(_fitted(_cells(line), len(header)) for line in lines[at + 2 : end])
    return Place(at, end, Table(_title(lines[:at]), header, rows))


def _cells(line: str) -> tuple[str, ...]:
    return tuple(_STYLE.sub("", cell).strip() for cell in cells(line))


def _fitted(cells: tuple[str, ...], count: int) -> tuple[str, ...]:
    return (*cells[:count], *[""] * (count - len(cells)))


def _title(above: Sequence[str]) -> str:
    """Of the last line above that says something, if it is meant as a title."""
    last = next((line for line in reversed(above) if line.strip()), "")
    match = _HEADING.match(last) or _CAPTION.match(last)
    return "" if match is None else _STYLE.sub("", next(filter(None, match.groups()), "")).strip()
