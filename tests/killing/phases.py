"""The phases of a message's way through the bot, and the call at which each begins and ends."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from bot.chat import MessageKind


class Phase(IntEnum):
    RECEIVED = 0
    INBOX = 1
    ACKNOWLEDGED = 2
    QUEUED = 3
    CLAIMED = 4
    PLANNED = 5
    CODE_STORED = 6
    CONTAINER_CREATED = 7
    SCRIPT_STARTED = 8
    SCRIPT_EXITED = 9
    ARTIFACTS_COPIED = 10
    CHECKPOINTED = 11
    OUTBOX = 12
    ANSWER_SENT = 13
    FILES_SENT = 14
    CLOSED = 15
    CLEANED = 16
    CHECKED = 17
    RERUN = 18
    RENDERED = 19
    RECORDED = 20


@dataclass(frozen=True, slots=True)
class Point:
    """A coroutine method of the product: `module:Class.method`, and which of its calls is meant."""

    where: str
    meant: Callable[..., bool] = lambda *_, **__: True


def _shows(kind: MessageKind) -> Callable[..., bool]:
    def meant(_adapter: object, _place: object, message: Any, **_: object) -> bool:
        return message.kind is kind

    return meant


def _keeps(kind: str) -> Callable[..., bool]:
    def meant(_store: object, _chunks: object, **facts: Any) -> bool:
        return facts["kind"] == kind

    return meant


def _of(script: str) -> Callable[..., bool]:
    def meant(_session: object, *arguments: object, **named: object) -> bool:
        return script in (*arguments, *named.values())

    return meant


_of_the_todo = _of("sum.py")
"""Not the scripts that prove the policy and profile the files."""


POINTS = {
    Phase.RECEIVED: Point("bot.intake.intake:Intake.receive"),
    Phase.INBOX: Point("storage.inbox:Inbox.put"),
    Phase.ACKNOWLEDGED: Point("bot.telegram.adapter:Telegram.post", _shows(MessageKind.PROGRESS)),
    Phase.QUEUED: Point("storage.runs:Runs.create"),
    Phase.CLAIMED: Point("storage.runs:Runs.claim"),
    Phase.PLANNED: Point("agent.orchestrator:Orchestrator._think"),
    Phase.CODE_STORED: Point("sandbox.container:DockerSession.write", _of_the_todo),
    Phase.CONTAINER_CREATED: Point("sandbox.engine:Engine.create"),
    Phase.SCRIPT_STARTED: Point("sandbox.container:DockerSession._ask_to_run", _of_the_todo),
    Phase.SCRIPT_EXITED: Point("sandbox.container:DockerSession.run", _of_the_todo),
    Phase.ARTIFACTS_COPIED: Point("storage.objects:ObjectArtifacts.put", _keeps("output")),
    Phase.CHECKPOINTED: Point("storage.checkpoints:Checkpointer.aput"),
    Phase.OUTBOX: Point("storage.outbox:Outbox.plan"),
    Phase.ANSWER_SENT: Point("bot.telegram.adapter:Telegram.edit", _shows(MessageKind.ANSWER)),
    Phase.FILES_SENT: Point("bot.telegram.adapter:Telegram.attach"),
    Phase.CLOSED: Point("storage.runs:Runs.delivered"),
    Phase.CLEANED: Point("storage.checkpoints:Checkpointer.forget"),
    Phase.CHECKED: Point("sandbox.container:DockerSession.run", _of("check_results.py")),
    Phase.RERUN: Point("agent.acceptance:Acceptance._rerun"),
    Phase.RENDERED: Point("sandbox.container:DockerSession.run", _of("render_files.py")),
    Phase.RECORDED: Point("storage.objects:ObjectArtifacts.put", _keeps("record")),
}
"""Those from CHECKED on are extra: each has one case, at the moment that leaves most behind."""
