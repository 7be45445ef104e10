"""A subagent: a clean context that gets one todo and only what it needs. Wiring only."""

import json
from functools import partial
from pathlib import Path

from langchain_core.messages import AnyMessage, HumanMessage, SystemMessage, ToolMessage

from agent.bench import Bench
from agent.errors import ModelUnusable
from agent.events import Role
from agent.graph import converse
from agent.loop import call_key, carry_out, pending_calls, think, tool_message
from agent.plan import Plan, Todo
from agent.prompts import system_prompt
from agent.run import RunContext
from agent.state import STATE_VERSION, SubagentState
from agent.tools.files import file_tools
from agent.tools.python import ScriptDesk
from agent.tools.skills import skill_tools
from agent.tools.tool import AnyTool


class Subagent:
    """Does one todo in one attempt. Its graph has a checkpoint thread of its own, so an interrupted attempt
    goes on where it was."""

    def __init__(self, context: RunContext, todo: Todo, plan: Plan, attempt: str) -> None:
        self._context = context
        self._todo = todo
        self._plan = plan
        self._attempt = attempt
        self._thread = f"{context.id}.{todo.id}.{attempt}"
        self._tools: tuple[AnyTool, ...] = ()

    async def report(self) -> str:
        """The subagent's own words about its todo.

        Raises:
            BudgetExceeded, ModelUnavailable, OtherVersion, SandboxUnavailable
            ModelUnusable: three unusable answers in a row, or no report after all allowed turns.
        """
        workspace = self._context.workspace(self._todo.id, self._attempt, self._todo.skills)
        waiting = partial(self._context.sandbox_waits, self._todo.id)
        async with Bench(self._context.sandbox, workspace, waiting=waiting) as bench:
            self._tools = self._make_tools(bench, workspace.code)
            return await converse(
                SubagentState,
                think=self._think,
                act=self._act,
                opening=SubagentState(messages=self._opening(), faults=0, version=STATE_VERSION),
                thread=self._thread,
                checkpointer=self._context.checkpointer,
                max_turns=self._context.budget.limits.turns_per_todo,
            )

    async def _think(self, state: SubagentState) -> dict[str, object]:
        limit = self._context.budget.limits.turns_per_todo
        if sum(not isinstance(message, ToolMessage) for message in state["messages"]) > limit:
            fault = f"no report after {limit} answers"
            raise ModelUnusable(fault)
        message, faults = await think(
            self._context,
            [
                SystemMessage(system_prompt("subagent", self._context.run.language, self._context.catalog)),
                *state["messages"],
            ],
            self._tools,
            role=Role.SUBAGENT,
            todo_id=self._todo.id,
            faults=state["faults"],
        )
        return {"messages": [message], "faults": faults}

    async def _act(self, state: SubagentState) -> dict[str, object]:
        context, step = self._context, len(state["messages"])
        by_name = {tool.name: tool for tool in self._tools}
        answers: list[ToolMessage] = []
        for place, call in enumerate(pending_calls(state["messages"])):
            # A killed process may have answered this call already: a script never runs twice.
            key = f"{self._thread}:{step}:{place}:{call_key(call)}"
            text = await context.ledger.get(context.id, key)
            if text is None:
                keep = partial(context.ledger.put, context.id, key)
                answer = await carry_out(context, by_name[call["name"]], call, self._todo.id, keep)
                text = answer.text()
            answers.append(tool_message(call, text))
        return {"messages": answers}

    def _make_tools(self, bench: Bench, code: Path) -> tuple[AnyTool, ...]:
        desk = ScriptDesk(bench, code, self._context.languages)
        brand = {item.name for item in self._context.run.inputs if item.brand}
        return (*skill_tools(self._context.catalog), *file_tools(bench, brand), *desk.tools())

    def _opening(self) -> list[AnyMessage]:
        """What all subagents of a run share comes first, for the provider's prompt cache."""
        parts = [f"# The person's request\n{self._context.run.request}"]
        if self._context.profile:
            parts.append(f"# Profile of the input files\n{self._context.profile}")
        notes = [
            f"## {other.id}\n{other.notes}\n{other.report}".strip()
            for name in self._todo.depends_on
            if (other := self._plan.find(name)) is not None
        ]
        if notes:
            parts.append("# What earlier todos found\n" + "\n\n".join(notes))
        facts = self._todo.model_dump(include={"id", "title", "skills", "inputs", "success", "outputs"})
        parts.append("# Your todo\n" + json.dumps(facts, ensure_ascii=False, indent=1))
        return [HumanMessage("\n\n".join(parts))]
