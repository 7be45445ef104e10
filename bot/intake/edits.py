"""Edits: a person has put a message of theirs in other words."""

from collections.abc import Callable, Mapping
from dataclasses import replace

import structlog

from bot.chat import ChatAdapter, Incoming, Message, MessageRef
from bot.dispatch import Dispatcher
from bot.errors import ChatError
from bot.gateway import MAX_REQUEST
from bot.intake.assembly import Draft, Part
from bot.intake.flood import Seldom
from bot.intake.places import Places
from bot.intake.wire import from_entry, said_key
from bot.texts import Language, texts
from storage.inbox import Inbox
from storage.records import RunId, RunStatus
from storage.runs import Runs

NOTICE_EVERY = 86_400.0
"""Seconds between two notices about edits of one message."""

_log = structlog.stdlib.get_logger(__name__)


class Edits:
    """Of messages that have become a run. Edits of anything else are none of our business."""

    def __init__(
        self,
        *,
        inbox: Inbox,
        runs: Runs,
        dispatcher: Dispatcher,
        places: Places,
        adapters: Mapping[str, ChatAdapter],
        clock: Callable[[], float],
    ) -> None:
        self._inbox = inbox
        self._runs = runs
        self._dispatcher = dispatcher
        self._places = places
        self._adapters = adapters
        self._told = Seldom(clock, NOTICE_EVERY)

    async def apply(self, edit: Incoming) -> RunId | None:
        """The run that is asked in these words now; None when nothing has changed."""
        if edit.message is None or edit.text.lstrip().startswith("/"):
            return None
        message = edit.message.message
        run_id = await self._inbox.run_of(edit.chat.platform, said_key(edit.message))
        if run_id is None:
            return None
        run = await self._runs.get(run_id)
        request = await self._reworded(run_id, message, edit.text)
        if not request or len(request) > MAX_REQUEST or request == run.request:
            return None
        t = texts(Language(run.language))
        if run.status is RunStatus.QUEUED and await self._runs.reword(run_id, request):
            changed = replace(run, request=request)
            self._dispatcher.refresh(changed)
            if run.progress_message is not None:
                self._places.watch(changed, MessageRef(edit.chat, run.progress_message), t("edit-taken"))
            return run_id
        if self._told.passes((edit.chat, message)):
            await self._post(edit, t("edit-over" if run.status.is_final else "edit-too-late"))
        return None

    async def _reworded(self, run_id: RunId, message: str, text: str) -> str:
        """The request of all messages that became the run; empty when this is none of them."""
        draft = Draft()
        for entry in await self._inbox.of_run(run_id):
            said = from_entry(entry)
            if isinstance(said, Incoming) and not said.edited:
                draft = draft.add(Part(id=entry.id, said=said, at=0.0))
            elif isinstance(said, Incoming) and said.message is not None:
                draft = draft.reworded(said.message.message, said.text) or draft
        changed = draft.reworded(message, text)
        return "" if changed is None else changed.request().text

    async def _post(self, edit: Incoming, text: str) -> None:
        try:
            await self._adapters[edit.chat.platform].post(
                edit.chat, Message(text=text), reply_to=edit.message
            )
        except ChatError as fault:
            _log.info("edit_not_answered", reason=repr(fault))
