"""Places: those who wait in line read how many come before them, in the message that will show their run."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from bot.buttons import Action, Buttons
from bot.chat import ChatAdapter, Message, MessageKind, MessageRef
from bot.dispatch import Dispatcher, JobState
from bot.errors import ChatError
from bot.tasks import Tasks
from bot.texts import Language, Texts, texts
from storage.records import Run, RunId

FEW = 3
"""From here on each step forward is told; further back only when the line has become half as long.

Everybody's line moves when any run ends, and platforms count edits.
"""


@dataclass(slots=True)
class _Watched:
    ref: MessageRef
    t: Texts
    note: str
    shown: int | None = None


class Places:
    """Nothing here matters to a run: an edit that fails is not repeated, the next one tells more."""

    def __init__(
        self, dispatcher: Dispatcher, adapters: Mapping[str, ChatAdapter], buttons: Buttons, tasks: Tasks
    ) -> None:
        self._dispatcher = dispatcher
        self._adapters = adapters
        self._buttons = buttons
        self._tasks = tasks
        self._watched: dict[RunId, _Watched] = {}
        self._changed = asyncio.Event()
        self._teller: asyncio.Task[None] | None = None
        dispatcher.watch(self._tell_soon)

    def watch(self, run: Run, ref: MessageRef, note: str = "") -> None:
        """Show in `ref` where a run stands that waits, below the `note`."""
        known = self._watched.get(run.id)
        if known is None or (known.ref, known.note) != (ref, note):  # else there is nothing new to read
            self._watched[run.id] = _Watched(ref, texts(Language(run.language)), note)
        self._tell_soon()

    def _tell_soon(self) -> None:
        self._changed.set()
        if self._watched and not self._tasks.closed and (self._teller is None or self._teller.done()):
            self._teller = self._tasks.spawn(self._tell(), "places")

    async def _tell(self) -> None:
        while self._watched and self._changed.is_set():
            self._changed.clear()
            ahead = {
                standing.run.id: standing.ahead
                for standing in self._dispatcher.standings()
                if standing.state is JobState.QUEUED and not standing.cancelled
            }
            for run_id, watched in tuple(self._watched.items()):
                if run_id not in ahead:
                    del self._watched[run_id]
                elif worth_telling(watched.shown, ahead[run_id]):
                    await self._edit(run_id, watched)

    async def _edit(self, run_id: RunId, watched: _Watched) -> None:
        standing = self._dispatcher.standing(run_id)
        if standing is None or standing.state is not JobState.QUEUED:
            return  # the run shows itself there by now
        watched.shown = standing.ahead
        cancel = self._buttons.button(watched.ref.chat, watched.t("button-cancel"), Action.CANCEL, run_id)
        message = Message(
            kind=MessageKind.PROGRESS,
            text=f"{watched.note}\n{watched.t('queued', ahead=standing.ahead)}".strip(),
            run_id=run_id,
            buttons=((cancel,),),
        )
        try:
            await self._adapters[watched.ref.chat.platform].edit(watched.ref, message)
        except ChatError:
            watched.shown = None


def worth_telling(shown: int | None, ahead: int) -> bool:
    """Whether a person who read `shown` should read `ahead`."""
    return shown is None or (ahead != shown and (ahead <= FEW or ahead <= shown // 2))
