"""The shape of both graphs: think, act, think, … until an answer in words, which is judged; and how a thread
goes on."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar, cast

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph

from agent.errors import OtherVersion
from agent.loop import pending_calls
from agent.state import SubagentState, can_go_on
from storage.errors import UnknownType

State = TypeVar("State", bound=SubagentState)
Step = Callable[[State], Awaitable[Mapping[str, object]]]


async def converse(
    state: type[State],
    *,
    think: Step[State],
    act: Step[State],
    judge: Step[State],
    opening: State,
    thread: str,
    checkpointer: BaseCheckpointSaver[str],
    max_turns: int,
) -> str:
    """The last message of the thread, which begins with `opening` unless it has a checkpoint to go on from.

    Every step is stored before the next begins, so after a crash at most one step is done again. `judge` sees
    each answer in words and may add a message to it: then there is more to think about.

    Raises:
        OtherVersion: another version of the program left the checkpoint.
    """
    builder: Any = StateGraph(state)  # its generics are not known to a strict checker
    builder.add_node("think", think)
    builder.add_node("act", act)
    builder.add_node("judge", judge)
    builder.add_edge(START, "think")
    builder.add_conditional_edges("think", _after_think, ["think", "act", "judge"])
    builder.add_conditional_edges("act", _after_act, ["think", "judge"])
    builder.add_conditional_edges("judge", _after_judge, ["think", END])
    graph: Any = builder.compile(checkpointer=checkpointer)
    config = RunnableConfig(configurable={"thread_id": thread}, recursion_limit=2 * max_turns + 12)
    try:
        before = await graph.aget_state(config)
    except (UnknownType, ValueError, TypeError, LookupError) as error:
        raise OtherVersion(type(error).__name__) from error
    # A crash right after the first checkpoint leaves one that holds nothing yet: the thread begins anew.
    begun = bool(before.values.get("messages")) or "version" in before.values
    if begun and not can_go_on(before.values):
        raise OtherVersion(str(before.values.get("version")))
    if not begun or before.next:
        await graph.ainvoke(None if begun else opening, config, durability="sync")
    after = await graph.aget_state(config)
    return cast("list[AnyMessage]", after.values["messages"])[-1].text.strip()


def _after_think(state: SubagentState) -> str:
    if isinstance(state["messages"][-1], HumanMessage):
        return "think"
    return "act" if pending_calls(state["messages"]) else "judge"


def _after_act(state: SubagentState) -> str:
    """A tool may end the conversation by giving the last word itself."""
    return "judge" if isinstance(state["messages"][-1], AIMessage) else "think"


def _after_judge(state: SubagentState) -> str:
    return END if isinstance(state["messages"][-1], AIMessage) else "think"
