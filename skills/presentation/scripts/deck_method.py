"""The last slide: data, method and assumptions, of what the author says and of what was registered."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from deck_columns import column_room
from deck_flow import bullets_of, flow_together
from deck_sources import assumptions, records, source_of, source_sentence
from deck_template import Page
from deck_theme import MOST_BULLETS

if TYPE_CHECKING:
    from deck_flow import Bullet
    from deck_pages import Pages
    from deck_theme import Box

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


def method_of(pages: Pages, title: str, items: object, assumed: object, heading: str, source: str) -> Method:
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
    shown, room = [*right[1]], column_room(pages, title)
    while len(shown) > _HALF and len(_flow((left[1], shown), room)) > 1:
        # what there is no room for is told in the notes
        shown.pop()
        rest = len(right[1]) - len(shown) + 1
        shown[-1] = words.count(rest, words.more_assumed)
    notes = [words.made, *data, *map(_said, own), "", words.assumed, *(taken or [words.unassumed])]
    return Method((left, (right[0], bullets_of(shown))), "\n".join(notes))


def _flow(lists: tuple[list[Bullet], list[str]], room: Box) -> list:
    """The longer of two lists, as the pages that it takes."""
    return max(flow_together([lists[0], bullets_of(lists[1])], room, plain=True), key=len)


def _said(bullet: Bullet) -> str:
    return f"{bullet.head} {bullet.text}".strip()


_HALF = MOST_BULLETS // 2
