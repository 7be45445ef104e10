"""The door to the world: HTTP on loopback as api.telegram.org speaks it, with the faults of a test."""

import asyncio
import inspect
import json
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from aiogram import Bot
from aiogram.client.session.aiohttp import AiohttpSession
from aiogram.client.telegram import TelegramAPIServer
from aiogram.methods import DeleteWebhook, GetUpdates, GetWebhookInfo, SetWebhook
from aiohttp import web

from tests.fakes.botapi.errors import ApiError, not_found, too_large, too_many, unauthorized
from tests.fakes.botapi.faults import Cut, Fault, Faults, Flood, Hang, HtmlPage, Moment, Refusal, Slow
from tests.fakes.botapi.limits import LOCAL_UPLOAD, MIB, UPLOAD
from tests.fakes.botapi.methods import ANSWERS
from tests.fakes.botapi.receiving import Webhook
from tests.fakes.botapi.wire import Method, build, decoded, method_class, receive
from tests.fakes.botapi.world import Call, World

TOKEN = "42:" + "A" * 35
PAGE = "<html><head><title>502 Bad Gateway</title></head><body><h1>Bad Gateway</h1></body></html>"

Hook = Callable[[Call], Awaitable[None] | None]


class BotApi(World):
    """A Bot API server for one bot, from `async with` to its end, in the running loop."""

    def __init__(
        self, *, token: str = TOKEN, username: str = "deckhand_bot", local: Path | None = None
    ) -> None:
        """`local`: the folder of a server in --local mode."""
        super().__init__(token=token, username=username, local=local)
        self.faults = Faults()
        self.webhook = Webhook(self)
        self.missing: set[str] = set()
        """Methods that this server does not know yet, as an old one would."""
        self.port = 0
        self._hooks: list[tuple[str, Hook, bool]] = []
        self._runner: web.AppRunner | None = None

    @property
    def url(self) -> str:
        """The base address, for the bot's settings."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def api(self) -> TelegramAPIServer:
        return TelegramAPIServer.from_base(self.url, is_local=self.local)

    def bot_client(self, *, timeout: float = 60) -> Bot:
        """An aiogram bot that speaks to this server; close its session."""
        return Bot(self.token, session=AiohttpSession(api=self.api, timeout=timeout))

    def on(self, method: str, hook: Hook, *, after: bool = False) -> Callable[[], None]:
        """Call `hook` before a request of this method takes effect, or `after` it did and before the answer.

        Returns what takes the hook away again. It may be a coroutine function: the request waits for it.
        One that kills the client should return at once: a request is dropped where it waits for nobody.
        """
        entry = (method, hook, after)
        self._hooks.append(entry)
        return lambda: self._hooks.remove(entry)

    async def up(self) -> None:
        """Listen (again, at the same port)."""
        app = web.Application(client_max_size=LOCAL_UPLOAD + MIB)
        app.router.add_route("*", "/bot{token}/{method}", self._method)
        app.router.add_get("/file/bot{token}/{path:.+}", self._file)
        runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1, access_log=None)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", self.port)
        await site.start()
        self.port = runner.addresses[0][1]
        self._runner = runner

    async def down(self) -> None:
        """Drop all connections and refuse new ones."""
        await self._close()
        await asyncio.sleep(0.05)  # clients notice that their idle connections are closed

    async def _close(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    async def __aenter__(self) -> Self:
        await self.up()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.webhook.close()
        await self._close()

    # One request

    async def _method(self, request: web.Request) -> web.StreamResponse:
        name = request.match_info["method"]
        call = Call(name, {}, time.monotonic())
        self.calls.append(call)
        try:
            if request.match_info["token"] != self.token:
                raise unauthorized()
            kind = method_class(name)
            call.method = kind.__api_method__
            if call.method in self.missing:
                raise not_found()
            call.fault = early = self.faults.take(call.method, None, unread=True)
            if early is not None:
                await request.content.readany()
                return await _cut(request)
            received = await receive(request)
            if sum(len(upload.data) for upload in received.uploads.values()) > self._most:
                raise too_large()
            call.params = decoded(kind, received)
            return await self._answer(request, call, build(kind, call.params))
        except ApiError as error:
            call.broke_rule = True
            return _refused(call, error)
        finally:
            self.changed.fire()

    async def _answer(self, request: web.Request, call: Call, method: Method) -> web.StreamResponse:
        await self._run_hooks(call, after=False)
        fault = call.fault = self.faults.take(call.method, call.chat, unread=False, said=str(call.params))
        if isinstance(fault, Refusal | Flood):
            return _refused(call, _error(fault))
        if fault is None or isinstance(fault, Slow) or fault.applied:
            try:
                call.result = await self._perform(call.method, method)
            finally:
                self.changed.fire()
            call.took_effect = True
            await self._run_hooks(call, after=True)
        answer = await _faulty(request, fault, call.result)
        call.code = answer.status
        return answer

    async def _perform(self, name: str, method: Method) -> Any:
        match method:
            case GetUpdates():
                return await self.webhook.get_updates(method)
            case SetWebhook():
                return await self.webhook.set(method)
            case DeleteWebhook():
                return await self.webhook.delete(method)
            case GetWebhookInfo():
                return self.webhook.info(method)
            case _ if name in ANSWERS:
                return ANSWERS[name](self, method)
            case _:
                raise not_found()

    async def _run_hooks(self, call: Call, *, after: bool) -> None:
        for method, hook, late in list(self._hooks):
            if method in (call.method, "*") and late is after:
                waiting = hook(call)
                if inspect.isawaitable(waiting):
                    await waiting

    async def _file(self, request: web.Request) -> web.StreamResponse:
        call = Call("file", {"path": request.match_info["path"]}, time.monotonic())
        self.calls.append(call)
        try:
            if request.match_info["token"] != self.token:
                raise unauthorized()
            file = self.files.at(request.match_info["path"])
            await self._run_hooks(call, after=False)
            fault = call.fault = self.faults.take("file", None, unread=False)
            if isinstance(fault, Refusal | Flood):
                return _refused(call, _error(fault))
            if file is None:
                raise not_found()
            answer = await _faulty(request, fault, None, file.data)
        except ApiError as error:
            call.broke_rule = True
            return _refused(call, error)
        finally:
            self.changed.fire()
        call.code, call.took_effect = answer.status, fault is None
        return answer

    @property
    def _most(self) -> int:
        return (LOCAL_UPLOAD if self.local else UPLOAD) + MIB


def _error(fault: Refusal | Flood) -> ApiError:
    if isinstance(fault, Flood):
        return too_many(fault.retry_after)
    return ApiError(fault.code, fault.description)


def _refused(call: Call, error: ApiError) -> web.Response:
    call.code, call.description = error.code, error.description
    return web.json_response(error.answer(), status=error.code)


async def _faulty(
    request: web.Request, fault: Fault | None, result: Any, data: bytes | None = None
) -> web.StreamResponse:
    """The answer as this fault lets it through."""
    body = data if data is not None else json.dumps({"ok": True, "result": result}).encode()
    kind = "application/octet-stream" if data is not None else "application/json"
    match fault:
        case HtmlPage(code=code):
            return web.Response(text=PAGE, status=code, content_type="text/html")
        case Hang():
            return await _forever()
        case Cut(moment=Moment.IN_ANSWER):
            half = web.StreamResponse(headers={"Content-Length": str(len(body)), "Content-Type": kind})
            await half.prepare(request)
            await half.write(body[: len(body) // 2])
            await asyncio.sleep(0.05)  # so that what was written is on its way before the connection is reset
            return await _cut(request)
        case Cut():
            return await _cut(request)
        case Slow(seconds=seconds):
            await asyncio.sleep(seconds)
        case _:
            pass
    return web.Response(body=body, content_type=kind)


async def _cut(request: web.Request) -> web.StreamResponse:
    transport = request.transport
    if transport is not None:
        transport.abort()
    return await _forever()


async def _forever() -> web.StreamResponse:
    """Until the client is gone: then this handler is cancelled."""
    await asyncio.Event().wait()
    raise AssertionError
