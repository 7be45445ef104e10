"""Asking: a run's one question to its person, answered by a button, by words, or by the clock."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import structlog

from bot import disarm
from bot.buttons import Action, Buttons
from bot.chat import Button, ChatAdapter, ChatRef, Incoming, Message, MessageKind, MessageRef
from bot.errors import ChatBusy, ChatError, ChatUnreachable
from bot.render import shown
from bot.texts import Language, Texts, texts
from storage.conversations import Conversations
from storage.mail import Question
from storage.questions import Questions
from storage.records import Run, RunId, utc_now
from storage.runs import Runs

TRIES = 5
"""Of posting the question, while the platform cannot be reached."""
PAUSE = 3.0
"""Seconds between them."""
WITHDRAWN_WITHIN = 5.0
"""Seconds."""
_BUTTON = 60
"""Characters."""

_log = structlog.stdlib.get_logger(__name__)


@dataclass(slots=True, kw_only=True)
class Asking:
    questions: Questions
    runs: Runs
    conversations: Conversations
    adapters: Mapping[str, ChatAdapter]
    buttons: Buttons
    hold: Callable[[RunId], AbstractContextManager[None]]
    """What a run does while it waits; see `Dispatcher.asking`."""
    minutes: float
    """How long a run waits for its answer, from the moment of asking, be the program restarted or not."""
    stopping: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the process is about to end, and what is asked stays asked."""
    clock: Callable[[], datetime] = utc_now
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    _answered: dict[RunId, asyncio.Event] = field(default_factory=dict[RunId, asyncio.Event])

    async def ask(self, run_id: RunId, text: str, options: tuple[str, ...], assumption: str) -> str | None:
        """What the person answered; None when nobody did, and the run goes on with its assumption.

        It can be repeated after a crash: a run asks once.

        Raises:
            NoSuchRun: nothing has that id.
            StorageError: the question could not be kept.
        """
        run = await self.runs.get(run_id)
        # Before we look whether there is an answer: one that comes right then must find whom to wake.
        answered = self._answered[run_id] = asyncio.Event()
        try:
            question = await self.questions.ask(run_id, text, options, assumption)
            if question.answer is not None:
                return None if question.answer == question.assumption else question.answer
            with self.hold(run_id):
                if question.message_id is None:
                    await self._post(run, question)
                left = question.asked_at + timedelta(minutes=self.minutes) - self.clock()
                try:
                    async with asyncio.timeout(max(0.0, left.total_seconds())):
                        await answered.wait()
                except TimeoutError:
                    return await self._assume(run, question)
                except asyncio.CancelledError:
                    if not self.stopping.is_set():  # else the next start goes on waiting
                        await self._withdraw(run)
                    raise
        finally:
            if self._answered.get(run_id) is answered:  # not of one who asks anew already
                del self._answered[run_id]
        return await self._answer_of(run_id)

    async def answer(self, run_id: RunId, text: str) -> bool:
        """True when this is the answer; False when the question is over, or was never asked."""
        if not await self.questions.answer(run_id, text):
            return False
        if (answered := self._answered.get(run_id)) is not None:
            answered.set()
        run = await self.runs.get(run_id)
        await self._close(run, _texts(run)("question-answered", answer=shown(text, 200)))
        return True

    async def option(self, run_id: RunId, choice: str) -> str | None:
        """The words of a button; None when there is no such option, or the question is over."""
        question = await self.questions.of(run_id)
        if question is None or question.answer is not None or not choice.isdecimal():
            return None
        return question.options[int(choice)] if int(choice) < len(question.options) else None

    async def asked(self, incoming: Incoming, *, repeated: bool = False) -> RunId | None:
        """The run whose open question these words of a person answer, if there is one.

        `repeated`: the words were read before a crash, and may have been taken already.
        """
        text = incoming.text.strip()
        if incoming.attachments or not text:
            return None
        chat = incoming.chat
        for question in await self.questions.unfinished(chat.platform, chat.key, incoming.sender.id):
            if question.answer is None or (repeated and question.answer == text):
                return question.run_id
        return None

    async def _post(self, run: Run, question: Question) -> None:
        """A question that cannot be posted is one that nobody answers."""
        chat, t = await self._chat(run), _texts(run)
        message = Message(
            kind=MessageKind.QUESTION,
            text=t("question", text=disarm.plain(question.text), minutes=max(1, round(self.minutes))),
            run_id=run.id,
            buttons=self._rows(chat, question),
        )
        to = None if run.request_message is None else MessageRef(chat, run.request_message)
        for last in (False,) * (TRIES - 1) + (True,):
            try:
                ref = await self.adapters[chat.platform].post(chat, message, reply_to=to)
            except (ChatBusy, ChatUnreachable) as fault:
                if last:
                    _log.warning("question_not_posted", run_id=run.id, reason=repr(fault))
                    return
                await self.sleep(max(PAUSE, fault.seconds) if isinstance(fault, ChatBusy) else PAUSE)
            except ChatError as fault:
                _log.warning("question_not_posted", run_id=run.id, reason=repr(fault))
                return
            else:
                await self.questions.posted(run.id, ref.message)
                return

    def _rows(self, chat: ChatRef, question: Question) -> tuple[tuple[Button, ...], ...]:
        return tuple(
            (self.buttons.button(chat, shown(option, _BUTTON), Action.ANSWER, question.run_id, str(number)),)
            for number, option in enumerate(question.options)
        )

    async def _assume(self, run: Run, question: Question) -> str | None:
        if not await self.questions.answer(run.id, question.assumption):
            return await self._answer_of(run.id)  # the person was faster
        assumption = disarm.plain(question.assumption)
        await self._close(run, _texts(run)("question-assumed", assumption=assumption))
        return None

    async def _answer_of(self, run_id: RunId) -> str | None:
        question = await self.questions.of(run_id)
        return None if question is None else question.answer

    async def _withdraw(self, run: Run) -> None:
        """Nobody waits for an answer any more; who stopped the run does not wait for this."""
        with suppress(TimeoutError):
            async with asyncio.timeout(WITHDRAWN_WITHIN):
                await self._close(run, _texts(run)("settled-cancelled"))

    async def _close(self, run: Run, outcome: str) -> None:
        """The question as it stands at last, without buttons."""
        question = await self.questions.of(run.id)
        if question is None or question.message_id is None:
            return
        chat = await self._chat(run)
        text = f"{disarm.plain(question.text)}\n\n{outcome}"
        message = Message(kind=MessageKind.QUESTION, text=text, run_id=run.id)
        try:
            await self.adapters[chat.platform].edit(MessageRef(chat, question.message_id), message)
        except ChatError as fault:
            _log.warning("question_not_closed", run_id=run.id, reason=repr(fault))

    async def _chat(self, run: Run) -> ChatRef:
        conversation = await self.conversations.get(run.conversation_id)
        return ChatRef.of(conversation.platform, conversation.key)


def _texts(run: Run) -> Texts:
    return texts(Language(run.language))
