"""What a run left in out/ becomes artifacts: which files a person gets, and in which order."""

import asyncio
import hashlib
import mimetypes
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from types import MappingProxyType

import structlog

from agent.disguise import objection
from agent.events import ArtifactSaved
from agent.factbook import RECORDS
from agent.folder import RunFolder
from agent.plan import Plan
from storage.artifacts import ArtifactStore, put_path
from storage.records import ArtifactKind, RunId

DOCUMENTS = (".pptx", ".xlsx", ".pdf", ".docx")
PICTURES = (".png", ".jpg", ".jpeg", ".svg", ".gif")
OTHERS = (".csv", ".tsv", ".md", ".txt", ".html", ".json", ".parquet", ".py", ".ipynb", ".zip")
WORKING = (".json", ".parquet", ".pkl", ".npy", ".joblib")
"""What one todo leaves for the next: for the person only when there is nothing better."""
HALF_COPIED = ".incoming-"
"""What a sandbox that died while it copied leaves behind."""
MAX_DELIVERED = 20
"""Files that a person gets of one run; the rest stays in the run's folder."""


_log = structlog.stdlib.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Output:
    path: str
    """Relative to out/, with `/` between its parts."""
    size: int
    deliverable: bool


def choose(
    files: Iterable[tuple[str, int]], plan: Plan, answer: str, withheld: Collection[str] = ()
) -> tuple[Output, ...]:
    """All of `files`, those for the person first.

    A document is always for the person. Anything else but a working file is when the answer names it, or when
    there are no documents at all and a todo promised it, or nothing better exists.
    What is `withheld` never is.
    """
    listed = sorted(files, key=lambda file: (_rank(file[0]), file[0]))
    sendable = [path for path, _ in listed if path not in withheld]
    promised = {PurePosixPath(output).name for todo in plan.todos for output in todo.outputs}
    wanted = [
        path
        for path in sendable
        if _is_document(path)
        or (PurePosixPath(path).name in answer and PurePosixPath(path).suffix.lower() not in WORKING)
    ]
    if not wanted:
        wanted = [path for path in sendable if PurePosixPath(path).name in promised]
    if not wanted:
        wanted = [path for path in sendable if _rank(path) < len(DOCUMENTS + PICTURES + OTHERS)]
    chosen = set(wanted[:MAX_DELIVERED])
    outputs = [Output(path, size, path in chosen) for path, size in listed]
    return tuple(sorted(outputs, key=lambda output: not output.deliverable))


async def chosen(
    out: Path, plan: Plan, answer: str, unchanged: Mapping[str, str] = MappingProxyType({})
) -> tuple[Output, ...]:
    """`choose` for what lies in `out`, records left aside. `unchanged`: SHA-256 by name of what this run
    found there; what still is so, its person has."""
    files = _files(out)
    withheld = await asyncio.to_thread(_withheld, out, [path for path, _ in files])
    withheld |= await asyncio.to_thread(_still, out, unchanged)
    return choose(files, plan, answer, withheld)


async def save_outputs(
    run_id: RunId,
    folder: RunFolder,
    plan: Plan,
    answer: str,
    artifacts: ArtifactStore,
    unchanged: Mapping[str, str] = MappingProxyType({}),
) -> Sequence[ArtifactSaved]:
    """Put every file of out/ into the store. Putting the same again changes nothing.

    The files were copied here by us, name by name, so they are regular files of this folder.
    """
    saved: list[ArtifactSaved] = []
    for output in await chosen(folder.out, plan, answer, unchanged):
        artifact = await put_path(
            artifacts,
            folder.out / output.path,
            kind=ArtifactKind.OUTPUT,
            name=output.path,
            run_id=run_id,
            media_type=mimetypes.guess_type(output.path)[0] or "application/octet-stream",
        )
        saved.append(
            ArtifactSaved(
                run_id=run_id,
                artifact_id=artifact.id,
                name=output.path,
                size=artifact.size,
                deliverable=output.deliverable,
            )
        )
    return saved


def _files(out: Path) -> list[tuple[str, int]]:
    return [
        (path.relative_to(out).as_posix(), path.stat().st_size)
        for path in out.rglob("*")
        if path.is_file() and not path.is_symlink() and not path.name.startswith(HALF_COPIED)
        if not path.relative_to(out).as_posix().startswith(RECORDS)
    ]


def _withheld(out: Path, paths: Iterable[str]) -> set[str]:
    """Those that are not what they seem, or act when they are opened; working files are nobody's to open."""
    found: set[str] = set()
    for path in paths:
        if PurePosixPath(path).suffix.lower() not in WORKING and (reason := objection(out / path)):
            _log.warning("output_withheld", name=path, reason=reason)
            found.add(path)
    return found


def _still(out: Path, known: Mapping[str, str]) -> set[str]:
    found: set[str] = set()
    for path, digest in known.items():
        if (out / path).is_file() and not (out / path).is_symlink():
            with (out / path).open("rb") as file:
                if hashlib.file_digest(file, "sha256").hexdigest() == digest:
                    found.add(path)
    return found


def is_delivered(path: str) -> bool:
    """Whether it is of a kind that people look at, so that numbers in it are claims."""
    suffix = PurePosixPath(path).suffix.lower()
    return not path.startswith(RECORDS) and suffix in (*DOCUMENTS, *PICTURES, ".md")


def _is_document(path: str) -> bool:
    return PurePosixPath(path).suffix.lower() in DOCUMENTS


def _rank(path: str) -> int:
    order = DOCUMENTS + PICTURES + OTHERS
    suffix = PurePosixPath(path).suffix.lower()
    return order.index(suffix) if suffix in order else len(order)
