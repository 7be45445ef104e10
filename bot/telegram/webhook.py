"""Being called by Telegram. It gets its 200 only after the update was heard."""

import asyncio
import hashlib
import hmac
import json
import secrets
from typing import cast

import structlog
from aiogram import Bot
from aiogram.methods import SetWebhook
from aiohttp import web

from bot.telegram.receiving import ALLOWED, Hear, Raw, read_update

LARGEST = 1024 * 1024
"""Bytes of an update; Telegram's are a few kilobytes."""
HEADER = "X-Telegram-Bot-Api-Secret-Token"

_log = structlog.stdlib.get_logger(__name__)


class Webhook:
    """Its path and its secret come from the token, so that nobody has to keep them."""

    def __init__(self, bot: Bot, address: str) -> None:
        """`address`: the public one of our HTTP server, as Telegram shall call it."""
        self._bot = bot
        self.path = f"/telegram/{_derived(bot, 'path')}"
        self._address = address.rstrip("/")
        self._secret = _derived(bot, "secret")
        self._hear: Hear | None = None
        self._turn = asyncio.Lock()

    def routes(self) -> list[web.RouteDef]:
        return [web.post(self.path, self.answer)]

    def listen(self, hear: Hear) -> SetWebhook:
        """From now on updates go to `hear`, one at a time. Returns what has to be told to Telegram."""
        self._hear = hear
        return SetWebhook(
            url=f"{self._address}{self.path}",
            secret_token=self._secret,
            allowed_updates=list(ALLOWED),
            max_connections=1,  # keeps the updates in their order
        )

    async def answer(self, request: web.Request) -> web.Response:
        shown = request.headers.get(HEADER, "")
        if not secrets.compare_digest(shown.encode("utf-8", "surrogateescape"), self._secret.encode()):
            return web.Response(status=401)
        if self._hear is None:
            return web.Response(status=503)
        try:
            await request.content.readexactly(LARGEST + 1)
        except asyncio.IncompleteReadError as end:
            body = end.partial
        else:
            return web.Response(status=413)
        try:
            raw: object = json.loads(body)
        except ValueError:
            raw = None
        if not isinstance(raw, dict):
            return web.Response(status=400)
        update = read_update(cast("Raw", raw), self._bot)
        if update is None:
            return web.Response()
        try:
            async with self._turn:
                await self._hear(update)
        except Exception as fault:
            _log.warning("telegram_update_not_stored", fault=f"{type(fault).__name__}: {fault}")
            return web.Response(status=500)
        return web.Response()


def _derived(bot: Bot, purpose: str) -> str:
    return hmac.new(bot.token.encode(), f"webhook {purpose}".encode(), hashlib.sha256).hexdigest()
