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

_TELLS = re.compile(r"\b(method|assumption|limitation|метод|допущени|ограничени|предположени)", re.IGNORECASE)


@dataclass(frozen=True)
class Method:
    """Two (heading, bullets) lists, and everything in full for the notes."""

    sides: tuple[tuple[str, list[Bullet]], tuple[str, list[Bullet]]]
    notes: str


def has_method(pages: Pages) -> bool:
    """Whether the last slide says how the figures were made, by its title or a heading; assumptions that were
    registered must stand on it too."""
    if pages.last is Page.METHOD:
        return True
    slide = pages.presentation.slides[-1]
    heads = [shape.text_frame.text for shape in slide.shapes if shape.name == "Heading"]
    return not assumptions() and any(map(_TELLS.search, [slide.shapes.title.text_frame.text, *heads]))


def method_of(pages: Pages, items: object, assumed: object, heading: str, source: str) -> Method:
    """What there is to tell, the most important of it on the slide."""
    words = pages.words
    own = bullets_of(items) if items else []
    data = [source_sentence(source_of(source or pages.source, words), pages.rows, words)]
    if records():
        data.append(words.computed)
    taken = [_said(bullet) for bullet in bullets_of(assumed)] if assumed else []
    taken = list(dict.fromkeys([*taken, *assumptions()]))
    if heading:
        left, right = (heading, own), (words.both, [*data[:1], *taken])
    else:
        made = [*bullets_of(data), *own]
        made += bullets_of([words.rounded]) if len(made) < _HALF else []
        made += bullets_of([words.parts]) if pages.cut and len(made) < _HALF else []
        left, right = (words.made, made), (words.assumed, taken or [words.unassumed])
    room = max(_HALF, MOST_BULLETS - len(left[1]))
    shown = right[1]
    if len(shown) > room:
        shown = [*shown[: room - 1], words.count(len(shown) - room + 1, words.more_assumed)]
    notes = [words.made, *data, *map(_said, own), "", words.assumed, *(taken or [words.unassumed])]
    return Method((left, (right[0], bullets_of(shown))), "\n".join(notes))


def _said(bullet: Bullet) -> str:
    return f"{bullet.head} {bullet.text}".strip()


_HALF = MOST_BULLETS // 2
