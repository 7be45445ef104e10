"""A stand-in for E2B's cloud on a port of its own: enough of its API for the real SDK, and ways to fail.

A machine is a folder, and what runs "in" it are processes of this host. Paths of /workspace are mapped there.
"""

import asyncio
import base64
import json
import os
import secrets
import shutil
import signal
import struct
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from aiohttp import web

from sandbox.e2b.machine import Account

API_KEY = "e2b_of_nobody"
ENVD = "0.6.9"
_ENVELOPE = struct.Struct(">BI")
_END_OF_STREAM = 2


class Machine:
    def __init__(self, folder: Path, asked: dict[str, Any]) -> None:
        self.id = secrets.token_hex(8)
        self.asked = asked
        """The body of the request that made it."""
        self.seconds: int = asked["timeout"]
        self._folder = folder / self.id
        self._folder.mkdir()

    def path(self, path: str) -> Path:
        return Path(self.mapped(path))

    def mapped(self, text: str) -> str:
        return text.replace("/workspace", f"{self._folder}/workspace")

    def end(self) -> None:
        for process in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                if (process / "cwd").readlink().is_relative_to(self._folder):
                    os.kill(int(process.name), signal.SIGKILL)
        shutil.rmtree(self._folder)


class Cloud:
    """`machines` are those that live. The other attributes say what it does wrong."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.account = Account(api_key=API_KEY)
        self.machines: dict[str, Machine] = {}
        self.made: list[Machine] = []
        self.refusals: dict[str, int] = {}
        """HTTP status by the name of the call."""
        self.hangs: dict[str, asyncio.Event] = {}
        """Calls, by name, that are answered only when the event is set."""
        self.reached = asyncio.Event()
        """Set when such a call has come."""
        self.dies = False
        """The machine ends in the middle of the next script."""
        self.nonsense: str | None = None
        """What is answered to who wants a machine."""
        self.says: str | None = None
        """What the tool of every machine answers."""
        self.lies: bytes | None = None
        """What every file holds that is fetched."""

    def app(self) -> web.Application:
        app = web.Application(client_max_size=1 << 30)
        for method, path, handler in (
            ("POST", "/v2/sandboxes", self.create),
            ("DELETE", "/sandboxes/{id}", self.kill),
            ("POST", "/sandboxes/{id}/timeout", self.timeout),
            ("POST", "/files", self.write),
            ("GET", "/files", self.read),
            ("GET", "/health", self.health),
            ("POST", "/process.Process/Start", self.start),
        ):
            app.router.add_route(method, path, self._failing(handler))
        return app

    def _failing(self, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]) -> Any:
        name = handler.__name__

        async def handle(request: web.Request) -> web.StreamResponse:
            if (event := self.hangs.get(name)) is not None:
                self.reached.set()
                await event.wait()
            if (status := self.refusals.get(name)) is not None:
                return web.json_response({"code": status, "message": "\x1b[31mno\u202e"}, status=status)
            return await handler(request)

        return handle

    async def create(self, request: web.Request) -> web.Response:
        if request.headers["X-API-KEY"] != API_KEY:
            return web.json_response({"code": 401, "message": "whose key is this?"}, status=401)
        if self.nonsense is not None:
            return web.Response(text=self.nonsense, content_type="application/json", status=201)
        machine = Machine(self._folder, await request.json())
        self.machines[machine.id] = machine
        self.made.append(machine)
        made = {"templateID": "base", "sandboxID": machine.id, "clientID": "c", "envdVersion": ENVD}
        return web.json_response(made | {"envdAccessToken": "token"}, status=201)

    async def kill(self, request: web.Request) -> web.Response:
        machine = self.machines.pop(request.match_info["id"], None)
        if machine is None:
            return web.json_response({"code": 404, "message": "no such sandbox"}, status=404)
        machine.end()
        return web.Response(status=204)

    async def timeout(self, request: web.Request) -> web.Response:
        self.machines[request.match_info["id"]].seconds = (await request.json())["timeout"]
        return web.Response(status=204)

    async def health(self, request: web.Request) -> web.Response:
        alive = self._machine(request) is not None
        return web.Response(status=204) if alive else self._gone()

    async def write(self, request: web.Request) -> web.Response:
        if (machine := self._machine(request)) is None:
            return self._gone()
        target = machine.path(request.query["path"])
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("wb") as file:
            async for piece in request.content.iter_any():
                file.write(piece)
        entry = {"name": target.name, "type": "file", "path": request.query["path"]}
        return web.json_response([entry])

    async def read(self, request: web.Request) -> web.Response:
        if (machine := self._machine(request)) is None:
            return self._gone()
        source = machine.path(request.query["path"])
        if not source.is_file():
            return web.json_response({"code": 404, "message": "no such file"}, status=404)
        return web.Response(body=source.read_bytes() if self.lies is None else self.lies)

    async def start(self, request: web.Request) -> web.StreamResponse:
        if (machine := self._machine(request)) is None:
            return self._gone()
        asked = json.loads((await request.read())[_ENVELOPE.size :])["process"]
        response = web.StreamResponse(headers={"Content-Type": "application/connect+json"})
        await response.prepare(request)
        process = await asyncio.create_subprocess_exec(
            asked["cmd"],
            *(machine.mapped(argument) for argument in asked["args"] if argument != "-l"),  # not this host's
            env=os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        await _event(response, {"start": {"pid": process.pid}})
        if self.dies and machine.path("/workspace/.deckhand/job.json").exists():
            job = json.loads(machine.path("/workspace/.deckhand/job.json").read_bytes())
            if job["do"] == "run":
                machine.end()
                del self.machines[machine.id]
                await process.communicate()
                assert request.transport is not None
                request.transport.abort()
                return response
        try:
            stdout, stderr = await process.communicate()
        except asyncio.CancelledError:  # nobody listens any more
            machine.end()
            await process.communicate()
            raise
        if self.says is not None and "sandbox.e2b.tool" in asked["args"][-1]:
            stdout = self.says.encode()
        for name, data in (("stdout", stdout), ("stderr", stderr)):
            if data:
                await _event(response, {"data": {name: base64.b64encode(data).decode()}})
        code = process.returncode or 0
        end = {"exitCode": max(code, -1), "exited": code >= 0, "status": f"exit status {code}"}
        await _event(response, {"end": end})
        await response.write(_ENVELOPE.pack(_END_OF_STREAM, 2) + b"{}")
        return response

    def _machine(self, request: web.Request) -> Machine | None:
        return self.machines.get(request.headers["E2b-Sandbox-Id"])

    def _gone(self) -> web.Response:
        return web.json_response({"code": 502, "message": "The sandbox was not found"}, status=502)


async def _event(response: web.StreamResponse, event: dict[str, Any]) -> None:
    content = json.dumps({"event": event}).encode()
    await response.write(_ENVELOPE.pack(0, len(content)) + content)


@asynccontextmanager
async def standing_in(folder: Path) -> AsyncGenerator[Cloud]:
    cloud = Cloud(folder)
    runner = web.AppRunner(cloud.app(), handler_cancellation=True, shutdown_timeout=1)
    await runner.setup()
    try:
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        cloud.account = Account(api_key=API_KEY, api_url=url, sandbox_url=url)
        yield cloud
    finally:
        for machine in cloud.machines.values():
            machine.end()
        await runner.cleanup()
