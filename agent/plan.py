"""The plan is a value: every change returns a new one.

Pydantic rather than dataclasses, because the plan lives in checkpointed graph state and must come back from
the database exactly as it went in.
"""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Self

from pydantic import BaseModel


class TodoStatus(StrEnum):
    PENDING = "pending"
    ACTIVE = "active"
    DONE = "done"
    BLOCKED = "blocked"


MARK = {
    TodoStatus.PENDING: "[ ]",
    TodoStatus.ACTIVE: "[>]",
    TodoStatus.DONE: "[x]",
    TodoStatus.BLOCKED: "[!]",
}


class Todo(BaseModel, frozen=True, extra="forbid"):
    """One piece of work that a subagent can do from what stands here and the files it names."""

    id: str
    title: str
    skills: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    success: str = ""
    """How one can tell that it is done."""
    outputs: tuple[str, ...] = ()
    depends_on: tuple[str, ...] = ()
    status: TodoStatus = TodoStatus.PENDING
    notes: str = ""
    """What came of it: the reason of a block, or the result in a sentence."""
    report: str = ""
    """The subagent's own words, for the subagents of the todos that depend on this one."""

    @property
    def is_open(self) -> bool:
        return self.status in (TodoStatus.PENDING, TodoStatus.ACTIVE)


class Plan(BaseModel, frozen=True, extra="forbid"):
    todos: tuple[Todo, ...] = ()

    def find(self, todo_id: str) -> Todo | None:
        return next((todo for todo in self.todos if todo.id == todo_id), None)

    @property
    def open(self) -> tuple[Todo, ...]:
        return tuple(todo for todo in self.todos if todo.is_open)

    @property
    def ready(self) -> tuple[Todo, ...]:
        """Pending todos whose dependencies are all done, in the plan's order."""
        done = {todo.id for todo in self.todos if todo.status is TodoStatus.DONE}
        return tuple(
            todo
            for todo in self.todos
            if todo.status is TodoStatus.PENDING and done.issuperset(todo.depends_on)
        )

    def mark(self, todo_id: str, status: TodoStatus, notes: str | None = None) -> Self:
        change: Mapping[str, object] = {"status": status} | ({} if notes is None else {"notes": notes})
        return self.model_copy(
            update={"todos": tuple(t.model_copy(update=change) if t.id == todo_id else t for t in self.todos)}
        )

    def revise(self, drafts: Iterable[Todo]) -> Self:
        """`drafts` become the open part. What is done or blocked stays, unless drafted again."""
        new = tuple(drafts)
        names = {todo.id for todo in new}
        kept = tuple(todo for todo in self.todos if not todo.is_open and todo.id not in names)
        return self.model_copy(update={"todos": kept + new})

    def problems(self) -> tuple[str, ...]:
        """Why this plan cannot be carried out; empty when it can."""
        if not self.todos:
            return ("the plan has no todos",)
        names = [todo.id for todo in self.todos]
        found = [
            f"the id {name!r} is used twice" for name in sorted({n for n in names if names.count(n) > 1})
        ]
        found += [
            f"{todo.id!r} depends on {other!r}, which is not in the plan"
            for todo in self.todos
            for other in todo.depends_on
            if other not in names
        ]
        return tuple(found or self._circles())

    def _circles(self) -> list[str]:
        waiting = {todo.id: set(todo.depends_on) for todo in self.todos}
        while free := [name for name, needs in waiting.items() if not needs & waiting.keys()]:
            for name in free:
                del waiting[name]
        return [f"these todos wait for each other: {', '.join(sorted(waiting))}"] if waiting else []

    def with_report(self, todo_id: str, report: str) -> Self:
        todos = (t.model_copy(update={"report": report}) if t.id == todo_id else t for t in self.todos)
        return self.model_copy(update={"todos": tuple(todos)})

    def to_markdown(self) -> str:
        """With all details, as a person reads it in plan.md."""
        lines = (line for todo in self.todos for line in (_headline(todo), *_details(todo)))
        return "\n".join(["# Plan", *lines]) + "\n"

    def outline(self) -> str:
        """One line a todo, for the prompt: the details stand in the calls that made the plan."""
        return "\n".join(["# Plan", *map(_headline, self.todos)]) + "\n"


def _headline(todo: Todo) -> str:
    active = " **(active)**" if todo.status is TodoStatus.ACTIVE else ""
    return f"- {MARK[todo.status]} {todo.id}: {todo.title}{active}"


def _details(todo: Todo) -> Iterable[str]:
    for label, value in (
        ("skills", ", ".join(todo.skills)),
        ("inputs", ", ".join(todo.inputs)),
        ("success", todo.success),
        ("outputs", ", ".join(todo.outputs)),
        ("depends on", ", ".join(todo.depends_on)),
        ("notes", todo.notes),
    ):
        if value:
            yield f"  {label}: {value}"
