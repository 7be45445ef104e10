"""The parts of a delivery: which calls tell a run's outcome, and in which order. Pure.

A part holds what is needed to make the same call again in another process: a page's number, the names and
artifacts of files, never a place on the host.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final, TypeVar, cast

from agent.events import FailureReason, RunFailed
from storage.mail import OutboxEntry, OutboxPart, OutboxState
from storage.records import ArtifactId

PAGES: Final = 3
"""Messages that an answer may take; of a longer one the first two are sent, and the whole as a file."""


PREVIEWS: Final = 10
"""Pictures of a run that are shown: one album."""

T = TypeVar("T")


class PartKind(StrEnum):
    SETTLE = "settle"
    """The progress message becomes one line."""
    HEADLINE = "headline"
    ANSWER = "answer"
    """One page. The first one replaces the headline."""
    FAILURE = "failure"
    PARCEL = "parcel"
    NOTE = "note"
    """A sentence about files."""


TEXTS: Final = (PartKind.ANSWER, PartKind.FAILURE)


@dataclass(frozen=True, slots=True)
class FileRef:
    name: str
    """As the person sees it."""
    artifact: ArtifactId | None
    """None for the answer itself."""


_Listed = Sequence[tuple[str, str | None]]
"""Names and artifacts, as JSON has them."""
_Facts = Mapping[str, str]

WHOLE_ANSWER: Final = FileRef("answer.md", None)


def settle(line: str) -> OutboxPart:
    return OutboxPart(kind=PartKind.SETTLE, payload={"text": line})


def answer(
    pages: int, *, headline: bool, rich: bool, workbook: str, verified: str = ""
) -> Iterable[OutboxPart]:
    """`workbook`: the file that wide tables have gone to; empty while they stand in the text.

    `verified`: the lines on what was checked, which stand under the text; empty where nothing was.
    """
    if headline:
        yield OutboxPart(kind=PartKind.HEADLINE, payload={})
    for page in range(pages if pages <= PAGES else PAGES - 1):
        payload = {"page": page, "rich": rich, "workbook": workbook, "verified": verified}
        yield OutboxPart(kind=PartKind.ANSWER, payload=payload)


def failure(outcome: RunFailed, files: int) -> OutboxPart:
    payload = {"reason": outcome.reason.value, "detail": outcome.detail, "files": files}
    return OutboxPart(kind=PartKind.FAILURE, payload=payload)


def parcel(files: Sequence[FileRef], *, as_files: bool) -> OutboxPart:
    return OutboxPart(
        kind=PartKind.PARCEL,
        payload={"files": [[file.name, file.artifact] for file in files], "as_files": as_files},
    )


def previews(pictures: Sequence[FileRef]) -> OutboxPart:
    """Pictures of what the files show. Nobody misses one that does not arrive: the files do."""
    part = parcel(pictures, as_files=False)
    return replace(part, payload={**part.payload, "previews": True})


def note(key: str, **facts: str) -> OutboxPart:
    """`key` is that of a sentence in `locales`."""
    return OutboxPart(kind=PartKind.NOTE, payload={"key": key, "facts": facts})


def evenly(items: Sequence[T], most: int) -> Sequence[T]:
    """At most that many, from the first to the last of them, with equal steps. `most` is at least 2."""
    if len(items) <= most:
        return items
    return [items[place * (len(items) - 1) // (most - 1)] for place in range(most)]


def text_of(entry: OutboxEntry) -> str:
    return str(entry.payload["text"])


def page_of(entry: OutboxEntry) -> int:
    return int(str(entry.payload["page"]))


def workbook_of(entry: OutboxEntry) -> str:
    return str(entry.payload["workbook"])


def verified_of(entry: OutboxEntry) -> str:
    """Empty also for a part that was kept before there was such a thing."""
    return str(entry.payload.get("verified", ""))


def is_rich(entry: OutboxEntry) -> bool:
    return entry.payload["rich"] is True


def failure_of(entry: OutboxEntry) -> tuple[RunFailed, int]:
    """And the number of files that were made."""
    reason, detail, files = (str(entry.payload[key]) for key in ("reason", "detail", "files"))
    return RunFailed(run_id=entry.run_id, reason=FailureReason(reason), detail=detail), int(files)


def files_of(entry: OutboxEntry) -> tuple[FileRef, ...]:
    listed = cast("_Listed", entry.payload["files"])
    return tuple(FileRef(name, None if key is None else ArtifactId(key)) for name, key in listed)


def are_files(entry: OutboxEntry) -> bool:
    """Whether the files go as such, pictures too."""
    return entry.payload["as_files"] is True


def are_previews(entry: OutboxEntry) -> bool:
    return entry.payload.get("previews") is True


def note_of(entry: OutboxEntry) -> tuple[str, Mapping[str, str]]:
    return str(entry.payload["key"]), cast("_Facts", entry.payload["facts"])


def headline_of(entries: Sequence[OutboxEntry], page: OutboxEntry) -> OutboxEntry | None:
    """The headline that becomes the first page; None where the page has to be a message of its own."""
    if page.kind != PartKind.ANSWER or page_of(page) > 0:
        return None
    before = [entry for entry in entries if entry.seq < page.seq and entry.kind == PartKind.HEADLINE]
    return before[-1] if before and before[-1].state is OutboxState.SENT else None


def has_more_pages(entries: Sequence[OutboxEntry]) -> bool:
    return any(entry.kind == PartKind.ANSWER and page_of(entry) > 0 for entry in entries)


def is_text_missing(entries: Sequence[OutboxEntry]) -> bool:
    """Whether the last try to tell the outcome in words failed, or there was none."""
    last = {(entry.kind, entry.payload.get("page")): entry.state for entry in entries if entry.kind in TEXTS}
    return not last or not {OutboxState.UNKNOWN, OutboxState.DEAD}.isdisjoint(last.values())


def asked_for(entries: Sequence[OutboxEntry]) -> tuple[FileRef, ...]:
    """Kept files that the chat was to get, previews left aside: deliverables, and such as a bundle."""
    parcels = [entry for entry in entries if entry.kind == PartKind.PARCEL and not are_previews(entry)]
    return tuple(
        dict.fromkeys(file for entry in parcels for file in files_of(entry) if file.artifact is not None)
    )


def arrived(entries: Sequence[OutboxEntry]) -> frozenset[FileRef]:
    """Files that the chat has, or is about to get."""
    return frozenset(
        file
        for entry in entries
        if entry.kind == PartKind.PARCEL and entry.state not in (OutboxState.UNKNOWN, OutboxState.DEAD)
        for file in files_of(entry)
    )
