"""How updates reach the bot: long polling, or requests to its webhook in their order."""

import asyncio
import contextlib
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import aiohttp
from aiogram.methods import DeleteWebhook, GetUpdates, GetWebhookInfo, SetWebhook

from tests.fakes.botapi.errors import contradict, refuse
from tests.fakes.botapi.updates import Update
from tests.fakes.botapi.world import World

SECRET = "X-Telegram-Bot-Api-Secret-Token"  # noqa: S105  # the name of a header
LONGEST_POLL = 50
"""Seconds."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """One request to the bot's webhook."""

    update: Update
    status: int
    """0: no connection."""
    body: str = ""


class Webhook:
    """While an address is set, the oldest update is posted again and again until the answer is a 2xx."""

    def __init__(self, world: World) -> None:
        self.url = ""
        self.secret = ""
        self.retry_after = 0.1
        """Seconds between two tries. Telegram waits longer."""
        self.deliveries: list[Delivery] = []
        self._world = world
        self._task: asyncio.Task[None] | None = None

    async def get_updates(self, call: GetUpdates) -> list[Update]:
        if self.url:
            words = (
                "can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook"
            )
            contradict(f"{words} first")
        if call.allowed_updates is not None:
            self._world.updates.allowed = call.allowed_updates
        limit = min(max(call.limit or 100, 1), 100)
        return await self._world.updates.poll(call.offset or 0, limit, min(call.timeout or 0, LONGEST_POLL))

    async def set(self, call: SetWebhook) -> bool:
        """Plain HTTP is taken from loopback only: there a test cannot have a certificate."""
        if call.url and urlsplit(call.url).scheme != "https" and not self._on_loopback(call.url):
            refuse("bad webhook: An HTTPS URL must be provided for webhook")
        if call.allowed_updates is not None:
            self._world.updates.allowed = call.allowed_updates
        await self._replace(call.url, call.secret_token or "", drop=bool(call.drop_pending_updates))
        return True

    async def delete(self, call: DeleteWebhook) -> bool:
        await self._replace("", "", drop=bool(call.drop_pending_updates))
        return True

    def info(self, call: GetWebhookInfo) -> Any:
        pending = len(self._world.updates.pending)
        body = {"url": self.url, "has_custom_certificate": False, "pending_update_count": pending}
        failed = next((one for one in reversed(self.deliveries) if not 200 <= one.status < 300), None)
        if failed is not None:
            words = (
                f"Wrong response from the webhook: {failed.status}" if failed.status else "Connection refused"
            )
            body["last_error_message"] = words
        return body

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
            self._task = None

    async def _replace(self, url: str, secret: str, *, drop: bool) -> None:
        await self.close()
        if drop:
            self._world.updates.pending.clear()
        self.url, self.secret = url, secret
        if url:
            self._task = asyncio.create_task(self._push())

    async def _push(self) -> None:
        updates = self._world.updates
        async with aiohttp.ClientSession() as session:
            while True:
                if not updates.pending:
                    await self._world.changed.wait(60)
                    continue
                update = updates.pending[0]
                delivery = await self._post(session, update)
                self.deliveries.append(delivery)
                if 200 <= delivery.status < 300:
                    updates.confirm(update["update_id"] + 1)
                else:
                    self._world.changed.fire()
                    await asyncio.sleep(self.retry_after)

    async def _post(self, session: aiohttp.ClientSession, update: Update) -> Delivery:
        headers = {SECRET: self.secret} if self.secret else {}
        try:
            async with session.post(self.url, json=update, headers=headers) as response:
                return Delivery(update, response.status, await response.text())
        except (aiohttp.ClientError, TimeoutError):
            return Delivery(update, 0)

    def _on_loopback(self, url: str) -> bool:
        return urlsplit(url).hostname in ("127.0.0.1", "localhost", "::1")
