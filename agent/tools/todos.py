"""The todo tools: the plan is made, worked off, revised and ticked off by calls."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from pydantic import BaseModel, Field

from agent.errors import ToolError
from agent.plan import Plan, Todo, TodoStatus
from agent.tools.drafts import TodoList, as_todos, clipped
from agent.tools.tool import Answer, AnyTool, Tool


class StartTodo(BaseModel, frozen=True):
    id: str = Field(default="", description="Which todo; the next one that is ready when left out.")


class CompleteTodo(BaseModel, frozen=True):
    id: str
    notes: str = Field(default="", description="Its result in one sentence, with the key figures.")
    answer: str = Field(
        default="", description="With the last open todo: the answer for the person, which ends the run."
    )


class BlockTodo(BaseModel, frozen=True):
    id: str
    reason: str = Field(description="Why it cannot be done, in the person's language.")


@dataclass(slots=True)
class PlanDesk:
    """The plan while one turn's calls are carried out: each call sees what the calls before it did."""

    plan: Plan
    skills: Sequence[str]
    taken: Sequence[str] = ()
    """Ids of todos of the run that this one builds on."""
    to_start: list[Todo] = field(default_factory=list[Todo])
    """Todos whose subagents start together when all calls of the turn have been read."""
    answer: str = ""
    """For the person, given along with the last todo."""

    def tools(self) -> tuple[AnyTool, ...]:
        return (
            Tool(
                name="create_todo_list",
                description="Make the plan. First call of every run.",
                arguments=TodoList,
                call=self._create,
            ),
            Tool(
                name="start_next_todo",
                description="Have a subagent do a todo and return its report. Several calls in one answer "
                "run independent todos at the same time.",
                arguments=StartTodo,
                call=self._start,
                subject="id",
            ),
            Tool(
                name="complete_todo",
                description="Tick off a todo whose report shows that it meets its success criterion. May "
                "stand in one answer with the next start_next_todo.",
                arguments=CompleteTodo,
                call=self._complete,
                subject="id",
            ),
            Tool(
                name="block_todo",
                description="Give up a todo that cannot be done, with the reason.",
                arguments=BlockTodo,
                call=self._block,
                subject="id",
            ),
            Tool(
                name="revise_todo_list",
                description="Replace all todos that are not done by this list. A failed todo that is named "
                "again gets another attempt.",
                arguments=TodoList,
                call=self._revise,
            ),
        )

    async def _create(self, arguments: TodoList) -> Answer:
        if self.plan.todos:
            msg = "there is a plan already: call revise_todo_list to change it"
            raise ToolError(msg)
        return self._adopt(Plan(todos=as_todos(arguments.todos, self.taken)), "created")

    async def _revise(self, arguments: TodoList) -> Answer:
        done = {todo.id for todo in self.plan.todos if todo.status is TodoStatus.DONE}
        drafts = as_todos(draft for draft in arguments.todos if draft.id not in done)
        return self._adopt(self.plan.revise(drafts), "revised")

    def _adopt(self, plan: Plan, verb: str) -> Answer:
        problems = [*plan.problems(), *self._unknown_skills(plan)]
        if problems:
            return Answer(
                ok=False, summary=f"the plan was not {verb}", body="\n".join(f"- {p}" for p in problems)
            )
        self.plan = plan
        self.to_start.clear()
        return Answer(summary=f"plan {verb}: {', '.join(todo.id for todo in plan.open)}")

    def _unknown_skills(self, plan: Plan) -> list[str]:
        known = set(self.skills)
        return [
            f"{todo.id!r} names the skill {skill!r}; there are: {', '.join(self.skills)}"
            for todo in plan.open
            for skill in todo.skills
            if skill not in known
        ]

    async def _start(self, arguments: StartTodo) -> Answer:
        todo = self._next() if not arguments.id.strip() else self._startable(arguments.id.strip())
        self.plan = self.plan.mark(todo.id, TodoStatus.ACTIVE)
        self.to_start.append(todo)
        return Answer(summary=todo.id)

    def _next(self) -> Todo:
        if self.plan.ready:
            return self.plan.ready[0]
        active = [todo.id for todo in self.plan.todos if todo.status is TodoStatus.ACTIVE]
        why = f"complete or block first: {', '.join(active)}" if active else "no todo is ready to start"
        raise ToolError(why)

    def _startable(self, name: str) -> Todo:
        todo = self._find(name)
        if todo.status is TodoStatus.DONE:
            msg = f"{name!r} is done"
            raise ToolError(msg)
        missing = [other for other in todo.depends_on if self._find(other).status is not TodoStatus.DONE]
        if missing:
            msg = f"{name!r} waits for {', '.join(missing)}: complete those first"
            raise ToolError(msg)
        if any(todo.id == started.id for started in self.to_start):
            msg = f"{name!r} has just been started"
            raise ToolError(msg)
        return todo

    async def _complete(self, arguments: CompleteTodo) -> Answer:
        todo = self._find(arguments.id)
        if todo.status is TodoStatus.DONE:
            return Answer(summary=f"{todo.id} was done already")
        if todo.status is not TodoStatus.ACTIVE or any(todo.id == started.id for started in self.to_start):
            msg = f"{todo.id!r} has no report yet: call start_next_todo and read its report first"
            raise ToolError(msg)
        self.plan = self.plan.mark(todo.id, TodoStatus.DONE, clipped(arguments.notes))
        if not self.plan.open:
            self.answer = arguments.answer.strip()
        return Answer(summary=f"{todo.id} is done; open: {self._open()}")

    async def _block(self, arguments: BlockTodo) -> Answer:
        todo = self._find(arguments.id)
        if todo.status is TodoStatus.DONE:
            msg = f"{todo.id!r} is done"
            raise ToolError(msg)
        self.to_start[:] = [started for started in self.to_start if started.id != todo.id]
        self.plan = self.plan.mark(todo.id, TodoStatus.BLOCKED, clipped(arguments.reason))
        return Answer(summary=f"{todo.id} is blocked; open: {self._open()}")

    def _find(self, name: str) -> Todo:
        todo = self.plan.find(name.strip())
        if todo is None:
            known = ", ".join(todo.id for todo in self.plan.todos) or "none: call create_todo_list first"
            msg = f"there is no todo {name!r}; there are: {known}"
            raise ToolError(msg)
        return todo

    def _open(self) -> str:
        return ", ".join(todo.id for todo in self.plan.open) or "none, so answer the person now"
