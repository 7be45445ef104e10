"""A document is its kind, some counts, and its parts: slides, pages, sections, or members of an archive."""

from dataclasses import dataclass

SHOWN = 12
"""Parts that an outline names."""
CLIP = 110
"""Characters of a part that it shows."""


@dataclass(frozen=True)
class Part:
    """`name` is a heading, a slide's title, a member's name; empty where there is none."""

    name: str
    text: str


@dataclass(frozen=True)
class Document:
    """`kind` as in "it is a PDF document"; `counts` of what there is: {"pages": 3, "words": 812}."""

    file: str
    kind: str
    counts: dict
    parts: tuple = ()

    @property
    def outline(self):
        """A short line for each of the first parts: its name, or its first words."""
        lines = [clip(part.name or part.text) for part in self.parts]
        return [line for line in lines if line][:SHOWN]

    def summary(self, outline=True):
        """JSON-able; `summary_lines` makes text of it."""
        shown = self.outline if outline else []
        return {"kind": self.kind, "counts": self.counts, "parts": len(self.parts), "outline": shown}


def summary_lines(name, summary):
    facts = [f"{key.replace('_', ' ')} {count}" for key, count in summary["counts"].items()]
    yield f"{name}: {', '.join([summary['kind'], *facts])}"
    yield from (f"- {line}" for line in summary["outline"])
    if summary["outline"] and (more := summary["parts"] - len(summary["outline"])) > 0:
        yield f"- and {more} more parts"


def clip(text, limit=CLIP):
    text = " ".join(str(text).split())
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def counted(**counts):
    return {name: count for name, count in counts.items() if count}


def words(parts):
    return sum(len(part.text.split()) + len(part.name.split()) for part in parts)
