"""A deck from text: headings become slides, paragraphs and lists become bullets, tables become tables."""

import json
import re
from pathlib import Path

import documents
import task
from deck import Deck
from prose import lines_of, merged, sections
from tables_errors import TableError
from wording import clip, say, told

INPUT = Path("/workspace/input")
ORDER = 160
"""Characters that the request for a deck takes at most."""


def without_order(message):
    """The text of a message after the line, clause or sentence that asks for the deck."""
    lines = message.strip().splitlines()
    if len(lines) > 1 and len(lines[0]) <= ORDER:
        return lines[1:]
    order, colon, rest = message.partition(": ")
    if colon and len(order) <= ORDER:
        return rest.splitlines()
    return re.split(r"(?<=[.!?])\s+", message.strip(), maxsplit=1)[-1].splitlines()


def build(title, parts, names):
    subtitle = say("text_subtitle", file=names) if names else ""
    deck, used = Deck(title, subtitle, language=task.LANGUAGE, source=names), set()
    for heading, bullets, rows in parts:
        named = apart(heading or clip(bullets[0] if bullets else title, 80), used)
        if bullets:
            deck.bullets(named, bullets)
        if len(rows) > 1:
            width = max(map(len, rows))
            named = apart(say("text_table", title=named), used) if bullets else named
            deck.table(named, [row + [""] * (width - len(row)) for row in rows])
        if not bullets and len(rows) < 2:
            deck.section(named)
    deck.method("", [say("text_as_is")])
    return deck


def apart(title, used):
    """The title, numbered when an earlier slide has it."""
    numbered = (f"{title} ({count})" for count in range(2, len(used) + 3))
    chosen = next(text for text in (title, *numbered) if text not in used)
    used.add(chosen)
    return chosen


def fitted(title, parts, names):
    """The deck with neighbours told together until it is as short as asked for, if that can be."""
    deck = build(title, parts, names)
    for most in range(len(parts) - 1, 0, -1):
        if not task.SLIDES or deck.slides <= task.SLIDES:
            break
        deck = build(title, merged(parts, most), names)
    return deck


def main():
    message = getattr(task, "MESSAGE", "")
    parts, names = sections(without_order(message)), []
    for name in task.INPUTS:
        try:
            documents.read(name)
        except TableError as error:
            print(json.dumps({"headline": "", "problem": told(error)}, ensure_ascii=False))
            return
        names.append(name)
        parts += sections(lines_of(INPUT / name))
    if not parts:
        print(json.dumps({"headline": "", "problem": say("no_text")}, ensure_ascii=False))
        return
    title = parts[0][0] or (Path(names[0]).stem if names else clip(parts[0][1][0], 70))
    if parts[0][0] and len(parts) > 1 and not parts[0][1] and not parts[0][2]:
        parts = parts[1:]
    deck = fitted(title, parts, ", ".join(names))
    path = deck.save(task.OUTPUTS[0])
    result = {
        "headline": say("text_done", slides=deck.slides),
        "files": [f"{path}: {say('file_text_deck', slides=deck.slides)}"],
        "mind": [say("text_as_is")],
    }
    if task.SLIDES and deck.slides != task.SLIDES:
        result["mind"].append(say("other_slides", asked=task.SLIDES, made=deck.slides))
    print(json.dumps(result, ensure_ascii=False))


main()
