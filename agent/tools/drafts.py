"""Todos as models really send them.

Open models break nested JSON: a list arrives as a JSON string, as Markdown lines, or as strings instead of
objects. What can be understood is understood; the rest is told exactly what to send.
"""

import json
import re
from collections.abc import Iterable
from typing import Annotated, Any, cast

from pydantic import BaseModel, BeforeValidator, Field, WithJsonSchema

from agent.plan import Todo

MAX_TODOS = 20
EXAMPLE = (
    '[{"id": "eda-analysis", "title": "Exploratory analysis of data.csv", "skills": ["eda"], '
    '"inputs": ["data.csv"], "success": "…", "outputs": ["summary.csv"], "depends_on": []}]'
)
MAX_TEXT = 1_000
"""Characters of a title, a criterion, a note: they stand in every later prompt."""
MAX_NAMES = 40
MAX_LIST = 40_000
"""Characters of a list that was sent as text."""
_LINE = re.compile(r"(?:[-*+]|\d{1,3}[.)])\s*(?:\[[ xX>!]\])?")
_NAMED = re.compile(r"^(?P<id>[\w-]{1,40}):\s+(?P<title>.+)$")
_DETAIL = re.compile(
    r"^\s+(?:[-*+]\s*)?(?P<key>skills|inputs|success|outputs|depends[ _]on|notes):\s*(?P<value>.*)$"
)
_WORD = re.compile(r"[^\w]+")


def _names(value: object) -> object:
    """A list of names from a list, a JSON list in a string, or words between commas."""
    if value is None:
        return ()
    if not isinstance(value, str):
        return value
    text = value.strip()
    if text.startswith("["):
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            text = text.strip("[]")
    return tuple(part.strip().strip("'\"") for part in re.split(r"[,;\n]", text) if part.strip())


Names = Annotated[
    tuple[str, ...],
    BeforeValidator(_names),
    WithJsonSchema({"type": "array", "items": {"type": "string"}}),
]


class TodoDraft(BaseModel, frozen=True, extra="ignore"):
    id: str = Field(default="", description="Short and telling: lower-case words joined by hyphens.")
    title: str = Field(description="What is done, to which file, in the person's language.")
    skills: Names = ()
    inputs: Names = Field(default=(), description="Input files, and outputs of earlier todos.")
    success: str = Field(default="", description="How one can tell that it is done.")
    outputs: Names = Field(default=(), description="Files that it must leave in out/.")
    depends_on: Names = Field(default=(), description="Ids of todos that must be done before.")


def _drafts(value: object) -> object:
    if isinstance(value, str):
        value = _parsed(value)
    if isinstance(value, dict):
        mapping = cast("dict[str, Any]", value)
        value = mapping.get("todos", [mapping])
    if isinstance(value, (list, tuple)):
        return [_drafted(item) for item in cast("Iterable[object]", value)]
    return value


def _drafted(item: object) -> object:
    if not isinstance(item, str):
        return item
    if item.lstrip().startswith("{"):
        try:
            return json.loads(item, strict=False)
        except (ValueError, RecursionError):
            pass
    match = _NAMED.match(item.strip())
    return {"id": match["id"], "title": match["title"]} if match else {"title": item.strip()}


def _parsed(text: str) -> object:
    bare = re.sub(r"^```\w*\n|\n```$", "", text.strip()[:MAX_LIST])
    try:
        return json.loads(bare, strict=False)
    except (ValueError, RecursionError):
        return _from_markdown(bare)


def _from_markdown(text: str) -> list[object]:
    found: list[dict[str, object]] = []
    for line in text.splitlines():
        if found and (detail := _DETAIL.match(line)):
            found[-1][detail["key"].replace(" ", "_")] = detail["value"]
        elif item := _LINE.match(line.strip()):
            found.append(cast("dict[str, object]", _drafted(line.strip()[item.end() :])) | {})
    if not found:
        msg = f"todos must be a JSON list such as {EXAMPLE}, or Markdown lines '- id: title'"
        raise ValueError(msg)
    return list(found)


class TodoList(BaseModel, frozen=True):
    todos: Annotated[list[TodoDraft], BeforeValidator(_drafts)] = Field(
        min_length=1, max_length=MAX_TODOS, description="In the order in which they should be done."
    )


def as_todos(drafts: Iterable[TodoDraft], taken: Iterable[str] = ()) -> tuple[Todo, ...]:
    """Todos with an id each: the draft's own made plain, or one made of the title."""
    used = set(taken)
    todos: list[Todo] = []
    for draft in drafts:
        base = _slug(draft.id) or _slug(draft.title)[:32].strip("-") or "todo"
        name, number = base, 2
        while name in used:
            name, number = f"{base}-{number}", number + 1
        used.add(name)
        todos.append(
            Todo(
                id=name,
                title=clipped(draft.title),
                skills=_few(draft.skills),
                inputs=_few(draft.inputs),
                success=clipped(draft.success),
                outputs=tuple(output.removeprefix("out/") for output in _few(draft.outputs)),
                depends_on=tuple(_slug(other) for other in _few(draft.depends_on)),
            )
        )
    return tuple(todos)


def clipped(text: str) -> str:
    """One line of bounded length."""
    line = " ".join(text[: 4 * MAX_TEXT].split())
    return line if len(line) <= MAX_TEXT else line[: MAX_TEXT - 1] + "…"


def _few(names: Names) -> tuple[str, ...]:
    return tuple(clipped(name) for name in names[:MAX_NAMES])


def _slug(text: str) -> str:
    return _WORD.sub("-", text[:400].strip().lower()).strip("-")[:40]
