"""An OpenAI-compatible endpoint on loopback for tests: real HTTP, answers that a test chooses."""

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

Body = Mapping[str, Any]
Responder = Callable[[Body], Awaitable[web.StreamResponse]]


@dataclass(slots=True)
class Endpoint:
    """`respond` answers every request; `seen` keeps the requests."""

    respond: Responder
    url: str = ""
    seen: list[Body] = field(default_factory=list[Body])


@asynccontextmanager
async def serve(respond: Responder) -> AsyncGenerator[Endpoint]:
    endpoint = Endpoint(respond)

    async def chat(request: web.Request) -> web.StreamResponse:
        body = await request.json()
        endpoint.seen.append(body)
        return await endpoint.respond(body)

    async def models(_: web.Request) -> web.StreamResponse:
        return web.json_response({"object": "list", "data": [{"id": "played", "object": "model"}]})

    app = web.Application(client_max_size=2**26)
    app.router.add_post("/v1/chat/completions", chat)
    app.router.add_get("/v1/models", models)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    try:
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        endpoint.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
        yield endpoint
    finally:
        await runner.cleanup()


def completion(
    text: str | None = None,
    calls: Sequence[tuple[str, object]] = (),
    *,
    finish: str | None = None,
    usage: tuple[int, int, int] = (100, 10, 40),
) -> dict[str, Any]:
    """A chat completion; a call's arguments may be a string, to be as broken as a test wants."""
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if calls:
        message["tool_calls"] = [
            {
                "id": f"call_{place}",
                "type": "function",
                "function": {"name": name, "arguments": args if isinstance(args, str) else json.dumps(args)},
            }
            for place, (name, args) in enumerate(calls)
        ]
    return {
        "id": "c1",
        "object": "chat.completion",
        "created": 1,
        "model": "played",
        "choices": [
            {"index": 0, "message": message, "finish_reason": finish or ("tool_calls" if calls else "stop")}
        ],
        "usage": {
            "prompt_tokens": usage[0],
            "completion_tokens": usage[1],
            "total_tokens": usage[0] + usage[1],
            "prompt_tokens_details": {"cached_tokens": usage[2]},
        },
    }


def in_turn(*answers: object) -> Responder:
    """Each request gets the next answer: a body, or (status, body, headers)."""
    left = list(answers)

    async def respond(_: Body) -> web.StreamResponse:
        answer = left.pop(0)
        if isinstance(answer, web.StreamResponse):
            return answer
        if isinstance(answer, tuple):
            status, body, headers = answer
            return web.json_response(body, status=status, headers=headers)
        return web.json_response(answer)

    return respond


async def hang(_: Body) -> web.StreamResponse:
    await asyncio.Event().wait()
    raise AssertionError
