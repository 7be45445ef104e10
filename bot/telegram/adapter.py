"""Telegram behind the contract of `bot.chat.ChatAdapter`."""

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import structlog
from aiogram import Bot, types
from aiogram.exceptions import TelegramAPIError
from aiogram.methods import (
    AnswerCallbackQuery,
    DeleteWebhook,
    GetMe,
    LeaveChat,
    SetMessageReaction,
    TelegramMethod,
)
from aiogram.methods.base import TelegramType
from aiohttp import web

from bot.chat import Attachment, ChatRef, Delivered, Message, MessageRef, Moved, OnEvent, Pace, Press
from bot.errors import ChatError, ChatGone, ChatRefused, FileRefused, MessageGone, SettingsError
from bot.holds import Holds
from bot.telegram.calls import Calls, ask
from bot.telegram.downloads import fetch
from bot.telegram.faults import EntitiesRefused, MethodUnknown, Migrated, PictureRefused, TooLarge, Unchanged
from bot.telegram.forms import Form, Place, chat_id, editing, page_of, posting, rich_of
from bot.telegram.markup import Page, pages_of
from bot.telegram.menu import Menu, register
from bot.telegram.parcels import LARGEST, LARGEST_LOCAL, is_photo, packed
from bot.telegram.receiving import Hear, Rivals, Sleep, dispatcher, insist, look, poll
from bot.telegram.session import PATIENCE, open_bot
from bot.telegram.translate import PLATFORM, event_of
from bot.telegram.uploads import opened, time_needed, uploading
from bot.telegram.webhook import Webhook

PRIVATE = Pace(gap=2.5, heartbeat=17.0)
GROUP = Pace(gap=5.5, heartbeat=17.0)
"""Telegram allows 20 messages and edits a minute in one group."""
LONGEST_TOAST = 200
SHORT = 10.0
"""Seconds for what nobody misses."""
EYES = "👀"

_T = TypeVar("_T")
_log = structlog.stdlib.get_logger(__name__)


class Telegram:
    """One bot."""

    platform = PLATFORM
    lasting = True

    def __init__(
        self,
        bot: Bot,
        *,
        webhook: Webhook | None = None,
        shared: Path | None = None,
        patience: float = PATIENCE,
        sleep: Sleep = asyncio.sleep,
        holds: Holds | None = None,
    ) -> None:
        """`shared`: the folder of a Bot API server of one's own that runs with --local.

        `patience`: seconds for one call, beyond those that the bytes of files take.
        """
        self._bot = bot
        self._webhook = webhook
        self._shared = shared
        self._patience = patience
        self._sleep = sleep
        self._calls = Calls(bot, holds or Holds())
        self._rivals = Rivals()
        self._largest = LARGEST if shared is None else LARGEST_LOCAL
        self._moves: dict[str, str] = {}
        """Groups that turned out to be supergroups by now: their old ids and their new ones."""
        self._untold: list[Moved] = []
        self._rich_works = True
        self._answered: float | None = None

    def pace(self, chat: ChatRef) -> Pace:
        return GROUP if chat.chat.startswith("-") else PRIVATE

    @property
    def silence(self) -> float | None:
        """Seconds since Telegram last answered a request for updates; None while it never has.

        With a webhook: since it last told us who we are, which it is asked all along. Other calls do not
        count: they may work while nothing is received.
        """
        return None if self._answered is None else time.monotonic() - self._answered

    @property
    def has_rival(self) -> bool:
        """Whether another process asks for the updates of our token."""
        return self._rivals.are_there

    def routes(self) -> list[web.RouteDef]:
        """What our HTTP server has to lead here; nothing while we poll."""
        return self._webhook.routes() if self._webhook else []

    async def register(self, menu: Menu, admins: Sequence[str]) -> None:
        """Raises: ChatError: people may see an older menu."""
        await register(self._bot, menu, admins)

    async def serve(self, on_event: OnEvent) -> None:
        """Raises: SettingsError: Telegram does not know the token, or does not take the webhook's address."""
        me = await self._settled("start", GetMe(), "settings-telegram-token")
        _log.info("telegram_is_here", username=me.username)
        heard = dispatcher(self.hearing(on_event, me))

        async def hear(update: types.Update) -> None:
            await heard.feed_update(self._bot, update)

        if self._webhook is None:
            await self._settled("webhook", DeleteWebhook(), "settings-telegram-token")
            await poll(self._bot, hear, self._note_answer, self._rivals, sleep=self._sleep)
        else:
            await self._settled("webhook", self._webhook.listen(hear), "settings-telegram-webhook")
            await look(self._bot, self._note_answer, sleep=self._sleep)

    def _note_answer(self) -> None:
        self._answered = time.monotonic()

    def hearing(self, on_event: OnEvent, me: types.User) -> Hear:
        async def hear(update: types.Update) -> None:
            while self._untold:
                await on_event(self._untold[0])
                self._untold.pop(0)
            try:
                event = event_of(update, me)
            except Exception:  # it would fail the same way for ever, and hold up all others
                _log.exception("telegram_update_not_understood", update=update.update_id)
                return
            if event is not None:
                await on_event(event)

        return hear

    async def post(
        self, chat: ChatRef, message: Message, *, reply_to: MessageRef | None = None
    ) -> MessageRef:
        async def send(form: Form) -> MessageRef:
            def call(there: ChatRef) -> TelegramMethod[types.Message]:
                return posting(form, message, Place.of(there, reply_to))

            sent = await self._at(chat, call)
            return MessageRef(replace(chat, chat=str(sent.chat.id)), str(sent.message_id))

        return await self._in_some_form(message, send)

    async def edit(self, ref: MessageRef, message: Message) -> None:
        async def send(form: Form) -> None:
            await self._calls.ask(ref.chat, editing(form, message, ref))

        detail = "it stayed behind in the group that became a supergroup"
        if ref.chat.chat in self._moves:
            raise MessageGone(detail)
        try:
            await self._in_some_form(message, send)
        except Unchanged:
            return
        except Migrated as moved:
            self._remember(ref.chat, moved)
            raise MessageGone(detail) from None

    def pages(self, message: Message) -> int:
        return len(pages_of(message))

    def parcels(self, files: Sequence[Delivered]) -> tuple[tuple[Delivered, ...], ...]:
        return packed(files, self._largest)

    async def attach(
        self, chat: ChatRef, parcel: Sequence[Delivered], *, reply_to: MessageRef | None = None
    ) -> None:
        async def send(*, photos: bool) -> None:
            def call(there: ChatRef) -> TelegramMethod[object]:
                return uploading(files, Place.of(there, reply_to), photos=photos)

            await self._at(chat, call, self._patience + time_needed(parcel))

        photos = all(is_photo(file) for file in parcel)
        with opened(parcel, self._largest, local=self._shared is not None) as files:
            try:
                await send(photos=photos)
            except PictureRefused:
                if not photos:
                    raise
                await send(photos=False)
            except TooLarge as fault:
                largest = max(parcel, key=lambda file: file.size)
                raise FileRefused(largest.name, fault.reason) from None

    async def react(self, ref: MessageRef) -> None:
        eyes = SetMessageReaction(
            chat_id=int(ref.chat.chat),
            message_id=int(ref.message),
            reaction=[types.ReactionTypeEmoji(emoji=EYES)],
        )
        await self._try(eyes)

    async def toast(self, press: Press, text: str) -> None:
        await self._try(
            AnswerCallbackQuery(callback_query_id=press.handle, text=text[:LONGEST_TOAST] or None)
        )

    async def leave(self, chat: ChatRef) -> None:
        try:
            await ask(self._bot, LeaveChat(chat_id=chat_id(chat)))
        except ChatGone:
            return

    def fetch(self, attachment: Attachment) -> AsyncIterator[bytes]:
        return fetch(self._bot, attachment, self._shared)

    async def _settled(self, what: str, method: TelegramMethod[TelegramType], key: str) -> TelegramType:
        try:
            return await insist(self._bot, method, what, sleep=self._sleep)
        except TelegramAPIError as fault:
            reason = fault.message
        raise SettingsError(key, reason=reason)

    async def _in_some_form(self, message: Message, send: Callable[[Form], Awaitable[_T]]) -> _T:
        """A form that is refused for certain gives way to a plainer one."""
        if self._rich_works and (rich := rich_of(message)):
            try:
                return await send(rich)
            except Unchanged:
                raise
            except ChatRefused as fault:
                self._rich_works = not isinstance(fault, MethodUnknown)
        page = page_of(message)
        try:
            return await send(page)
        except EntitiesRefused:
            return await send(Page(page.text))

    async def _at(
        self,
        chat: ChatRef,
        call: Callable[[ChatRef], TelegramMethod[TelegramType]],
        limit: float | None = None,
    ) -> TelegramType:
        """Wherever the chat is by now."""
        there = replace(chat, chat=self._moves.get(chat.chat, chat.chat))
        try:
            return await self._calls.ask(there, call(there), limit)
        except Migrated as moved:
            there = self._remember(there, moved)
        return await self._calls.ask(there, call(there), limit)

    def _remember(self, chat: ChatRef, moved: Migrated) -> ChatRef:
        """It is told with the next update, since events come one at a time."""
        there = replace(chat, chat=moved.to)
        self._moves[chat.chat] = moved.to
        event = f"{self._bot.id}:moved:{chat.chat}"
        self._untold.append(Moved(chat=replace(chat, thread=""), to=replace(there, thread=""), event=event))
        return there

    async def _try(self, method: TelegramMethod[TelegramType]) -> None:
        """For what is nice to have."""
        try:
            await ask(self._bot, method, limit=min(SHORT, self._patience))
        except ChatError as fault:
            _log.debug("telegram_did_not", method=type(method).__name__, fault=type(fault).__name__)


@asynccontextmanager
async def open_telegram(
    token: str,
    *,
    api_url: str | None = None,
    shared: Path | None = None,
    webhook_url: str | None = None,
    proxy: str | None = None,
    ca_file: Path | None = None,
    patience: float = PATIENCE,
    sleep: Sleep = asyncio.sleep,
    holds: Holds | None = None,
) -> AsyncGenerator[Telegram]:
    """`api_url`: a Bot API server of one's own. `shared`: its folder, where it runs with --local.

    `webhook_url`: the public address of our HTTP server, to which `routes` must have been added.
    `patience`: seconds for one call.

    Raises:
        SettingsError: that cannot be a token.
    """
    local = shared is not None
    async with open_bot(
        token, api_url=api_url, local=local, proxy=proxy, ca_file=ca_file, patience=patience
    ) as bot:
        webhook = Webhook(bot, webhook_url) if webhook_url else None
        yield Telegram(bot, webhook=webhook, shared=shared, patience=patience, sleep=sleep, holds=holds)
