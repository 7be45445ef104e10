"""One step of thinking and one of acting: what the orchestrator and its subagents have in common."""

import hashlib
import json
import time
from collections.abc import Awaitable, Callable, Sequence

from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage, ToolCall, ToolMessage

from agent.context import window
from agent.errors import ModelUnavailable, ModelUnusable
from agent.events import Role, ToolFinished, ToolStarted
from agent.run import RunContext
from agent.tools.tool import Answer, AnyTool
from agent.turn import take_turn

MAX_SUMMARY = 300
"""Characters of an answer's summary in the events."""
MAX_FAULTS = 3
"""Unusable answers in a row that end the work: the first one and two more tries."""


async def think(
    context: RunContext,
    prompt: Sequence[BaseMessage],
    tools: Sequence[AnyTool],
    *,
    role: Role,
    todo_id: str | None,
    faults: int,
) -> tuple[AnyMessage, int]:
    """The model's answer, or our complaint about it, with the count of unusable answers in a row.

    Raises:
        BudgetExceeded, ModelUnavailable
        ModelUnusable: it was the third unusable answer in a row, or the endpoint refused the request.
    """
    context.budget.check()
    began = time.monotonic()
    try:
        turn = await take_turn(
            context.models.of(role),
            window(prompt),
            [tool.schema() for tool in tools],
            stream=context.models.stream,
        )
    except (ModelUnavailable, ModelUnusable) as error:
        context.journal.model_failed(role, todo_id, str(error), time.monotonic() - began)
        raise
    await context.journal.model_called(role, todo_id, turn)
    if turn.message is not None:
        return turn.message, 0
    if faults + 1 >= MAX_FAULTS:
        raise ModelUnusable(turn.fault or "unknown")
    return HumanMessage(turn.complaint), faults + 1


async def carry_out(
    context: RunContext,
    tool: AnyTool,
    call: ToolCall,
    todo_id: str | None,
    keep: Callable[[str], Awaitable[str]] | None = None,
) -> Answer:
    """Answer one call and tell about it. `keep` is given the answer's text before anything else is done, so
    that a crash can hardly come between a script's end and the note that it has run.

    Raises: BudgetExceeded.
    """
    context.budget.check()
    subject = (
        str(call["args"].get(tool.subject, "")).removeprefix("/workspace/")[:120] if tool.subject else ""
    )
    began = time.monotonic()
    await context.tell(ToolStarted(run_id=context.id, todo_id=todo_id, tool=tool.name, subject=subject))
    answer = await tool.answer(call["args"])
    if keep is not None:
        await keep(answer.text())
    seconds = time.monotonic() - began
    for name, result in answer.runs:
        await context.journal.script_ran(todo_id, name, result)
    context.journal.tool_called(todo_id, tool.name, call["args"], answer.text(), answer.ok, seconds)
    await context.tell(
        ToolFinished(
            run_id=context.id,
            todo_id=todo_id,
            tool=tool.name,
            subject=subject,
            ok=answer.ok,
            summary=answer.summary[:MAX_SUMMARY],
            seconds=seconds,
        )
    )
    return answer


def call_key(call: ToolCall) -> str:
    """What was called, in a few characters: after a crash another answer may stand at the same place."""
    facts = json.dumps([call["name"], call["args"]], ensure_ascii=False, sort_keys=True, default=str)
    return hashlib.sha256(facts.encode("utf-8", "backslashreplace")).hexdigest()[:16]


def tool_message(call: ToolCall, text: str) -> ToolMessage:
    return ToolMessage(content=text, tool_call_id=call["id"] or "", name=call["name"])


def pending_calls(messages: Sequence[AnyMessage]) -> list[ToolCall]:
    """The calls of the last message, which nobody has answered yet."""
    last = messages[-1]
    return last.tool_calls if isinstance(last, AIMessage) else []
