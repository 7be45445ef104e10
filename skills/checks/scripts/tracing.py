"""Every number of the deliverables and of the answer, traced to a fact or to a registered table. No model.

    from tracing import trace
    found = trace(["deck.pptx", "report.xlsx"], answer, request="…")
    found.numerals, found.traced, found.untraced, found.asserted, found.notes

A number is traced when a registered one, rounded as it is written, is the same, in a unit that fits.
"""

import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import numerals
import tracing_records
from numerals_model import CLAIM
from numerals_plain import of_markdown
from numerals_words import MEASURE
from tracing_labels import Labels
from tracing_match import Matcher, stems
from tracing_pairs import Pairs, row_name
from tracing_records import Record
from tracing_request import Request
from tracing_sheets import explained
from tracing_shown import shown
from tracing_units import of_record

UNSURE = "one of many registered numbers is the same, and no word near says which: name it as the fact does"
MAX_FILES = 60
MAX_SECONDS = 120
"""After which no further file is begun."""
MAX_TOLD = 2_000
"""Untraced numbers that are listed; `numerals - traced` counts them all."""
MAX_ANSWER = 200_000
"""Characters of an answer that are looked through."""


@dataclass(frozen=True)
class Untraced:
    """`detail` is for the author: what the number may have been meant to be."""

    file: str
    place: str
    text: str
    asserted: bool = False
    detail: str = ""


@dataclass
class Tracing:
    """`numerals` counts those that claim something, `traced` those among them that are accounted for."""

    numerals: int = 0
    traced: int = 0
    untraced: list = field(default_factory=list)
    asserted: list = field(default_factory=list)
    notes: list = field(default_factory=list)
    """(file, what of it could not be read)."""


def trace(paths=None, answer="", *, request="", records=None, profile="", folder="."):
    """Tracing of deliverables, named relative to `folder`, where `.deckhand/facts` lies too.

    `records`: dicts or Records instead of those on disk. `profile`: what was told of the input files; its
    numbers are computed ones.
    """
    records = tracing_records.read(folder) if records is None else [_record(one) for one in records]
    records += _of_profile(profile)
    tracer = Tracer(records, Request(request))
    names = deliverables(folder) if paths is None else [str(path) for path in paths]
    until = time.monotonic() + MAX_SECONDS
    for name in names[:MAX_FILES]:
        if time.monotonic() > until:
            tracer.result.notes.append((name, "was not read: it would take too long"))
            continue
        extraction = numerals.read(Path(folder, name), name)
        tracer.result.notes += [(name, note) for note in extraction.notes]
        tracer.file(extraction.numerals)
    tracer.result.notes += [(name, "was not read: there are too many files") for name in names[MAX_FILES:]]
    tracer.file(of_markdown(answer[:MAX_ANSWER], "the answer"))
    return tracer.result


def deliverables(folder="."):
    """Names of the files below `folder` that numbers can be read from, records aside."""
    root = Path(folder)
    found = (
        path
        for path in sorted(root.rglob("*"))
        if path.is_file() and not path.is_symlink() and numerals.readable(path)
    )
    names = (path.relative_to(root).as_posix() for path in found)
    return [name for name in names if not any(part.startswith(".") for part in name.split("/"))]


class Tracer:
    def __init__(self, records, request):
        self.request = request
        self.labels, self.matcher, self.pairs = Labels(records), Matcher(records), Pairs(records)
        self.nouns = stems(" ".join(name for one in records for name in (*one.columns, *_thing(one.unit))))
        self.records = records
        self.kept, self.missed = {}, 0
        self.result = Tracing()

    def file(self, found):
        """Judge the numerals of one file."""
        self.kept.clear()
        lines, twins, raw = defaultdict(list), Counter(), defaultdict(set)
        for one in found:
            if one.labels:
                twins[_sheet(one), one.labels] += 1
                raw[_sheet(one)].add(one.labels[0])
            else:
                lines[one.place, one.context].append(one)
        names = {sheet: {row_name(one) for one in rows} for sheet, rows in raw.items()}
        left = []
        for one in filter(self._claims, found):
            self.result.numerals += 1
            if one.labels:
                trouble = self._in_table(one, names[_sheet(one)], twins[_sheet(one), one.labels] == 1)
            else:
                trouble = self._in_text(one, lines[one.place, one.context])
            if trouble is not None:
                left.append((one, trouble))
        done, notes = explained([one for one, _ in left], found, self.records)
        if unsure := {id(one) for one, trouble in left if trouble == (False, UNSURE)}:
            done |= shown(list(filter(self._claims, found)), self._hits) & unsure
        self.result.notes += [(left[0][0].file, note) for note in notes]
        left = [(one, trouble) for one, trouble in left if id(one) not in done]
        self.result.traced = self.result.numerals - self.missed - len(left)
        self.missed += len(left)
        for one, (asserted, detail) in left:
            target = self.result.asserted if asserted else self.result.untraced
            if len(target) < MAX_TOLD:
                target.append(Untraced(one.file, one.place, one.text, asserted, detail))

    def _claims(self, one):
        if one.kind == CLAIM:
            return not (self.labels.hold(one) or self.request.holds(one))
        return (
            one.kind == "weak"
            and bool(one.noun and stems(one.noun) & self.nouns)
            and not self.request.holds(one)
        )

    def _in_table(self, one, siblings, unique):
        """None when a number under names is accounted for, else (asserted, detail)."""
        if unique:
            verdict, wrong = self.pairs.cell(one, siblings, self._agrees)
            if verdict == "right":
                return None
            if verdict == "swapped":
                return False, _under(*wrong)
        return self._alone(one)

    def _in_text(self, one, neighbours):
        trouble = self._alone(one)
        if trouble is None:
            wrong = self.pairs.line(one, neighbours, self._hits(one), self._agrees)
            return None if wrong is None else (False, _under(*wrong))
        return trouble

    def _alone(self, one):
        hits = self._hits(one)
        firm = [hit for hit in hits if hit.firm]
        if any(hit.record.kind != "asserted" and hit.record.traced for hit in firm):
            return None
        if one.parts and all(self._alone(part) is None for part in one.parts):
            return None
        if firm:
            return True, f"asserted: {firm[0].record.source or firm[0].record.id}"[:200]
        if hits:
            return False, UNSURE
        return False, self._near(one)

    def _agrees(self, value, record, one):
        """Whether a registered value of a table is what a numeral says."""
        value *= of_record(record.unit)[1]
        return any(hit.record is record and hit.entry.value == value for hit in self._hits(one))

    def _hits(self, one):
        """Several questions are asked about a number, in a sentence by its neighbours too."""
        key = id(one)
        if key not in self.kept:
            if one.labels:
                self.kept.clear()
            self.kept[key] = (one, self.matcher.hits(one))
        return self.kept[key][1]

    def _near(self, one):
        near = self.matcher.nearest(one)
        if near is None:
            return "no registered number is near"
        record, entry = near
        shown = record.text if record.text and entry.position == -1 else f"{entry.value:.10g}"
        return f"nearest: {record.id} = {shown}"[:200]


def _thing(unit):
    """The unit when it is a word for what is counted; days and kilograms are no things."""
    return [] if MEASURE.fullmatch(unit) else [unit]


def _sheet(one):
    return one.place.partition(", cell")[0].partition(", row")[0]


def _under(record, name, value):
    return f"under {name}, {record.id} has {value:.10g}"[:200]


def _record(one):
    return one if isinstance(one, Record) else tracing_records.of_dict(one)


def _of_profile(profile):
    """The numbers of the profile as one record."""
    values = [
        one.value for one in numerals.extract_text(profile[:MAX_ANSWER]) if one.claims or one.kind == "year"
    ]
    return (
        [Record("computed", "profile of the input files", values=tuple(values), columns=("rows", "columns"))]
        if values
        else []
    )
