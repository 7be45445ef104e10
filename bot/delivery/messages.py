"""The parts of a delivery as the messages that a chat gets. Pure."""

from collections.abc import Callable
from dataclasses import dataclass

from bot import disarm, render
from bot.chat import Button, ChatRef, Message, MessageKind
from bot.delivery import parts, tables
from bot.delivery.parts import PartKind
from bot.texts import Language, Texts, texts
from storage.mail import OutboxEntry
from storage.records import Run

RunButton = Callable[[Run, ChatRef], Button]
"""Makes the button that does something to a run in its chat."""

_HINTED = ("file-refused", "files-refused")
"""Notes about what another try may bring."""


@dataclass(frozen=True, slots=True)
class Messages:
    """Of one run. Plain words of ours and, made harmless, the model's."""

    run: Run
    lasting: bool
    """As `ChatAdapter.lasting` says."""
    model_host: str = ""
    retry: Button | None = None

    @property
    def t(self) -> Texts:
        return texts(Language(self.run.language))

    def of(self, entry: OutboxEntry, *, plainly: bool = False) -> Message:
        """`plainly`: an answer as its bare text, for a chat that does not take it otherwise.

        Raises:
            ValueError: the part is a parcel, which is no message.
        """
        run_id = self.run.id
        match PartKind(entry.kind):
            case PartKind.SETTLE:
                return Message(kind=MessageKind.SETTLED, text=parts.text_of(entry), run_id=run_id)
            case PartKind.HEADLINE:
                return Message(kind=MessageKind.HEADLINE, text=self.t("headline"), run_id=run_id)
            case PartKind.ANSWER:
                text = self.answer(parts.workbook_of(entry), parts.verified_of(entry))
                page = parts.page_of(entry)
                if plainly:
                    text = disarm.plain(text, self.run.request)
                    return Message(kind=MessageKind.NOTICE, text=text, page=page, run_id=run_id)
                return self.page(text, page, rich=parts.is_rich(entry))
            case PartKind.FAILURE:
                outcome, files = parts.failure_of(entry)
                return render.failure(
                    outcome, self.t, files=files, model_host=self.model_host, retry=self.retry
                )
            case PartKind.NOTE:
                return Message(text=self._note(entry), run_id=run_id)
            case PartKind.PARCEL:
                detail = "a parcel is no message"
                raise ValueError(detail)

    def page(self, text: str, page: int, *, rich: bool) -> Message:
        return Message(kind=MessageKind.ANSWER, text=text, page=page, rich=rich, run_id=self.run.id)

    def answer(self, workbook: str = "", verified: str = "") -> str:
        """Markdown. With a `workbook`, wide tables have gone there, and to pictures.

        `verified` are lines of ours.
        """
        return "\n\n".join(filter(None, (self._text(workbook), verified)))

    def _text(self, workbook: str) -> str:
        text = disarm.markdown(self.run.answer or "", self.run.request).strip()
        if not text:
            return self.t("answer-empty")
        if not workbook:
            return text
        lines = [
            self.t("table-outside", number=number, name=workbook)
            for number, _ in enumerate(tables.wide(text), 1)
        ]
        return tables.without_wide(text, lines)

    def _note(self, entry: OutboxEntry) -> str:
        key, facts = parts.note_of(entry)
        reason = facts.get("reason", "")
        facts = {name: disarm.file_name(value) for name, value in facts.items()}
        if self.t.has(reason):
            facts["reason"] = self.t(reason)
        hint = f" {self.t('resend-hint')}" if self.lasting and key in _HINTED else ""
        return self.t(key, **facts) + hint
