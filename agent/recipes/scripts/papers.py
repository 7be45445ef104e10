"""Documents without a table, told in short: what one is, what is in it, and what can be done with it."""

from texts import STORY
from wording import clip, number, plural, say, shown

SHOWN = 8
"""Headings, slides or pages that are named."""
TEXTS = ("a Word document", "a text")


def sentence(paper):
    facts = [
        plural(count, f"count_{name}") for name, count in paper.counts.items() if f"count_{name}" in STORY
    ]
    if "width" in paper.counts:
        facts.append(f"{number(paper.counts['width'])} × {number(paper.counts['height'])}")
    return say("paper", file=clip(paper.file), kind=shown(paper.kind), facts=", ".join(facts))


def outline(paper):
    lines = [clip(line, 100) for line in paper.outline[:SHOWN]]
    more = len(paper.parts) - len(lines)
    return [*lines, *([say("and_more", count=more)] if lines and more > 0 else [])]


def advice(paper):
    if paper.kind in TEXTS:
        return say("paper_text")
    if paper.kind.endswith("picture"):
        return say("paper_picture")
    if paper.kind == "a PDF document":
        return say("paper_scan" if "words" not in paper.counts else "paper_pdf")
    return say("paper_other")
