"""The history of a conversation: what its earlier runs were given and made, for those that follow."""

from dataclasses import dataclass

from bot.inputs import Past
from storage.events import Events
from storage.records import ArtifactId, Conversation, EventRecord, InputRef, Run, RunId
from storage.runs import Runs

MEMORY = 50
"""Runs of a conversation whose files a follow-up can use."""


@dataclass(frozen=True, slots=True)
class History:
    runs: Runs
    events: Events

    async def of(self, conversation: Conversation, *, first: RunId | None = None) -> tuple[Past, ...]:
        """Newest first, back to where the conversation was begun anew; but `first` before all others."""
        runs = await self.runs.list(MEMORY, conversation_id=conversation.id)
        known = [run for run in runs if conversation.begun_after is None or run.id > conversation.begun_after]
        if first is not None:
            lead = await self.runs.get(first)
            known = [lead, *(run for run in known if run.id != first)]
        made = await self._made(known)
        return tuple(Past(run, made.get(run.id, ())) for run in known)

    async def last_request(self, conversation: Conversation, sender: str) -> Run | None:
        """The newest of that person, also from before the conversation was begun anew."""
        runs = await self.runs.list(MEMORY, conversation_id=conversation.id)
        return next((run for run in runs if run.sender == sender), None)

    async def _made(self, runs: list[Run]) -> dict[RunId, tuple[InputRef, ...]]:
        """What the person got of each run; a file that was made anew counts once, as it was at last."""
        found: dict[RunId, dict[str, InputRef]] = {}
        for event in await self.events.of_kind([run.id for run in runs], "ArtifactSaved"):
            if (item := _deliverable(event)) is not None:
                files = found.setdefault(event.run_id, {})
                files.pop(item.original, None)
                files[item.original] = item
        return {run_id: tuple(files.values()) for run_id, files in found.items()}


def _deliverable(event: EventRecord) -> InputRef | None:
    match event.payload:
        case {"name": str(name), "artifact_id": str(key), "size": int(size), "deliverable": True}:
            return InputRef(name=name, original=name, artifact_id=ArtifactId(key), size=size, made=True)
        case _:
            return None
