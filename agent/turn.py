"""One model call, and whether its answer can be used.

Whatever an endpoint does wrong becomes a `Fault`: nothing of such an answer is ever executed.
"""

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, cast

import openai
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, ToolCall
from langchain_core.runnables import Runnable

from agent.context import size
from agent.errors import ModelUnavailable, ModelUnusable

MAX_SIZE = 400_000
"""Characters of one answer. What a model may write at once has a tenth of it; an endpoint may not care."""

MAX_NAME = 80
"""Characters of a tool's name in a complaint: an unknown one can be anything."""

Schema = Mapping[str, Any]
"""A tool as the chat-completions API wants it."""


class Fault(StrEnum):
    EMPTY = "empty"
    """No choice, or neither text nor a call in it."""
    MALFORMED = "malformed"
    """Not a chat completion: an error in a 200 answer, or a body that is something else."""
    CUT_OFF = "cut_off"
    """The stream ended before the answer did."""
    TOO_LONG = "too_long"
    """finish_reason length."""
    REFUSED = "refused"
    """finish_reason content_filter."""
    BROKEN_ARGUMENTS = "broken_arguments"
    UNKNOWN_TOOL = "unknown_tool"


ADVICE = {
    Fault.EMPTY: "it was empty. Call a tool, or answer in words.",
    Fault.MALFORMED: "it could not be read.",
    Fault.CUT_OFF: "it broke off. Send it again, whole; a shorter script or several of them is safer.",
    Fault.TOO_LONG: "it was longer than the limit and broke off. Send less at a time: split the script.",
    Fault.REFUSED: "it was withheld by a content filter. Do the work in other words.",
    Fault.BROKEN_ARGUMENTS: "the arguments of a call were not valid JSON. Send the call again: "
    "one JSON object, strings in double quotes, line breaks as \\n.",
    Fault.UNKNOWN_TOOL: "it called a tool that does not exist.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    message: AIMessage | None
    """Set exactly when there is no fault; its calls have unique ids."""
    fault: Fault | None = None
    detail: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    estimated: bool = False
    """The endpoint named no usage: the tokens are characters / 4."""
    seconds: float = 0.0

    @property
    def complaint(self) -> str:
        """What the model is told about an answer that could not be used."""
        if self.fault is None:
            return ""
        detail = f" ({self.detail})" if self.detail else ""
        return (
            f"Your last answer was not used and nothing of it was carried out: {ADVICE[self.fault]}{detail}"
        )


async def take_turn(
    model: BaseChatModel, messages: Sequence[BaseMessage], tools: Sequence[Schema], *, stream: bool = False
) -> Turn:
    """Ask once.

    Raises:
        ModelUnavailable: the endpoint did not answer after the retries, or refused us.
        ModelUnusable: it refused this request, as it does a prompt that is too long for the model.
    """
    bound = cast("Runnable[Any, AIMessage]", model.bind_tools(cast("Sequence[dict[str, Any]]", tools)))
    began = time.monotonic()
    try:
        answer = await (_streamed(bound, messages) if stream else bound.ainvoke(list(messages)))
        turn = judge(answer, tools, time.monotonic() - began)
    except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
        fault = f"the endpoint refused the request with {error.status_code}"
        raise ModelUnusable(fault) from None
    except openai.APIError as error:
        raise ModelUnavailable(_explain(error)) from None
    except _BrokeOffError:
        return Turn(message=None, fault=Fault.CUT_OFF, seconds=time.monotonic() - began)
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError) as error:
        # What langchain-openai raises for null choices, an error in a 200 answer, a body that is not JSON.
        empty = "choices" in str(error) or isinstance(error, IndexError)
        fault = Fault.EMPTY if empty else Fault.MALFORMED
        return Turn(message=None, fault=fault, detail=type(error).__name__, seconds=time.monotonic() - began)
    return turn if answer.usage_metadata is not None else _estimated(turn, answer, messages, tools)


def judge(answer: AIMessage, tools: Sequence[Schema], seconds: float = 0.0) -> Turn:
    """The turn that `answer` makes: pure."""
    usage: Mapping[str, Any] = answer.usage_metadata or {}
    fault, detail = _fault(answer, {str(tool["function"]["name"]) for tool in tools})
    return Turn(
        message=None if fault else _with_unique_ids(answer),
        fault=fault,
        detail=detail,
        input_tokens=int(usage.get("input_tokens") or 0),
        output_tokens=int(usage.get("output_tokens") or 0),
        cached_tokens=int((usage.get("input_token_details") or {}).get("cache_read") or 0),
        seconds=seconds,
    )


def _estimated(
    turn: Turn, answer: AIMessage, messages: Sequence[BaseMessage], tools: Sequence[Schema]
) -> Turn:
    prompt = len(json.dumps(tools)) + sum(size(message) for message in messages)
    return replace(turn, input_tokens=prompt // 4, output_tokens=size(answer) // 4, estimated=True)


def _fault(answer: AIMessage, names: set[str]) -> tuple[Fault | None, str]:
    reason = cast("str | None", answer.response_metadata.get("finish_reason"))
    if reason == "length" or size(answer) > MAX_SIZE:
        return Fault.TOO_LONG, ""
    if reason == "content_filter":
        return Fault.REFUSED, ""
    if isinstance(answer, AIMessageChunk):
        if reason is None:
            return Fault.CUT_OFF, ""
        for part in answer.tool_call_chunks:  # the library completes half JSON: read what really came
            if not _is_json_object(part.get("args") or "{}"):
                return Fault.BROKEN_ARGUMENTS, str(part.get("name"))[:MAX_NAME]
    if answer.invalid_tool_calls:
        return Fault.BROKEN_ARGUMENTS, str(answer.invalid_tool_calls[0].get("name"))[:MAX_NAME]
    unknown = [call["name"] for call in answer.tool_calls if call["name"] not in names]
    if unknown:
        return Fault.UNKNOWN_TOOL, f"{unknown[0][:MAX_NAME]!r}; there are: {', '.join(sorted(names))}"
    if not answer.tool_calls and not answer.text.strip():
        return Fault.EMPTY, ""
    return None, ""


def _is_json_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text, strict=False), dict)
    except (ValueError, RecursionError):
        return False


def _with_unique_ids(answer: AIMessage) -> AIMessage:
    """A plain message whose calls can be told apart: some gateways leave ids out or use one twice.

    Half a surrogate pair, which models do send, is replaced: nothing could store it.
    """
    seen: set[str] = set()
    calls: list[ToolCall] = []
    for place, call in enumerate(answer.tool_calls):
        name = call.get("id") or f"call_{place}"
        while name in seen:
            name = f"{name}_{place}"
        seen.add(name)
        calls.append(ToolCall(name=call["name"], args=_valid(call["args"]), id=name, type="tool_call"))
    return AIMessage(content=_valid(answer.text), tool_calls=calls)


def _valid(value: Any) -> Any:
    """The same with only what UTF-8 can say, and no NUL."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\0", "\ufffd")
    if isinstance(value, list):
        return [_valid(item) for item in cast("list[Any]", value)]
    if isinstance(value, dict):
        return {_valid(key): _valid(item) for key, item in cast("dict[Any, Any]", value).items()}
    return value


class _BrokeOffError(Exception):
    """The stream ended with an error after it had begun."""


async def _streamed(model: Runnable[Any, AIMessage], messages: Sequence[BaseMessage]) -> AIMessage:
    whole: AIMessageChunk | None = None
    try:
        async for chunk in model.astream(list(messages)):
            piece = cast("AIMessageChunk", chunk)
            whole = piece if whole is None else whole + piece
    except Exception as error:
        if whole is None:
            raise
        raise _BrokeOffError from error
    return whole or AIMessage(content="")


def _explain(error: openai.APIError) -> str:
    """In words, without the body: providers echo prompts and the tails of keys in it."""
    match error:
        case openai.APIStatusError(status_code=status):
            return f"the model's endpoint answered {status}"
        case openai.APITimeoutError():
            return "the model's endpoint did not answer in time"
        case _:
            root: BaseException = error
            while root.__cause__ is not None:
                root = root.__cause__
            return f"no connection to the model's endpoint ({type(root).__name__})"
