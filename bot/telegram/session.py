"""How we reach a Bot API server: its address, the proxy, the certificates, the limits of time."""

import ssl
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import cast

from aiogram import Bot
from aiogram.client.session.aiohttp import AiohttpSession
from aiogram.client.telegram import PRODUCTION, TelegramAPIServer
from aiogram.exceptions import ClientDecodeError
from aiogram.methods import TelegramMethod
from aiogram.methods.base import TelegramType
from aiogram.utils.token import TokenValidationError
from aiohttp import ClientSession, ClientTimeout, TCPConnector

from bot.errors import SettingsError

PATIENCE = 60.0
"""Seconds for one call, unless it says otherwise."""
CONNECTING = 10.0
"""Seconds for the connection alone: beyond them nothing has been sent, so that the call may be repeated."""


class Session(AiohttpSession):
    """aiogram's, with aiohttp's own proxies and a limit on connecting that can be told from others."""

    def __init__(
        self, api: TelegramAPIServer, *, proxy: str | None, ca_file: Path | None, patience: float
    ) -> None:
        super().__init__(api=api, timeout=patience)
        self._through = proxy
        self._trust = ssl.create_default_context()
        if ca_file is not None:
            self._trust.load_verify_locations(ca_file)

    async def create_session(self) -> ClientSession:
        if self._session is None or self._session.closed:
            self._session = ClientSession(connector=TCPConnector(ssl=self._trust), proxy=self._through)
        return self._session

    async def close(self) -> None:
        """Without aiogram's pause: aiohttp itself waits for the connections to end by now."""
        if self._session is not None:
            await self._session.close()

    async def make_request(
        self,
        bot: Bot,
        method: TelegramMethod[TelegramType],
        timeout: int | None = None,  # noqa: ASYNC109  # aiogram's signature
    ) -> TelegramType:
        limits = ClientTimeout(total=self.timeout if timeout is None else timeout, sock_connect=CONNECTING)
        # aiogram only hands it on to aiohttp, which wants it like this.
        try:
            return await super().make_request(bot, method, timeout=cast("int", limits))
        except UnicodeDecodeError as fault:  # of a proxy's page, before aiogram looks at it
            kind, page = type(fault).__name__, ascii(fault.object[:2000])
        raise ClientDecodeError(kind, ValueError(kind), page)


@asynccontextmanager
async def open_bot(
    token: str,
    *,
    api_url: str | None = None,
    local: bool = False,
    proxy: str | None = None,
    ca_file: Path | None = None,
    patience: float = PATIENCE,
) -> AsyncGenerator[Bot]:
    """`api_url`: a Bot API server of one's own; `local`: it was started with --local. Asks nothing yet.

    Raises:
        SettingsError: that cannot be a token.
    """
    api = TelegramAPIServer.from_base(api_url, is_local=local) if api_url else PRODUCTION
    session = Session(api, proxy=proxy, ca_file=ca_file, patience=patience)
    try:
        bot = Bot(token, session=session)
    except TokenValidationError:
        bot = None
    if bot is None:
        key = "settings-telegram-token"
        raise SettingsError(key)
    try:
        yield bot
    finally:
        await session.close()
