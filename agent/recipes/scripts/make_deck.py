"""The deck: cover, figures, a slide an exhibit, what to keep in mind, conclusions; as long as asked for."""

import json

import figures
import material
import story
from deck import Deck
from outline import is_short, outline
from remarks import remarks as remarks_of
from task import LANGUAGE, OUTPUTS, SLIDES
from wording import clip, number, say

SHORT = 210
"""Characters of a bullet."""


class TooLong(Exception):
    """A part took more than one slide."""


class Undrawable(Exception):
    """The exhibit of that title cannot be drawn."""


def build(found, chosen, own, remarks, bullets):
    table, whole = found.table, found.findings
    head = story.headline(whole)
    subtitle = say("deck_subtitle", size=figures.size(whole), file=clip(table.file, 60))
    title = say("deck_title", name=clip(table.name.replace("_", " "), 60))  # a line may break at a space only
    deck = Deck(title, subtitle, language=LANGUAGE, source=table.file)
    if not is_short(SLIDES):
        deck.kpis(figures.quality(whole).rstrip("."), figures.cards(whole), takeaway=head)
    charts = sum(_draw(deck, item) for item in chosen)
    facts = [clip(fact, SHORT) for fact in story.facts(whole, bullets)]
    if own:
        shown = remarks if len(remarks) <= bullets else [*remarks[: bullets - 1], remarks[-1]]
        once(deck, say("remarks_title", count=number(len(shown))), shown)
    else:
        facts = [*facts[: bullets - 2], *remarks[:2]]
    once(deck, clip(head, 150), [*facts, say("deck_made")])
    return deck, charts


def once(deck, title, lines):
    before = deck.slides
    deck.bullets(title, list(dict.fromkeys(lines)))
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
    bullets, skipped = 7, []
    while True:
        chosen, own = outline(found, SLIDES, remarks, skipped)
        try:
            return build(found, chosen, own, remarks, bullets)
        except Undrawable as error:
            skipped.append(str(error))
        except TooLong:
            bullets -= 1


def main():
    found, failures = material.load()
    if found is None:
        print(json.dumps({"headline": "", "problem": " ".join(failures)}, ensure_ascii=False))
        return
    remarks = [*(clip(remark, SHORT) for remark in remarks_of(found)), say("association")]
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
