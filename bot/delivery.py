"""The end of a run as its person sees it: the answer, or why there is none, and the files."""

from collections.abc import Iterable
from pathlib import Path, PurePosixPath

import structlog

from agent.events import RunFailed, RunFinished
from agent.folder import RunFolder
from bot import render
from bot.chat import ChatAdapter, ChatRef, Delivered, Message, MessageKind
from bot.errors import FileRefused
from bot.snapshot import Outcome
from bot.texts import Language, Texts, texts
from sandbox.names import sendable_names
from storage.artifacts import ArtifactStore, save_to
from storage.errors import StorageError
from storage.events import Events
from storage.records import ArtifactId, Run

_log = structlog.stdlib.get_logger(__name__)


class Delivery:
    def __init__(
        self, *, events: Events, artifacts: ArtifactStore, runs_folder: Path, model_host: str = ""
    ) -> None:
        """`model_host` is told when the model fails; empty with the offline recipes."""
        self._events = events
        self._artifacts = artifacts
        self._runs_folder = runs_folder
        self._model_host = model_host

    async def deliver(self, run: Run, outcome: Outcome, adapter: ChatAdapter, chat: ChatRef) -> None:
        """The text first: it counts more than the files, and what is wrong with one file stops no other.

        Raises:
            ChatError: the text could not be posted.
        """
        t = texts(Language(run.language))
        files, lost = await self.files(run)
        await adapter.post(chat, self._text(run, outcome, t, len(files)))
        if files:
            try:
                await adapter.attach(chat, files)
            except FileRefused as refused:
                text = t("file-refused", name=refused.name, reason=refused.reason)
                await adapter.post(chat, Message(text=text, run_id=run.id))
        for name in lost:
            await adapter.post(chat, Message(text=t("file-lost", name=name), run_id=run.id))

    async def files(self, run: Run) -> tuple[tuple[Delivered, ...], tuple[str, ...]]:
        """The deliverables on this disk, the newest of each name, and the names of those that are lost."""
        saved: dict[str, ArtifactId] = {}
        for event in await self._events.of(run.id):
            match event.kind, event.payload:
                case "ArtifactSaved", {"name": str(name), "artifact_id": str(key), "deliverable": True}:
                    saved[name] = ArtifactId(key)
                case _:
                    pass
        shown = dict(zip(saved, sendable_names(saved), strict=True))
        files: list[Delivered] = []
        lost: list[str] = []
        for name, key in saved.items():
            try:
                files.append(await self._lay_out(run, shown[name], name, key))
            except (StorageError, OSError):
                _log.exception("file_lost", run_id=run.id, artifact_id=key)
                lost.append(shown[name])
        return tuple(files), tuple(lost)

    async def _lay_out(self, run: Run, shown: str, name: str, key: ArtifactId) -> Delivered:
        """The run's own copy when it still is what was kept; otherwise a new one from the store."""
        artifact = await self._artifacts.get(key)
        folder = RunFolder(self._runs_folder / run.id)
        path = folder.out / name
        if not _is_plain(path, folder.out) or path.stat().st_size != artifact.size:
            path = folder.path / "delivered" / shown
            path.parent.mkdir(parents=True, exist_ok=True)
            await save_to(self._artifacts, key, path)
        return Delivered(name=shown, path=path, size=artifact.size)

    def _text(self, run: Run, outcome: Outcome, t: Texts, files: int) -> Message:
        match outcome:
            case RunFinished(answer=answer):
                return Message(
                    kind=MessageKind.ANSWER, text=answer.strip() or t("answer-empty"), run_id=run.id
                )
            case RunFailed():
                return render.failure(outcome, t, files=files, model_host=self._model_host)


def numbered(name: str) -> Iterable[str]:
    """`a.csv`, `a (2).csv`, `a (3).csv`, …"""
    yield name
    path = PurePosixPath(name)
    count = 2
    while True:
        yield str(path.with_name(f"{path.stem} ({count}){path.suffix}"))
        count += 1


def _is_plain(path: Path, inside: Path) -> bool:
    """A regular file below `inside` that no link led to: the guest made the names in there."""
    return (
        path.is_relative_to(inside)
        and path.is_file()
        and path.resolve() == inside.resolve() / path.relative_to(inside)
    )
