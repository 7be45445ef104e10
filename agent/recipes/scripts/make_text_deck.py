"""A deck from text: headings become slides, paragraphs and lists become bullets, tables become tables."""

import json
from pathlib import Path

import task
from deck import Deck
from prose import lines_of, merged, sections
from wording import clip, say

INPUT = Path("/workspace/input")


def main():
    message = getattr(task, "MESSAGE", "")
    parts, names = sections(message.splitlines()), []
    for name in task.INPUTS:
        names.append(name)
        parts += sections(lines_of(INPUT / name))
    if not parts:
        print(json.dumps({"headline": "", "problem": say("no_text")}, ensure_ascii=False))
        return
    title = parts[0][0] or (Path(names[0]).stem if names else clip(parts[0][1][0], 70))
    if parts[0][0] and len(parts) > 1 and not parts[0][1] and not parts[0][2]:
        parts = parts[1:]
    if task.SLIDES:
        parts = merged(parts, task.SLIDES - 1)
    deck = Deck(
        title,
        say("text_subtitle", file=", ".join(names)) if names else "",
        language=task.LANGUAGE,
        source=", ".join(names),
    )
    for heading, bullets, rows in parts:
        if bullets:
            deck.bullets(heading or clip(bullets[0], 80), bullets)
        if len(rows) > 1:
            width = max(map(len, rows))
            deck.table(heading or title, [row + [""] * (width - len(row)) for row in rows])
        if not bullets and len(rows) < 2:
            deck.section(heading or title)
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
