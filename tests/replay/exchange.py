"""One exchange with a model, reduced to what must be the same when it is played again.

A request is recognised by who asks (the orchestrator, or the subagent of a todo) and by what the model has
said so far. What the tools answered is compared: a script's exit code, files and printed figures must be the
recorded ones. Prompts may be reworded, so they are not compared.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self, cast

Body = Mapping[str, Any]

_UNSTEADY = re.compile(r"^(seconds|peak_memory): .*$|\(([\d,]+) bytes\)", re.MULTILINE)
_TODO = re.compile(r'# Your todo\n\{\s*"id": "([^"]+)"')


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    asker: str
    """`orchestrator`, or the id of a todo."""
    said: tuple[str, ...]
    """What the model said before, in canonical JSON."""
    heard: tuple[str, ...]
    """What the tools answered to its last words, without what differs from machine to machine."""
    answer: Body
    """The assistant's message: content and tool_calls."""

    @classmethod
    def of(cls, request: Body, answer: Body) -> Self:
        return cls(asker=asker(request), said=said(request), heard=heard(request), answer=answer)

    @classmethod
    def load(cls, line: str) -> Self:
        facts = json.loads(line)
        return cls(
            asker=facts["asker"],
            said=tuple(facts["said"]),
            heard=tuple(facts["heard"]),
            answer=facts["answer"],
        )

    def dump(self) -> str:
        return json.dumps(asdict(self), ensure_ascii=False)


def load_all(path: Path) -> tuple[Exchange, ...]:
    return tuple(Exchange.load(line) for line in path.read_text(encoding="utf-8").splitlines())


def asker(request: Body) -> str:
    names = {tool["function"]["name"] for tool in request.get("tools", [])}
    if "create_todo_list" in names:
        return "orchestrator"
    for message in request["messages"]:
        if found := _TODO.search(_text(message)):
            return found[1]
    return "unknown"


def said(request: Body) -> tuple[str, ...]:
    return tuple(spoken(message) for message in request["messages"] if message["role"] == "assistant")


def heard(request: Body) -> tuple[str, ...]:
    answers: list[str] = []
    for message in reversed(cast("Sequence[Body]", request["messages"])):
        if message["role"] == "assistant":
            break
        if message["role"] == "tool":
            answers.append(steady(_text(message)))
    return tuple(reversed(answers))


def spoken(message: Body) -> str:
    """A message of the model without the ids of its calls."""
    calls = [
        [call["function"]["name"], _arguments(call["function"]["arguments"])]
        for call in message.get("tool_calls") or ()
    ]
    return json.dumps([(message.get("content") or "").strip(), calls], ensure_ascii=False, sort_keys=True)


def steady(text: str) -> str:
    """A tool's answer without clocks and sizes. Of anything but a run only the head counts: a skill's
    instructions may be reworded."""
    text = _UNSTEADY.sub("", text)
    if "exit_code:" in text:
        return text
    return text.split("\n\n", 1)[0] if text.startswith("status:") else text


def _arguments(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _text(message: Body) -> str:
    content = message.get("content") or ""
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)
