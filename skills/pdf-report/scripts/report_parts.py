"""The parts of a report, as values; a PDF and a Word document are made of the same ones."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Heading:
    text: str
    level: int = 1


@dataclass(frozen=True)
class Text:
    text: str
    lead: bool = False
    """The first sentence of all: larger."""


@dataclass(frozen=True)
class Bullets:
    items: tuple
    """(bold head or "", text)"""


@dataclass(frozen=True)
class Figures:
    cards: tuple
    """(value as text, label)"""


@dataclass(frozen=True)
class Table:
    title: str
    heads: tuple
    rows: tuple
    """Of texts."""
    right: tuple
    """For each column whether it holds numbers."""
    note: str = ""


@dataclass(frozen=True)
class Picture:
    title: str
    png: bytes
    width: int
    height: int
    """Pixels."""
    alt: str
    note: str = ""


@dataclass(frozen=True)
class Break:
    """A new page."""
