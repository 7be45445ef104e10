"""A subagent: a clean context that gets one todo and only what it needs. Wiring only."""

import json
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage, ToolMessage

from agent.bench import Bench
from agent.checking import can_check, complaint
from agent.errors import ModelUnusable
from agent.events import Role
from agent.graph import converse
from agent.groundwork import MAX_NAMED
from agent.inspection import inspect
from agent.loop import call_key, carry_out, pending_calls, think, tool_message
from agent.plan import Plan, Todo
from agent.prompts import system_prompt
from agent.run import RunContext
from agent.scripts import OURS
from agent.state import STATE_VERSION, SubagentState
from agent.todofiles import left_by, ran_scripts
from agent.tools.files import file_tools
from agent.tools.python import ScriptDesk
from agent.tools.skills import skill_tools
from agent.tools.tool import AnyTool

EARLIER_SCRIPTS = """# Scripts of an earlier request
They lie in code/, and what they read and made in out/ where the files are still the same. Look at one with \
`read_file_content`, mend it with `fix_and_run_python`, run only what changes, write nothing anew."""
MAX_REPAIRS = 6
"""Answers of the model that mending what the check found may take."""


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
        self._bench: Bench | None = None

    async def report(self) -> str:
        """The subagent's own words about its todo.

        Raises:
            BudgetExceeded, ModelUnavailable, OtherVersion, SandboxUnavailable
            ModelUnusable: three unusable answers in a row, or no report after all allowed turns.
        """
        workspace = self._context.workspace(self._todo.id, self._attempt, self._todo.skills)
        for name, source in self._earlier().items():
            if not (workspace.code / name).exists():
                (workspace.code / name).write_text(source, encoding="utf-8")
        waiting = partial(self._context.sandbox_waits, self._todo.id)
        async with Bench(self._context.sandbox, workspace, waiting=waiting) as bench:
            self._tools, self._bench = self._make_tools(bench, workspace.code), bench
            return await converse(
                SubagentState,
                think=self._think,
                act=self._act,
                judge=self._judge,
                opening=SubagentState(messages=self._opening(), faults=0, judged=0, version=STATE_VERSION),
                thread=self._thread,
                checkpointer=self._context.checkpointer,
                max_turns=self._context.budget.limits.turns_per_todo,
            )

    async def _think(self, state: SubagentState) -> dict[str, object]:
        messages, judged = state["messages"], state["judged"]
        try:
            self._check_turns(messages, judged)
            message, faults = await think(
                self._context,
                [
                    SystemMessage(
                        system_prompt("subagent", self._context.run.language, self._context.catalog)
                    ),
                    *messages,
                ],
                self._tools,
                role=Role.SUBAGENT,
                todo_id=self._todo.id,
                faults=state["faults"],
            )
        except ModelUnusable:
            if not judged:
                raise
            return {"messages": [AIMessage(messages[judged - 1].text)]}  # its report from before the repair
        return {"messages": [message], "faults": faults}

    def _check_turns(self, messages: list[AnyMessage], judged: int) -> None:
        """Raises: ModelUnusable: it goes on and on."""
        limit = self._context.budget.limits.turns_per_todo
        repairs = sum(isinstance(message, AIMessage) for message in messages[judged:]) if judged else 0
        if (
            repairs >= MAX_REPAIRS
            or (judged and self._context.budget.nearly_used)  # the rest is for the answer
            or sum(not isinstance(message, ToolMessage) for message in messages) > limit
        ):
            fault = f"no report after {limit} answers"
            raise ModelUnusable(fault)

    async def _judge(self, state: SubagentState) -> dict[str, object]:
        """Findings and numbers without a source go back once; then the report is taken whatever is left."""
        context, messages, bench = self._context, state["messages"], self._bench
        report = messages[-1].text
        if (
            state["judged"]
            or bench is None
            or context.models.offline
            or context.budget.nearly_used
            or not can_check(context)
            or not ran_scripts(messages)
            or report.lower().startswith("not done")
        ):
            return {"judged": state["judged"]}
        files = left_by(messages, self._todo.outputs, context.folder.out)
        key = f"{self._thread}:check"
        found = await inspect(context, key, files, answer=report, bench=bench, todo_id=self._todo.id)
        words = complaint(found.verification)
        return {"messages": [HumanMessage(words)], "judged": len(messages)} if words else {"judged": 0}

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
        reserved = {*OURS, *self._context.catalog.modules}
        desk = ScriptDesk(bench, code, self._context.languages, reserved)
        brand = {item.name for item in self._context.run.inputs if item.brand}
        return (
            *skill_tools(self._context.catalog),
            *file_tools(bench, brand, inputs=self._context.sample_rows),
            *desk.tools(),
        )

    def _earlier(self) -> Mapping[str, str]:
        """Scripts of an earlier run that this todo may mend, by name."""
        ground = self._context.groundwork
        return ground.of_todo(self._todo) if ground is not None and ground.concerns(self._todo) else {}

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
        if earlier := self._earlier():
            lines = [f"- code/{name} ({source.count(chr(10)) + 1} lines)" for name, source in earlier.items()]
            parts.append(f"{EARLIER_SCRIPTS}\n" + "\n".join(lines[:MAX_NAMED]))
        facts = self._todo.model_dump(include={"id", "title", "skills", "inputs", "success", "outputs"})
        parts.append("# Your todo\n" + json.dumps(facts, ensure_ascii=False, indent=1))
        return [HumanMessage("\n\n".join(parts))]
