"""A verdict as a report that an operator hands to those who answer for security: Markdown, and JSON."""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping

from sandbox.probe.proof import Proof, Standing
from sandbox.probe.verdict import Verdict

_OPEN = (
    "- Scripts share the kernel with the host. A flaw of the kernel is a way out that no check here can see;"
    " a runtime such as gVisor, mapped users or a machine of its own make it narrower.",
    "- Side channels between scripts on one processor, by time or by caches, are not closed.",
    "- A script can read the kernel's version, the host's processors, memory, load and uptime, its boot id,"
    " and where the data folder lies.",
    "- Native code can run: what is limited is what it can reach, not what it is.",
)
_MARKUP = re.compile(r"([\\`*_\[\]<>|])")


def counts(verdict: Verdict) -> Mapping[str, int]:
    return {standing.value: len(verdict.with_standing(standing)) for standing in Standing}


def as_json(verdict: Verdict, version: str) -> str:
    """`version` is Deckhand's own."""
    accepted = verdict.policy.allow_degraded
    report = {
        "at": verdict.at.isoformat(timespec="seconds"),
        "deckhand": version,
        "image": verdict.image,
        "host": verdict.host.described(),
        "policy": verdict.policy.model_dump(mode="json", by_alias=True),
        "policy_sha256": _digest(verdict),
        "exceptions": verdict.policy.exceptions,
        "summary": counts(verdict),
        "checks": [
            {
                "check": proof.check,
                "promise": proof.breaks,
                "threat": proof.threat,
                "expected": proof.expected,
                "found": proof.found,
                "verdict": proof.standing(accepted),
                "mend": "" if proof.holds else proof.mend,
            }
            for proof in verdict.proofs
        ],
    }
    return json.dumps(report, indent=2, ensure_ascii=False) + "\n"


def as_markdown(verdict: Verdict, version: str) -> str:
    """Tables that any viewer shows; what the guest or the engine said is shown as plain text."""
    return "\n".join(_lines(verdict, version)) + "\n"


def _lines(verdict: Verdict, version: str) -> Iterator[str]:
    policy = verdict.policy
    accepted = ", ".join(policy.allow_degraded) or "nothing"
    yield "# Self-test of Deckhand's sandbox"
    yield ""
    yield (
        "A container was started with the policy below. A script inside it read its limits back and tried"
        " what the policy forbids; this is what it found, beside what was expected."
    )
    yield ""
    yield from _table(
        ("", ""),
        [
            ("time", f"{verdict.at:%Y-%m-%d %H:%M:%S} UTC"),
            ("Deckhand", version),
            ("policy", f"{policy.name}, sha256 {_digest(verdict)}"),
            ("weaker than the baseline by", ", ".join(policy.exceptions) or "nothing"),
            ("accepted as missing", accepted),
            ("image", verdict.image),
            *verdict.host.described().items(),
        ],
    )
    yield ""
    yield "Verdict: " + ", ".join(f"{count} {standing}" for standing, count in counts(verdict).items()) + "."
    yield ""
    rows = [
        (proof.check, str(proof.threat), proof.expected, proof.found, _verdict(verdict, proof))
        for proof in verdict.proofs
    ]
    yield from _table(("check", "threat", "expected", "found", "verdict"), rows)
    yield ""
    yield "## What stays open"
    yield ""
    yield from _OPEN
    if failed := [proof for proof in verdict.proofs if not proof.holds]:
        yield ""
        yield "## What to do"
        yield ""
        yield from (f"- {_plain(proof.check)}: {proof.mend}" for proof in failed)


def _verdict(verdict: Verdict, proof: Proof) -> str:
    standing = proof.standing(verdict.policy.allow_degraded)
    shown = proof.breaks is not None and standing is not Standing.HOLDS
    return f"{standing}: {proof.breaks}" if shown else standing.value


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(map(_plain, row))} |"


def _plain(text: str) -> str:
    return _MARKUP.sub(r"\\\1", " ".join(text.split()))


def _digest(verdict: Verdict) -> str:
    return hashlib.sha256(verdict.policy.model_dump_json(by_alias=True).encode()).hexdigest()
