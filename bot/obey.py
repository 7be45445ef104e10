"""What each command is answered with."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from agent.plan import Plan
from bot import render
from bot.chat import Button, Incoming, MessageKind
from bot.commands import Command
from bot.delivery import Delivery
from bot.dispatch import Dispatcher, JobState, Standing
from bot.fetching import shown
from bot.history import History
from bot.inputs import newest_files
from bot.texts import Texts
from bot.worker import ChatWorker
from storage.conversations import Conversations
from storage.events import Events
from storage.records import Conversation, utc_now
from storage.runs import Runs


@dataclass(frozen=True, slots=True)
class Reply:
    text: str
    buttons: Sequence[Sequence[Button]] = ()
    kind: MessageKind = MessageKind.NOTICE


class Obeys(Protocol):
    async def obey(self, command: Command, incoming: Incoming, t: Texts) -> Reply:
        """At once, whatever runs: nothing here waits for a run.

        Raises:
            Refused: with the sentence that is the answer then.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Commands:
    conversations: Conversations
    runs: Runs
    events: Events
    history: History
    dispatcher: Dispatcher
    worker: ChatWorker
    delivery: Delivery

    async def obey(self, command: Command, incoming: Incoming, t: Texts) -> Reply:
        return Reply(await self._obey(command, incoming, t))

    async def _obey(self, command: Command, incoming: Incoming, t: Texts) -> str:
        conversation = await self.conversations.get_or_create(incoming.chat.platform, incoming.chat.key)
        mine = self.dispatcher.standings(conversation.id)
        match command:
            case Command.STATUS:
                return "\n".join(self._status(standing, t) for standing in mine) or t("status-idle")
            case Command.PLAN:
                return render.whole_plan(await self._plan(conversation), t)
            case Command.CANCEL:
                stopped = [self.dispatcher.cancel(standing.run.id) for standing in mine]
                return t("cancelling" if any(stopped) else "status-idle")
            case Command.FILES:
                return await self._list_files(conversation, t)
            case Command.NEW:
                newest = await self.runs.list(1, conversation_id=conversation.id)
                await self.conversations.begin_anew(conversation.id, newest[0].id if newest else None)
                return t("begun-anew")
            case Command.HELP:
                return t("help")
            case Command.UNKNOWN:
                return f"{t('command-unknown')}\n\n{t('help')}"

    def _status(self, standing: Standing, t: Texts) -> str:
        request = render.clip(standing.run.request, 60)
        if standing.state is JobState.QUEUED:
            return t("status-queued", request=request, ahead=standing.ahead)
        snapshot = self.worker.snapshot(standing.run.id)
        began = standing.run.started_at or standing.run.created_at
        return t(
            "status-working",
            request=request,
            elapsed=render.duration((utc_now() - began).total_seconds()),
            done=snapshot.done if snapshot else 0,
            total=len(snapshot.plan.todos) if snapshot else 0,
            tokens=snapshot.tokens if snapshot else 0,
        )

    async def _plan(self, conversation: Conversation) -> Plan:
        """Of the newest run that has one."""
        for past in await self.history.of(conversation):
            for event in reversed(await self.events.of(past.run.id)):
                if event.kind == "PlanChanged":
                    return Plan.model_validate(event.payload["plan"])
        return Plan()

    async def _list_files(self, conversation: Conversation, t: Texts) -> str:
        history = await self.history.of(conversation)
        sent = [f"{shown(item.original)} — {render.file_size(item.size)}" for item in newest_files(history)]
        made = [
            f"{file.name} — {render.file_size(file.size)}"
            for past in reversed(history)
            for file in (await self.delivery.files(past.run))[0]
        ]
        blocks = [
            t(key) + "\n" + "\n".join(lines)
            for key, lines in (("files-sent", sent), ("files-made", made))
            if lines
        ]
        return "\n\n".join(blocks) or t("files-none")
