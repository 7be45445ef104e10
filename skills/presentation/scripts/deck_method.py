"""The last slide: data, method and assumptions, of what the author says and of what was registered."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from deck_flow import bullets_of
from deck_sources import assumptions, records, source_of, source_sentence
from deck_template import Page
from deck_theme import MOST_BULLETS

if TYPE_CHECKING:
    from deck_flow import Bullet
    from deck_pages import Pages
    from deck_words import Words

_TELLS = re.compile(r"\b(method|assumption|limitation|метод|допущени|ограничени|предположени)", re.IGNORECASE)


@dataclass(frozen=True)
class Method:
    """Two lists of bullets, and everything in full for the notes."""

    made: list[Bullet]
    assumed: list[Bullet]
    notes: str


def has_method(pages: Pages) -> bool:
    """Whether the last slide says how the figures were made, by its title or a heading; assumptions that were
    registered must stand on it too."""
    if pages.last is Page.METHOD:
        return True
    slide = pages.presentation.slides[-1]
    heads = [shape.text_frame.text for shape in slide.shapes if shape.name == "Heading"]
    return not assumptions() and any(map(_TELLS.search, [slide.shapes.title.text_frame.text, *heads]))


def method_of(items: object, source: str, rows: int | None, words: Words, cut: bool) -> Method:
    """`cut`: some slide shows a part of its data and says so."""
    own = bullets_of(items) if items else []
    told = [source_sentence(source_of(source, words), rows, words)]
    if records():
        told.append(words.computed)
    made = [*bullets_of(told), *own]
    for sentence in [words.rounded, *([words.parts] if cut else [])]:
        if len(made) < _HALF:
            made += bullets_of([sentence])
    assumed = assumptions()
    shown = assumed or [words.unassumed]
    room = max(_HALF, MOST_BULLETS - len(made))
    if len(shown) > room:
        shown = [*shown[: room - 1], words.count(len(shown) - room + 1, words.more_assumed)]
    told_made = [f"{bullet.head} {bullet.text}".strip() for bullet in made]
    notes = [words.made, *told_made, "", words.assumed, *(assumed or [words.unassumed])]
    return Method(made, bullets_of(shown), "\n".join(notes))


_HALF = MOST_BULLETS // 2
