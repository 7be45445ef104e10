"""What the two graphs remember between steps, and the types a checkpoint may hold."""

from collections.abc import Mapping
from typing import Annotated, TypedDict, cast

from langchain_core.messages import (
    AIMessage,
    AnyMessage,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)
from langgraph.graph.message import add_messages

from agent.plan import Plan, Todo, TodoStatus

STATE_VERSION = 2
"""Of the two states below, and of what their messages mean to the prompts and tools. It grows with every
change after which a run that the version before had begun could not go on."""


class SubagentState(TypedDict):
    messages: Annotated[list[AnyMessage], add_messages]
    faults: int
    """Unusable answers in a row."""
    judged: int
    """Messages there were when the check of the results sent them back, which it does once; 0 before that."""
    version: int
    """The STATE_VERSION that began it."""


class OrchestratorState(SubagentState):
    plan: Plan


STATE_TYPES: tuple[type, ...] = (AIMessage, HumanMessage, SystemMessage, ToolMessage, Plan, Todo, TodoStatus)
"""The allow-list of the checkpointer: anything else in a checkpoint is refused when it is read."""


def can_go_on(values: Mapping[str, object]) -> bool:
    """Whether this version can go on from what a checkpoint held.

    LangGraph reads a value that it cannot decode as bare data or as None.
    """
    messages, plan = values.get("messages"), values.get("plan", Plan())
    return (
        values.get("version") == STATE_VERSION
        and isinstance(plan, Plan)
        and isinstance(messages, list)
        and all(isinstance(message, BaseMessage) for message in cast("list[object]", messages))
    )
