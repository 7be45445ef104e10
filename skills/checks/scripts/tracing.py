"""Every number of the deliverables and of the answer, traced to a fact or to a registered table. No model.

    from tracing import trace
    found = trace(["deck.pptx", "report.xlsx"], answer, request="…")
    found.numerals, found.traced, found.untraced, found.asserted, found.notes

A number is traced when a registered one, rounded as it is written, is the same, in a unit that fits.
"""

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import numerals
import tracing_records
from numerals_model import CLAIM
from numerals_plain import of_markdown
from tracing_inputs import Inputs
from tracing_labels import Labels
from tracing_match import Matcher, stems
from tracing_pairs import Pairs
from tracing_records import Record
from tracing_request import Request
from tracing_units import of_record

MAX_FILES = 60
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
    for name in names[:MAX_FILES]:
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
        self.nouns = stems(" ".join(f"{one.unit} {' '.join(one.columns)}" for one in records))
        self.records = records
        self.inputs = Inputs()
        self.result = Tracing()

    def file(self, found):
        """Judge the numerals of one file."""
        lines, twins = defaultdict(list), Counter()
        for one in found:
            if one.labels:
                twins[one.place.partition(", cell")[0], one.labels] += 1
            else:
                lines[one.place, one.context].append(one)
        left = []
        for one in found:
            if not self._claims(one):
                continue
            unique = twins[one.place.partition(", cell")[0], one.labels] == 1
            trouble = self._trouble(one, lines[one.place, one.context] if not one.labels else (), unique)
            self.result.numerals += 1
            if trouble is None:
                self.result.traced += 1
            else:
                left.append((one, trouble))
        left = self.inputs.without(left, self.result)
        left = self._cut(left, found)
        for one, (asserted, detail) in left:
            target = self.result.asserted if asserted else self.result.untraced
            target.append(Untraced(one.file, one.place, one.text, asserted, detail))

    def _claims(self, one):
        if one.kind == CLAIM:
            return not (self.labels.hold(one) or self.request.holds(one))
        return (
            one.kind == "weak"
            and bool(one.noun and stems(one.noun) & self.nouns)
            and not self.request.holds(one)
        )

    def _trouble(self, one, neighbours, unique):
        """None when it is accounted for, else (asserted, detail)."""
        if one.labels and unique:
            verdict, wrong = self.pairs.cell(one, lambda value, record: self._agrees(value, record, one))
            if verdict == "right":
                return None
            if verdict == "swapped":
                return False, _under(*wrong)
        hits = self.matcher.hits(one)
        firm = [hit for hit in hits if hit.firm]
        sure = [hit for hit in firm if hit.record.kind != "asserted" and hit.record.traced]
        if sure:
            wrong = self.pairs.line(one, neighbours, hits, self._agrees) if neighbours else None
            return None if wrong is None else (False, _under(*wrong))
        if one.parts and all(self._trouble(part, (), False) is None for part in one.parts):
            return None
        if firm:
            record = firm[0].record
            return True, f"asserted: {record.source or record.id}"
        if hits:
            return False, "only one of many registered numbers is the same, and no word near it says which"
        return False, self._near(one)

    def _agrees(self, value, record, one):
        """Whether a registered value of a table is what a numeral says."""
        return any(
            hit.record is record and hit.entry.value == value * self._factor(record)
            for hit in self._hits(one)
        )

    def _hits(self, one):
        key = id(one)
        if getattr(self, "_last", (None,))[0] != key:
            self._last = (key, self.matcher.hits(one), one)
        return self._last[1]

    def _factor(self, record):
        return of_record(record.unit)[1]

    def _near(self, one):
        near = self.matcher.nearest(one)
        if near is None:
            return "no registered number is near"
        record, entry = near
        shown = record.text if record.text and entry.position == -1 else f"{entry.value:.10g}"
        return f"nearest: {record.id} = {shown}"[:200]

    def _cut(self, left, found):
        """A frame too long to be registered whole: where all that was registered of it is in the file, the
        rest was written by the same hand."""
        if len(left) < 200 or not left[0][0].file:
            return left
        base = left[0][0].file.rsplit("/", 1)[-1]
        shown = {one.value for one in found if one.exact}
        for record in self.records:
            if (
                record.kind == "drawn"
                and record.cut
                and record.values
                and record.target.rsplit("/", 1)[-1] == base
                and all(value in shown for value in record.values)
            ):
                kept = [(one, trouble) for one, trouble in left if not one.exact]
                self.result.traced += len(left) - len(kept)
                self.result.notes.append(
                    (base, f"{len(left) - len(kept)} cells lie beyond what was registered of {record.id}")
                )
                return kept
        return left


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
