"""One step of thinking and one of acting: what the orchestrator and its subagents have in common."""

import time
from collections.abc import Sequence

from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage, ToolCall, ToolMessage

from agent.context import window
from agent.errors import ModelUnusable
from agent.events import Role, ToolFinished, ToolStarted
from agent.run import RunContext
from agent.tools.tool import Answer, AnyTool
from agent.turn import take_turn

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
        ModelUnusable: it was the third unusable answer in a row.
    """
    context.budget.check()
    turn = await take_turn(
        context.models.of(role),
        window(prompt),
        [tool.schema() for tool in tools],
        stream=context.models.stream,
    )
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
) -> Answer:
    """Answer one call and tell about it."""
    subject = (
        str(call["args"].get(tool.subject, "")).removeprefix("/workspace/")[:120] if tool.subject else ""
    )
    began = time.monotonic()
    await context.tell(ToolStarted(run_id=context.id, todo_id=todo_id, tool=tool.name, subject=subject))
    answer = await tool.answer(call["args"])
    seconds = time.monotonic() - began
    context.journal.tool_called(todo_id, tool.name, call["args"], answer.text(), answer.ok, seconds)
    await context.tell(
        ToolFinished(
            run_id=context.id,
            todo_id=todo_id,
            tool=tool.name,
            subject=subject,
            ok=answer.ok,
            summary=answer.summary,
            seconds=seconds,
        )
    )
    return answer


def tool_message(call: ToolCall, text: str) -> ToolMessage:
    return ToolMessage(content=text, tool_call_id=call["id"] or "", name=call["name"])


def pending_calls(messages: Sequence[AnyMessage]) -> list[ToolCall]:
    """The calls of the last message, which nobody has answered yet."""
    last = messages[-1]
    return last.tool_calls if isinstance(last, AIMessage) else []
