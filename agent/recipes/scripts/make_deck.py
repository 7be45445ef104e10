"""The deck: cover, figures, a slide an exhibit, conclusions, the method; as long as asked for."""

import json

import figures
import material
import story
from deck import Deck
from outline import is_short, outline
from remarks import remarks as remarks_of
from task import LANGUAGE, OUTPUTS, SLIDES
from wording import clip, say

SHORT = 210
"""Characters of a bullet."""
TITLE = 100
"""Characters of a title in two lines."""
BESIDE = 3
"""Conclusions that have room beside the method."""


class TooLong(Exception):
    """A part took more than one slide."""


class Undrawable(Exception):
    """The exhibit of that title cannot be drawn."""


def build(found, chosen, remarks, bullets):
    table, whole = found.table, found.findings
    head = story.headline(whole)
    subtitle = say("deck_subtitle", size=figures.size(whole), file=clip(table.file, 60))
    title = say("deck_title", name=clip(table.name.replace("_", " "), 60))  # a line may break at a space only
    deck = Deck(title, subtitle, language=LANGUAGE, source=table.file, rows=whole.overview.rows)
    short = is_short(SLIDES)
    if not short:
        deck.kpis(figures.quality(whole).rstrip("."), figures.cards(whole), takeaway=head)
    charts = sum(_draw(deck, item) for item in chosen)
    facts = [clip(fact, SHORT) for fact in story.facts(whole, bullets)]
    # an exhibit may have the same title
    said = say("in_short", head=head if len(head) <= TITLE else head.split(". ")[0])
    if short:
        once(deck, deck.method, said, facts[:BESIDE], remarks, heading=say("conclusions"))
    else:
        once(deck, deck.bullets, said, facts)
        once(deck, deck.method, "", [say("deck_made")], remarks)
    return deck, charts


def once(deck, add, title, lines, *more, **options):
    before = deck.slides
    add(title, list(dict.fromkeys(lines)), *more, **options)
    if deck.slides > before + 1:
        raise TooLong


def _draw(deck, item):
    """How many native charts it took."""
    options = {"takeaway": item.takeaway}
    if item.chart == "table":
        deck.table(item.title, item.data, **options)
        return 0
    if item.highlight:
        options["highlight"] = item.highlight
    options |= {"percent": item.percent, "x_title": item.x_title, "y_title": item.y_title}
    try:
        getattr(deck, item.chart)(item.title, item.data, **options)
    except ValueError as error:
        raise Undrawable(item.title) from error
    return 1


def fitted(found, remarks):
    """The deck whose parts each take one slide, without what cannot be drawn."""
    bullets, skipped = 6, []
    while True:
        chosen = outline(found, SLIDES, skipped)
        try:
            return build(found, chosen, remarks, bullets)
        except Undrawable as error:
            skipped.append(str(error))
        except TooLong:
            bullets -= 1


def main():
    found, failures = material.load()
    if found is None:
        print(json.dumps({"headline": "", "problem": " ".join(failures)}, ensure_ascii=False))
        return
    # the slide may not have room for all, and the first one counts for every slide
    remarks = [say("association"), *(clip(remark, SHORT) for remark in remarks_of(found))]
    deck, charts = fitted(found, remarks)
    path = deck.save(OUTPUTS[0])
    short = SLIDES is not None and deck.slides < SLIDES
    result = {
        "headline": say("deck_done", slides=deck.slides, charts=charts),
        "mind": [say("fewer_slides", asked=SLIDES, made=deck.slides)] if short else [],
        "files": [f"{path}: {say('file_deck', slides=deck.slides, charts=charts)}"],
    }
    print(json.dumps(result, ensure_ascii=False))


main()
