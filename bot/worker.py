"""One run's turn: the agent's events become progress, and its outcome an answer with files."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from itertools import count
from typing import Protocol

from agent.events import FailureReason, RunEvent, RunFailed, RunFinished
from bot.chat import ChatAdapter, ChatRef
from bot.delivery.delivery import Delivery
from bot.delivery.messages import RunButton
from bot.delivery.parts import FileRef
from bot.delivery.retries import backoff
from bot.holds import Holds
from bot.progress import Progress
from bot.snapshot import Outcome, Snapshot
from bot.telemetry import bind, note_fault
from bot.timing import Timing
from storage.conversations import Conversations
from storage.errors import StorageError, StorageUnavailable
from storage.records import Conversation, Run, RunId, utc_now
from storage.runs import Runs


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
        holds: Holds | None = None,
        cancel: RunButton | None = None,
        timing: Timing | None = None,
    ) -> None:
        """`stopping` is set when the process is about to end and runs are to be left for the next one.

        `cancel` makes the button that stops a run.
        """
        self._agent = agent
        self._conversations = conversations
        self._runs = runs
        self._delivery = delivery
        self._adapters = adapters
        self._stopping = stopping
        self._holds = holds or Holds()
        self._cancel = cancel
        self._lasting = all(adapter.lasting for adapter in adapters.values())
        self._timing = timing or Timing()
        self._progress: dict[RunId, Progress] = {}
        self._sending: set[asyncio.Task[None]] = set()

    def snapshot(self, run_id: RunId) -> Snapshot | None:
        """What a run that is at work looks like now."""
        progress = self._progress.get(run_id)
        return None if progress is None else progress.snapshot

    async def work(self, run: Run) -> Outcome | None:
        bind(run_id=run.id)
        run = await self._runs.get(run.id)
        chat, adapter, _ = await self._chat(run)
        progress = Progress(
            adapter,
            chat,
            run,
            notes=self._runs,
            holds=self._holds,
            cancel=None if self._cancel is None else self._cancel(run, chat),
            timing=self._timing,
            elapsed=0.0 if run.started_at is None else (utc_now() - run.started_at).total_seconds(),
        )
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
        """Until nothing is left to send, which can take a day; what is not sent is for the next start.

        An answer waits for a store that does not serve, such as a full disk, to do so again. Why there is
        none was then told without it, and is not told once more.
        """
        finished = isinstance(outcome, RunFinished)
        for tries in count(1):
            try:
                await self._tell(run, outcome)
            except Exception as fault:
                note_fault(fault, run_id=run.id, finished=finished)
                if not (finished and self._lasting and isinstance(fault, StorageUnavailable)):
                    return
            else:
                return
            await self._timing.sleep(backoff(tries))

    async def _tell(self, run: Run, outcome: Outcome) -> None:
        run = await self._runs.get(run.id)
        chat, adapter, conversation = await self._chat(run)
        await self._delivery.deliver(run, outcome, adapter, chat, conversation.preferences)
        await self._runs.delivered(run.id)

    async def resend(self, run: Run, outcome: Outcome, *, everything: bool = False) -> int:
        """Begin to send what has not arrived, or all files again. How many parts that takes.

        Raises:
            StorageError: they could not be kept.
        """
        chat, adapter, conversation = await self._chat(run)
        count = await self._delivery.queue_again(
            run, outcome, adapter, conversation.preferences, everything=everything
        )
        self._begin(run, adapter, chat)
        return count

    async def hand_over(self, run: Run, file: FileRef) -> None:
        """Begin to send one more file of a run whose outcome was delivered.

        Raises:
            StorageError: it could not be kept.
        """
        chat, adapter, _ = await self._chat(run)
        await self._delivery.queue_file(run, file)
        self._begin(run, adapter, chat)

    @property
    def is_resending(self) -> bool:
        return bool(self._sending)

    async def recover(self) -> None:
        """Begin to send what a dead process was sending again; what was never told is the dispatcher's."""
        for run_id in await self._delivery.unfinished():
            run = await self._runs.get(run_id)
            if run.delivered_at is not None and await self.serves(run):
                chat, adapter, _ = await self._chat(run)
                self._begin(run, adapter, chat)

    async def close(self) -> None:
        """Stop sending again; the next start goes on with it."""
        tasks = tuple(self._sending)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _begin(self, run: Run, adapter: ChatAdapter, chat: ChatRef) -> None:
        task = asyncio.create_task(self._send(run, adapter, chat), name=f"send {run.id}")
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)

    async def _send(self, run: Run, adapter: ChatAdapter, chat: ChatRef) -> None:
        try:
            await self._delivery.send(run, adapter, chat)
        except Exception as fault:
            note_fault(fault, run_id=run.id)

    async def serves(self, run: Run) -> bool:
        return (await self._conversations.get(run.conversation_id)).platform in self._adapters

    async def _chat(self, run: Run) -> tuple[ChatRef, ChatAdapter, Conversation]:
        conversation = await self._conversations.get(run.conversation_id)
        chat = ChatRef.of(conversation.platform, conversation.key)
        return chat, self._adapters[conversation.platform], conversation
