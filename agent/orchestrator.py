"""The orchestrator: plans, delegates, judges reports, answers. Wiring only."""

import asyncio

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage

from agent.acceptance import Acceptance
from agent.context import cut_middle
from agent.errors import ModelUnusable
from agent.events import PlanChanged, Role, TodoFinished, TodoStarted
from agent.graph import converse
from agent.groundwork import lay
from agent.loop import MAX_FAULTS, carry_out, pending_calls, think, tool_message
from agent.plan import Plan, Todo, TodoStatus
from agent.prompts import system_prompt
from agent.run import RunContext
from agent.state import STATE_VERSION, OrchestratorState
from agent.subagent import Subagent
from agent.tools.asking import QuestionDesk
from agent.tools.todos import PlanDesk
from agent.tools.tool import Answer, AnyTool

MAX_REPORT = 2_500
"""Characters of a report that later subagents see: its 200 words and some."""
MAX_ANSWER = 20_000
"""Characters of an answer that the person gets; one that is asked to be short has some 2,000."""
PARALLEL_TODOS = 3
"""Subagents of one run that work at the same time."""


class Orchestrator:
    def __init__(self, context: RunContext, acceptance: Acceptance) -> None:
        self._context = context
        self._acceptance = acceptance
        self._gate = asyncio.Semaphore(PARALLEL_TODOS)
        self._laying = asyncio.Lock()

    async def answer(self) -> str:
        """The answer for the person. Goes on from the last checkpoint of the run, if there is one.

        Raises:
            BudgetExceeded, ModelUnavailable, ModelUnusable, OtherVersion, SandboxUnavailable
        """
        answer = await converse(
            OrchestratorState,
            think=self._think,
            act=self._act,
            judge=self._judge,
            opening=self._opening(),
            thread=self._context.id,
            checkpointer=self._context.checkpointer,
            max_turns=self._context.budget.limits.model_calls,
        )
        return answer if len(answer) <= MAX_ANSWER else f"{answer[:MAX_ANSWER]}…"

    async def _think(self, state: OrchestratorState) -> dict[str, object]:
        plan = state["plan"]
        prompt = [
            SystemMessage(
                system_prompt(
                    "orchestrator",
                    self._context.run.language,
                    self._context.catalog,
                    asking=self._context.asker is not None,
                )
            ),
            *state["messages"],
        ]
        if plan.todos:  # last, and not kept: the stable part of the prompt stays first
            prompt.append(HumanMessage(f"The plan as it stands now:\n{plan.outline()}"))
        try:
            message, faults = await think(
                self._context,
                prompt,
                self._desks(state)[2],
                role=Role.ORCHESTRATOR,
                todo_id=None,
                faults=state["faults"],
            )
        except ModelUnusable:
            if not state["judged"]:
                raise
            return {"messages": [AIMessage(state["messages"][state["judged"] - 1].text)]}
        if isinstance(message, AIMessage) and not message.tool_calls and plan.open:
            return self._refused(message, plan, state["faults"])
        return {"messages": [message], "faults": faults}

    def _refused(self, message: AIMessage, plan: Plan, faults: int) -> dict[str, object]:
        """Finishing with open todos is refused."""
        if faults + 1 >= MAX_FAULTS:
            fault = "finished with open todos"
            raise ModelUnusable(fault)
        open_todos = ", ".join(todo.id for todo in plan.open)
        words = (
            f"You answered, but these todos are open: {open_todos}. Start, complete or block each of them, "
            "or revise the list; then answer the person."
        )
        return {"messages": [message, HumanMessage(words)], "faults": faults + 1}

    async def _act(self, state: OrchestratorState) -> dict[str, object]:
        step = len(state["messages"])
        desk, questions, tools = self._desks(state)
        by_name = {tool.name: tool for tool in tools}
        texts: dict[str, str] = {}
        starts: dict[str, str] = {}
        calls = pending_calls(state["messages"])
        for call in calls:
            if questions.answered:
                unread = Answer(ok=False, summary="not carried out: read the answer to your question first")
                texts[call["id"] or ""] = unread.text()
                continue
            plan = desk.plan
            answer = await carry_out(self._context, by_name[call["name"]], call, None)
            texts[call["id"] or ""] = answer.text()
            if call["name"] == "start_next_todo" and answer.ok:
                starts[answer.summary] = call["id"] or ""
            await self._tell_changes(plan, desk.plan)
        todos = list(desk.to_start)
        for name in starts.keys() - {todo.id for todo in todos}:
            texts[starts[name]] = Answer(ok=False, summary=f"{name} was dropped by a later call").text()
        for todo, (report, status) in zip(todos, await self._run_all(todos, desk.plan, step), strict=True):
            texts[starts[todo.id]] = report.text()
            desk.plan = desk.plan.with_report(todo.id, cut_middle(report.body, MAX_REPORT))
            if status is TodoStatus.BLOCKED:
                plan = desk.plan
                desk.plan = plan.mark(todo.id, status, report.summary)
                await self._tell_changes(plan, desk.plan)
        messages: list[AnyMessage] = [tool_message(call, texts[call["id"] or ""]) for call in calls]
        if desk.answer and not desk.plan.open:
            messages.append(AIMessage(desk.answer))
        return {"messages": messages, "plan": desk.plan}

    async def _judge(self, state: OrchestratorState) -> dict[str, object]:
        """Numbers of the answer that nothing accounts for go back once; then it is taken as it is."""
        if state["judged"]:
            return {"judged": state["judged"]}
        words = await self._acceptance.complaint(state["messages"][-1].text, state["plan"])
        if not words:
            return {"judged": 0}
        return {"messages": [HumanMessage(words)], "judged": len(state["messages"])}

    def _desks(self, state: OrchestratorState) -> tuple[PlanDesk, QuestionDesk, tuple[AnyTool, ...]]:
        ground = self._context.groundwork
        taken = ground.taken if ground else ()
        desk = PlanDesk(state["plan"], self._context.catalog.names, taken)
        questions = QuestionDesk(self._context, desk, state["messages"])
        return desk, questions, (*questions.tools(), *desk.tools())

    async def _run_all(self, todos: list[Todo], plan: Plan, step: int) -> list[tuple[Answer, TodoStatus]]:
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(self._run_todo(todo, plan, str(step))) for todo in todos]
        except ExceptionGroup as failed:
            raise failed.exceptions[0] from None  # the first one ended the others
        return [task.result() for task in tasks]

    async def _run_todo(self, todo: Todo, plan: Plan, attempt: str) -> tuple[Answer, TodoStatus]:
        async with self._gate:
            await self._context.tell(TodoStarted(run_id=self._context.id, todo_id=todo.id, title=todo.title))
            ground = self._context.groundwork
            if ground is not None and ground.concerns(todo):
                async with self._laying:
                    await lay(self._context, ground)
            try:
                report = await Subagent(self._context, todo, plan, attempt).report()
            except ModelUnusable as error:
                return Answer(ok=False, summary=f"{todo.id} is blocked: {error}"), TodoStatus.BLOCKED
        return Answer(
            summary=f"report of {todo.id}; now complete, revise or block it", body=report
        ), TodoStatus.ACTIVE

    async def _tell_changes(self, before: Plan, after: Plan) -> None:
        if after == before:
            return
        for todo in after.todos:
            was = before.find(todo.id)
            if not todo.is_open and (was is None or was.status is not todo.status):
                await self._context.tell(
                    TodoFinished(
                        run_id=self._context.id, todo_id=todo.id, status=todo.status, notes=todo.notes
                    )
                )
        await self._context.tell(PlanChanged(run_id=self._context.id, plan=after))

    def _opening(self) -> OrchestratorState:
        parts = [f"# The person's request\n{self._context.run.request}"]
        inputs = self._context.run.inputs
        if came := [f"- {item.name}" for item in inputs if item.earlier and not item.made]:
            parts.append("# Input files that came with earlier requests\n" + "\n".join(came))
        if made := [f"- {item.name}" for item in inputs if item.made]:
            parts.append("# Input files that earlier requests made\n" + "\n".join(made))
        if self._context.earlier:
            parts.append(f"# Earlier in this conversation\n{self._context.earlier}")
        if ground := self._context.groundwork:
            parts.append(
                f"# How it was made then: todos and scripts\n{ground.for_plan(self._context.tables)}"
            )
        if self._context.profile:
            parts.append(f"# Profile of the input files\n{self._context.profile}")
        else:
            parts.append("# Input files\nnone")
        return OrchestratorState(
            messages=[HumanMessage("\n\n".join(parts))],
            faults=0,
            judged=0,
            version=STATE_VERSION,
            plan=Plan(),
        )
