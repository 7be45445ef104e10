"""What was checked of a run's results, in the few lines that stand under its answer. Pure."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import structlog
from pydantic import TypeAdapter, ValidationError

from agent.verification import GateFinding, Rerun, UntracedNumber, Verification
from bot import render
from bot.texts import Texts
from storage.records import EventRecord

LINES: Final = 6
"""Under an answer; /why tells the rest."""
WHOLE: Final = 25
"""Lines, numbers and differences that /why tells: one message."""
NUMBERS: Final = 4
"""That are named in one line."""
DIFFERENCES: Final = 2
PLACES: Final = 3
"""That are named of one kind of finding."""
_SHORT, _LONG = 60, 120
"""Characters of what a guest says."""
KINDS: Final = (
    "slide",
    "page",
    "sheet",
    "line",
    "paragraph",
    "row",
    "column",
    "table",
    "chart",
    "title",
    "notes",
    "cell",
)
"""Of places, as the skill `checks` names them."""
_AT = re.compile(rf"(?:^|(?<=, ))(?:{'|'.join(KINDS)})\b")
_CODE = re.compile(r"[a-z0-9_]{1,40}")

_VERIFICATION: Final = TypeAdapter(Verification)
_log = structlog.stdlib.get_logger(__name__)


def verification_of(events: Iterable[EventRecord]) -> Verification | None:
    """The newest; None where nothing was checked, or another version wrote what we cannot read."""
    told = [event.payload.get("verification") for event in events if event.kind == "ResultsVerified"]
    try:
        return _VERIFICATION.validate_python(told[-1]) if told else None
    except ValidationError as fault:
        _log.warning("verification_unreadable", reason=str(fault))
        return None


def under_answer(found: Verification | None, t: Texts) -> str:
    """Markdown of at most `LINES` lines; empty where there was nothing to check."""
    if found is None or not _has_news(found):
        return ""
    lines = _lines(found, t, whole=False)
    if not lines:
        return ""
    head, *rest = lines
    hidden = max(0, len(found.differences) - DIFFERENCES) + max(0, len(found.untraced) - NUMBERS)
    if len(rest) + (2 if hidden else 1) > LINES:
        hidden += len(rest) - (LINES - 2)
        rest = rest[: LINES - 2]
    if hidden:
        rest.append(t("verified-more", count=hidden))
    return _listed(head, rest)


def in_full(found: Verification | None, t: Texts) -> str:
    """`under_answer` without a word left out, as far as a message goes."""
    if found is None or not _has_news(found):
        return ""
    lines = _lines(found, t, whole=True)
    if not lines:
        return ""
    head, *rest = lines
    return _listed(head, rest[:WHOLE])


def _lines(found: Verification, t: Texts, *, whole: bool) -> list[str]:
    return [line for line in (summary(found, t), *_points(found, t, whole=whole)) if line]


def _listed(head: str, rest: Sequence[str]) -> str:
    return "\n\n".join(filter(None, (head, "\n".join(f"- {line}" for line in rest))))


def summary(found: Verification, t: Texts) -> str:
    """`46 of 46 numbers traced · re-run identical`."""
    facts: list[str] = []
    if found.numerals:
        facts.append(t("verified-numbers", traced=found.traced, numerals=found.numerals))
    if found.rerun is not Rerun.SKIPPED:
        facts.append(t(f"verified-rerun-{found.rerun.value}"))
    return " · ".join(facts)


def _has_news(found: Verification) -> bool:
    """A re-run that went well says nothing where there are no numbers."""
    trouble = found.rerun in (Rerun.DIFFERENT, Rerun.FAILED)
    return bool(found.numerals or found.findings or trouble)


def _points(found: Verification, t: Texts, *, whole: bool) -> Iterator[str]:
    most, differences = (WHOLE, WHOLE) if whole else (NUMBERS, DIFFERENCES)
    named = len({item.file for item in (*found.untraced, *found.findings) if item.file}) > 1
    if missing := found.numerals - found.traced:
        numbers = [_number(number, t, named=named) for number in found.untraced[:most]]
        if missing > len(numbers):
            numbers.append(t("verified-more-numbers", count=missing - len(numbers)))
        yield t("verified-untraced", numbers=", ".join(numbers))
    if found.differences:
        facts = "; ".join(render.words(text, _LONG) for text in found.differences[:differences])
        yield t("verified-differences", facts=facts)
    findings = found.findings if whole else [item for item in found.findings if item.blocking]
    yield from _findings(findings, t, named=named)


def _number(number: UntracedNumber, t: Texts, *, named: bool) -> str:
    key = "verified-number-asserted" if number.asserted else "verified-number"
    place = place_of(number.file if named else "", number.place, t)
    return t(key, number=render.words(number.text, _SHORT), place=place or t("verified-in-answer"))


def _findings(findings: Sequence[GateFinding], t: Texts, *, named: bool) -> Iterator[str]:
    """A line for each kind of them, with the first places."""
    places: dict[str, list[str]] = {}
    for finding in sorted(findings, key=lambda finding: not finding.blocking):
        place = place_of(finding.file if named else "", finding.place, t) or render.words(
            finding.file, _SHORT
        )
        places.setdefault(_sentence(finding, t), []).append(place)
    for what, found in places.items():
        shown = list(dict.fromkeys(filter(None, found)))
        if len(shown) > PLACES:
            shown = [*shown[:PLACES], t("verified-more-numbers", count=len(shown) - PLACES)]
        yield t("verified-finding", place="; ".join(shown), what=what) if shown else what


def _sentence(finding: GateFinding, t: Texts) -> str:
    keys = (f"finding-{finding.code}" if _CODE.fullmatch(finding.code) else "", f"finding-{finding.check}")
    return t(next((key for key in keys if key and t.has(key)), "finding-other"))


def place_of(file: str, place: str, t: Texts) -> str:
    """Where something stands. The words that our checkers use are told in the language of the person."""
    worded = _AT.sub(lambda match: t(f"place-{match[0]}"), place)
    return ", ".join(filter(None, (render.words(file, _SHORT), render.words(worded, _SHORT))))
