"""Plays a recording: an endpoint that gives the recorded answers, and tells when a run goes another way."""

import difflib
import json
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from tests.endpoint import Endpoint, serve
from tests.replay.exchange import Body, Exchange, asker, heard, said, spoken


@dataclass(slots=True)
class Player:
    """Token counts are characters / 4; cached is the longest beginning shared with an earlier prompt."""

    exchanges: Sequence[Exchange]
    strict: bool = True
    """Whether another answer of a tool is a difference; otherwise only taken down, in `now`."""
    now: list[Exchange] = field(default_factory=list[Exchange])
    """The exchanges as they went this time."""
    endpoint: Endpoint | None = None
    differences: list[str] = field(default_factory=list[str])
    calls: int = 0
    input: int = 0
    output: int = 0
    cached: int = 0
    began: float = field(default_factory=time.monotonic)
    _prompts: list[str] = field(default_factory=list[str])
    _played: set[int] = field(default_factory=set[int])

    @property
    def unplayed(self) -> list[Exchange]:
        return [exchange for place, exchange in enumerate(self.exchanges) if place not in self._played]

    def counts(self) -> dict[str, float]:
        return {
            "calls": self.calls,
            "input": self.input,
            "output": self.output,
            "cached": self.cached,
            "total": self.input + self.output,
            "seconds": round(time.monotonic() - self.began, 1),
        }

    async def respond(self, request: Body) -> web.StreamResponse:
        place = self._find(request)
        if place is None:
            return self._differs(f"{asker(request)} asked what was not recorded:\n{said(request)[-1:]}")
        exchange = self.exchanges[place]
        self.now.append(Exchange.of(request, exchange.answer))
        if self.strict and heard(request) != exchange.heard:
            return self._differs(_difference(exchange, heard(request)))
        self._played.add(place)
        return web.json_response(self._completion(request, exchange.answer))

    def _find(self, request: Body) -> int | None:
        who, before = asker(request), said(request)
        for place, exchange in enumerate(self.exchanges):
            if exchange.asker == who and exchange.said == before:
                return place
        return None

    def _differs(self, what: str) -> web.Response:
        self.differences.append(what)
        return web.json_response({"error": {"message": "the run differs from the recording"}}, status=400)

    def _completion(self, request: Body, message: Body) -> dict[str, Any]:
        prompt = prompt_of(request)
        cached = max((_shared(prompt, old) for old in self._prompts), default=0) // 4
        self._prompts.append(prompt)
        usage = {"prompt_tokens": len(prompt) // 4, "completion_tokens": len(spoken(message)) // 4}
        self.calls += 1
        self.input += usage["prompt_tokens"]
        self.output += usage["completion_tokens"]
        self.cached += cached
        calls = [
            call | {"id": f"call_{self.calls}_{n}"} for n, call in enumerate(message.get("tool_calls") or ())
        ]
        choice = {
            "index": 0,
            "message": {"role": "assistant", "content": message.get("content")}
            | ({"tool_calls": calls} if calls else {}),
            "finish_reason": "tool_calls" if calls else "stop",
        }
        return {
            "id": f"chatcmpl-{self.calls}",
            "object": "chat.completion",
            "created": int(time.time()),
            "model": "recording",
            "choices": [choice],
            "usage": usage
            | {"total_tokens": sum(usage.values()), "prompt_tokens_details": {"cached_tokens": cached}},
        }


def prompt_of(request: Body) -> str:
    """All that a provider is sent: the tools and the messages."""
    return json.dumps(request.get("tools", []), ensure_ascii=False) + "".join(
        json.dumps(message, ensure_ascii=False, sort_keys=True) for message in request["messages"]
    )


def _shared(one: str, other: str) -> int:
    """Characters that two prompts have in common at their beginning."""
    pairs = zip(one, other, strict=False)
    return next((place for place, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _difference(exchange: Exchange, now: Sequence[str]) -> str:
    before, after = "\n".join(exchange.heard).splitlines(), "\n".join(now).splitlines()
    lines = difflib.unified_diff(before, after, "recorded", "now", lineterm="", n=1)
    return f"{exchange.asker}, after {len(exchange.said)} answers:\n" + "\n".join(lines)


@asynccontextmanager
async def play(exchanges: Sequence[Exchange], *, strict: bool = True) -> AsyncGenerator[Player]:
    player = Player(exchanges, strict)
    async with serve(player.respond) as endpoint:
        player.endpoint = endpoint
        yield player
