"""Where a number is from: /why, and /bundle with all that is needed to compute it once more."""

import asyncio
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from agent.verification import Verification
from bot import disarm, render
from bot.chat import MessageKind
from bot.commands.parts import Asked, Parts, Reply, history, replied_to
from bot.delivery.verified import in_full, place_of, verification_of
from bot.texts import Texts
from storage.records import Run, RunStatus

if TYPE_CHECKING:
    from agent.factbook import Fact

    Sought = Sequence[tuple[str, Fact]]
    """Facts, each with the number that was asked about, as it was written."""

BEST: Final = 3
"""Facts of one reply."""
MANY: Final = 8
"""Numbers of an answer that are looked for."""
_SHORT, _LONG = 60, 160
_CODE = 400
"""Characters of a line of code."""
_WRITTEN = re.compile(r"[-−]?\d(?:[\d.,'\u00a0\u202f]*\d)?(?: ?%)?")
"""As a person or an answer writes it."""
_NUMBER = re.compile(r"[-−]?\d(?:[\d\s.,']*\d)?")
_HASH = 12
"""Characters of a file's SHA-256: enough to compare by eye."""


async def why(asked: Asked, parts: Parts) -> Reply:
    """Of the answer that is replied to, or the newest here. Without words: its main numbers."""
    t, words = asked.t, asked.command.arguments.strip()
    run = await _meant(asked, parts)
    if run is None or run.status is not RunStatus.FINISHED:
        return Reply(t("why-no-answer"))
    facts = await parts.facts(run.id)
    checked = verification_of(await parts.events.of_kind([run.id], "ResultsVerified"))
    lines = filter(None, [_untraced(checked, words, t) if words else in_full(checked, t)])
    # A script may have left thousands of facts with thousands of numbers each: others must not wait for that.
    found = await asyncio.to_thread(_sought, facts, words, run.answer or "")
    told = [*lines, *(line for number, fact in found[:BEST] for line in _told(fact, number, t))]
    return Reply("\n\n".join(told or [_nothing(facts, words, t)]), kind=MessageKind.ANSWER)


async def bundle(asked: Asked, parts: Parts) -> Reply:
    """As a file, of the answer that is replied to, or the newest here."""
    run = await _meant(asked, parts)
    if run is None:
        return Reply(asked.t("why-no-answer"))
    if run.delivered_at is None:
        return Reply(asked.t("resend-too-early"))
    sent = await parts.bundles.send(run)
    return Reply(asked.t("bundle-coming" if sent else "bundle-none"))


async def _meant(asked: Asked, parts: Parts) -> Run | None:
    meant = await replied_to(asked, parts)
    if meant is not None:
        return await parts.runs.get(meant)
    known = await history(asked.conversation, parts.runs)
    return next((run for run in known if run.status is RunStatus.FINISHED), None)


def _sought(facts: "Sequence[Fact]", words: str, answer: str) -> "Sought":
    return _distinct(facts, words) if words else _main(facts, answer)


def _distinct(facts: "Sequence[Fact]", words: str) -> "Sought":
    """What the words are about, the likeliest first, with the number that was asked about."""
    from agent.factbook import find  # it brings libraries along that need a moment

    number = _WRITTEN.search(words)
    known = {
        (fact.kind, fact.id, fact.text, fact.script, fact.line): fact for fact in reversed(find(facts, words))
    }
    return [("" if number is None else number[0], fact) for fact in reversed(known.values())]


def _main(facts: "Sequence[Fact]", answer: str) -> "Sought":
    """The first numbers of the answer that have a source, and theirs."""
    numbers = list(dict.fromkeys(match[0] for match in _WRITTEN.finditer(answer)))[:MANY]
    found = [next(iter(_distinct(facts, number)), None) for number in numbers]
    return [item for item in found if item is not None]


def _untraced(checked: Verification | None, words: str, t: Texts) -> str:
    """That the number asked about has no source, where the check said so."""
    asked = _number(words)
    for number in checked.untraced if checked and asked else ():
        if _number(number.text) == asked:
            place = place_of(number.file, number.place, t) or t("verified-in-answer")
            return t(
                "why-untraced", number=render.words(number.text, _SHORT), place=render.words(place, _LONG)
            )
    return ""


def _told(fact: "Fact", number: str, t: Texts) -> Iterator[str]:
    """Markdown: what it is, where it is from, and the code, which does nothing here."""
    name = render.words(fact.id, _SHORT)
    text = render.words(fact.text or number, _SHORT)
    yield f"**{text}**" + (f" – {name}" if name else "") if text else f"**{name or '–'}**"
    yield "\n".join(f"- {line}" for line in _sources(fact, t))
    if fact.expression and fact.expression not in fact.code:
        yield _fenced(fact.expression)
    if fact.code:
        yield _fenced(fact.code)


def _sources(fact: "Fact", t: Texts) -> Iterator[str]:
    if fact.kind == "asserted":
        yield t("why-asserted", source=render.words(fact.source, _LONG) or "–")
    elif fact.kind in ("table", "drawn"):
        yield t("why-table", count=len(fact.values), target=render.words(fact.target, _SHORT) or "–")
    if fact.rows is not None:
        yield t("why-rows", rows=fact.rows)
    for file in fact.files[:BEST]:
        yield t(
            "why-file", name=render.words(file.name, _SHORT), digest=render.words(file.sha256, 64)[:_HASH]
        )
    if fact.script:
        script = render.words(fact.script, _SHORT)
        yield t("why-line", script=script, line=fact.line) if fact.line else t("why-script", script=script)


def _nothing(facts: "Sequence[Fact]", words: str, t: Texts) -> str:
    """With the stated number that is least away from the one asked about, as both are written."""
    asked = _number(words)
    written = [(number, fact) for fact in facts if fact.text and (number := _number(fact.text))]
    if asked is None or not written:
        return t("why-none")
    near = min(written, key=lambda item: abs(item[0][0] - asked[0]))[1]
    return t("why-nearest", text=render.words(near.text, _SHORT), name=render.words(near.id, _SHORT) or "–")


def _number(text: str) -> tuple[float, int] | None:
    """The first one in it, with its decimals."""
    from agent.factbook import parse_number

    found = _NUMBER.search(text)
    return None if found is None else parse_number(found[0])


def _fenced(code: str) -> str:
    """A block that ends where we say so."""
    code = disarm.visible(code).strip()
    code = code if len(code) <= _CODE else f"{code[: _CODE - 1]}…"
    fence = "```"
    while fence in code:
        fence += "`"
    return f"{fence}\n{code}\n{fence}"
