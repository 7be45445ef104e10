"""One run's turn: the agent's events become progress, and its outcome an answer with files."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from typing import Protocol

import structlog

from agent.events import FailureReason, RunEvent, RunFailed, RunFinished
from bot.chat import ChatAdapter, ChatRef
from bot.delivery import Delivery
from bot.errors import ChatGone
from bot.progress import Progress
from bot.snapshot import Outcome, Snapshot
from bot.telemetry import bind, note_fault
from bot.texts import Language, texts
from storage.conversations import Conversations
from storage.errors import StorageError
from storage.records import Run, RunId
from storage.runs import Runs

_log = structlog.stdlib.get_logger(__name__)


class Agent(Protocol):
    """What `agent.runner.Runner` is to us."""

    def run(self, run_id: RunId) -> AsyncGenerator[RunEvent]:
        """Ends with `RunFinished` or `RunFailed`, or yields nothing when another process has the run.

        Cancelling the task that reads it cancels the run, and what it made is recorded before that returns.
        """
        ...


class ChatWorker:
    """Works for the chat that a run came from."""

    def __init__(
        self,
        *,
        agent: Agent,
        conversations: Conversations,
        runs: Runs,
        delivery: Delivery,
        adapters: Mapping[str, ChatAdapter],
        stopping: asyncio.Event,
    ) -> None:
        """`stopping` is set when the process is about to end and runs are to be left for the next one."""
        self._agent = agent
        self._conversations = conversations
        self._runs = runs
        self._delivery = delivery
        self._adapters = adapters
        self._stopping = stopping
        self._progress: dict[RunId, Progress] = {}

    def snapshot(self, run_id: RunId) -> Snapshot | None:
        """What a run that is at work looks like now."""
        progress = self._progress.get(run_id)
        return None if progress is None else progress.snapshot

    async def work(self, run: Run) -> Outcome | None:
        bind(run_id=run.id)
        chat, adapter = await self._chat(run)
        progress = Progress(adapter, chat, texts(Language(run.language)), run_id=run.id)
        self._progress[run.id] = progress
        try:
            async with progress, aclosing(self._agent.run(run.id)) as events:
                try:
                    async for event in events:
                        progress.update(event)
                except asyncio.CancelledError:
                    if await self._goes_on(run.id):
                        progress.pause()
                    else:
                        progress.update(RunFailed(run_id=run.id, reason=FailureReason.CANCELLED))
                    raise
                except Exception:
                    progress.update(RunFailed(run_id=run.id, reason=FailureReason.INTERNAL))
                    raise
        finally:
            del self._progress[run.id]
        return progress.snapshot.outcome

    async def _goes_on(self, run_id: RunId) -> bool:
        """Whether the next start will take the run up: not one that was cancelled before we had to stop."""
        if not self._stopping.is_set():
            return False
        try:
            return not (await self._runs.get(run_id)).status.is_final
        except StorageError:
            return True

    async def deliver(self, run: Run, outcome: Outcome) -> None:
        """What could not be delivered is tried again at the next start, except where nobody is left to tell.

        A crash between the last file and the note of it repeats the answer rather than lose it.
        """
        try:
            chat, adapter = await self._chat(run)
            try:
                await self._delivery.deliver(run, outcome, adapter, chat)
            except ChatGone as gone:
                _log.warning("nobody_to_tell", run_id=run.id, reason=str(gone))
            await self._runs.delivered(run.id)
        except Exception as fault:
            note_fault(fault, run_id=run.id, finished=isinstance(outcome, RunFinished))

    async def serves(self, run: Run) -> bool:
        return (await self._conversations.get(run.conversation_id)).platform in self._adapters

    async def _chat(self, run: Run) -> tuple[ChatRef, ChatAdapter]:
        conversation = await self._conversations.get(run.conversation_id)
        return ChatRef.of(conversation.platform, conversation.key), self._adapters[conversation.platform]
