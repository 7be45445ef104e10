"""The check of deliverables and of the answer: made in the sandbox by the skill `checks`, without a model."""

import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Self

from pydantic import BaseModel, BeforeValidator, Field, ValidationError, model_validator

from agent.bench import Bench
from agent.context import cut_middle, seen
from agent.run import RunContext
from agent.verification import GateFinding, UntracedNumber, Verification
from sandbox.session import RunResult

SKILL = "checks"
"""A catalogue without it has no checks, and results are delivered as they are."""
SCRIPT = "check_results.py"
SOURCE = """import json

import checks

report = checks.report(**json.loads({asked}))
report.pop("facts", None)
for most in (200, 80, 40, 20, 10):  # what is printed has a limit, and its middle would be cut
    for key in ("untraced", "findings", "assumptions"):
        report[key] = report[key][:most]
    line = json.dumps(report, ensure_ascii=False)
    if len(line.encode("utf-8", "replace")) < 60_000:
        break
print(line.encode("utf-8", "replace").decode())
"""
MAX_REQUEST = 8_000
"""Characters of the request: numbers that stand in it raise no alarm."""
MAX_LISTED = 200
MAX_SENT_BACK = 25
"""Findings, and as many numbers, that their author is told of."""
LISTED = ("untraced", "asserted")
"""Codes of findings that only say how many numbers are listed as untraced."""
UNCHECKED = "unchecked"
"""Code of the finding that says that nothing could be checked."""


def _clipped(value: object) -> object:
    return " ".join(seen(value).split())[:400] if isinstance(value, str) else value


def _listed(value: object) -> object:
    # a guest's JSON: pydantic judges what is in the list
    return value[:MAX_LISTED] if isinstance(value, list) else value  # pyright: ignore[reportUnknownVariableType]


Text = Annotated[str, BeforeValidator(_clipped)]
Count = Annotated[int, Field(ge=0, le=1_000_000)]


class _Number(BaseModel, frozen=True, strict=True):
    file: Text
    place: Text
    text: Text
    asserted: bool = False
    detail: Text = ""


class _Finding(BaseModel, frozen=True, strict=True):
    check: Annotated[int, Field(ge=1, le=16)]
    code: Annotated[str, Field(pattern=r"^[a-z0-9_]{1,60}$")]
    file: Text
    place: Text
    detail: Text
    blocking: bool


class _Report(BaseModel, frozen=True, strict=True):
    numerals: Count
    traced: Count
    untraced: Annotated[list[_Number], BeforeValidator(_listed)]
    findings: Annotated[list[_Finding], BeforeValidator(_listed)]
    assumptions: Annotated[list[Text], BeforeValidator(_listed)]

    @model_validator(mode="after")
    def _adds_up(self) -> Self:
        if self.traced > self.numerals:
            message = "more numbers are traced than there are"
            raise ValueError(message)
        return self


def can_check(context: RunContext) -> bool:
    skill = context.catalog.find(SKILL)
    return skill is not None and skill.scripts is not None


async def check(
    context: RunContext,
    bench: Bench,
    key: str,
    files: Sequence[str],
    *,
    answer: str = "",
    pages: Mapping[str, int] | None = None,
    todo_id: str | None = None,
) -> Verification:
    """What is wrong with `files` of out/ and with the answer. Done once for each `key` of the run's ledger.

    Raises: SandboxUnavailable: the engine failed twice.
    """
    known = await context.ledger.get(context.id, key)
    if known is not None:
        return verification_of(known)
    asked = {
        "paths": list(files),
        "answer": answer,
        "request": cut_middle(context.run.request, MAX_REQUEST),
        "pages": None if pages is None else dict(pages),
        "profile": cut_middle(context.profile, MAX_REQUEST),
    }
    source = SOURCE.format(asked=repr(json.dumps(asked)))
    async with context.step(todo_id, "check_results"):
        findings = await bench.use(lambda session: session.write(SCRIPT, source))
        if fatal := [finding.message for finding in findings if finding.fatal]:
            line = fatal[0]
        else:
            result = await bench.use(lambda session: session.run(SCRIPT))
            await context.journal.script_ran(todo_id, SCRIPT, result)
            line = _line(result)
    return verification_of(await context.ledger.put(context.id, key, line))


def verification_of(line: str) -> Verification:
    """Of what the library printed: a guest's words, so nothing of it is believed but its shape."""
    try:
        report = _Report.model_validate_json(line)
    except (ValidationError, ValueError, RecursionError):
        return unchecked(cut_middle(seen(line), 300))
    return Verification(
        numerals=report.numerals,
        traced=report.traced,
        untraced=tuple(
            UntracedNumber(
                file=item.file,
                place=item.place,
                text=item.text,
                asserted=item.asserted,
                detail=item.detail,
            )
            for item in report.untraced
        ),
        findings=tuple(
            GateFinding(
                check=item.check,
                code=item.code,
                file=item.file,
                place=item.place,
                detail=item.detail,
                blocking=item.blocking,
            )
            for item in report.findings
            if item.code not in LISTED
        ),
        assumptions=tuple(dict.fromkeys(" ".join(text.split()) for text in report.assumptions if text)),
    )


def unchecked(reason: str) -> Verification:
    """Said, never silent: what could not be checked is delivered as such."""
    finding = GateFinding(check=0, code=UNCHECKED, file="", place="", detail=reason, blocking=True)
    return Verification(numerals=0, traced=0, findings=(finding,))


def was_checked(verification: Verification) -> bool:
    return not any(finding.code == UNCHECKED for finding in verification.findings)


def complaint(verification: Verification, words: str = "") -> str:
    """What its author is asked to mend, in our `words` or the usual ones; empty when there is nothing."""
    wrong = [finding for finding in verification.findings if finding.blocking]
    if not was_checked(verification) or not (wrong or verification.untraced):
        return ""
    parts = [
        words
        or "Your work was checked before it is handed over. Mend what stands here with few calls, preferably "
        "`fix_and_run_python`, then give your report anew, whole. What cannot be mended, say why."
    ]
    if verification.untraced:
        parts.append(
            "Numbers that no fact accounts for:"
            if words
            else "Numbers that no fact accounts for. State each with `facts` (fact; or table, with a name of "
            "its column or row beside the number), or leave it out:"
        )
        parts.append(_lines([_number(item) for item in verification.untraced]))
    if wrong:
        parts.append("Findings:")
        parts.append(
            _lines([f"{_where(item.file, item.place)}: {item.code}: {item.detail}" for item in wrong])
        )
    return "\n".join(parts)


def _line(result: RunResult) -> str:
    """The last line of what was printed: a ledger holds no more than that."""
    if not result.succeeded:
        why = result.stderr.strip().splitlines()[-1:] or [""]
        return f"{result.status.value} {why[0][:200]}".strip()
    return (result.stdout.strip().splitlines() or [""])[-1]


def _number(item: UntracedNumber) -> str:
    why = item.detail or ("nothing computed it" if item.asserted else "")
    return f"{_where(item.file, item.place)}: {item.text}{f' ({why})' if why else ''}"


def _where(file: str, place: str) -> str:
    return ", ".join(part for part in (file, place) if part)


def _lines(items: Sequence[str]) -> str:
    more = [f"- … {len(items) - MAX_SENT_BACK} more"] if len(items) > MAX_SENT_BACK else []
    return "\n".join([*(f"- {item}" for item in items[:MAX_SENT_BACK]), *more])
