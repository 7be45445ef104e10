"""The briefing: what a conversation has told so far, read back from its messages."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self, cast

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

_LANGUAGE = re.compile(r": in (English|Russian)\.")
_SKILL = re.compile(r"^- ([a-z0-9-]+): ", re.MULTILINE)
_TODO = re.compile(r"^- \[(?P<mark>[ >x!])\] (?P<id>[\w-]+): (?P<title>.*?)(?: \*\*\(active\)\*\*)?$")
_TABLE = re.compile(r"^(?P<file>[^*-].*?)(?: \[.*\])?: \d+ rows x \d+ columns", re.MULTILINE)
_CUT = "characters cut here"


@dataclass(frozen=True, slots=True)
class Reply:
    """A call that was answered."""

    tool: str
    arguments: Mapping[str, object]
    text: str

    @property
    def ok(self) -> bool:
        return self.text.startswith("status: ok")

    @property
    def summary(self) -> str:
        return self.text.partition("summary: ")[2].partition("\n")[0]

    @property
    def body(self) -> str:
        return self.text.partition("\n\n")[2]


@dataclass(frozen=True, slots=True)
class PlannedTodo:
    id: str
    title: str
    mark: str
    """As in plan.md: a space, `>`, `x` or `!`."""
    depends_on: tuple[str, ...] = ()
    notes: str = ""

    @property
    def is_open(self) -> bool:
        return self.mark in " >"


@dataclass(frozen=True, slots=True, kw_only=True)
class Briefing:
    language: str
    skills: tuple[str, ...]
    request: str
    profile: str
    made: tuple[str, ...] = ()
    """Input files that earlier requests made: a change of them is made anew from the data."""
    came_before: tuple[str, ...] = ()
    """Input files that came with earlier requests: a request that brings files of its own is about those."""
    todo: Mapping[str, object] = field(default_factory=dict[str, object])
    """A subagent's own todo; empty for the orchestrator."""
    plan: tuple[PlannedTodo, ...] = ()
    replies: tuple[Reply, ...] = ()
    turns: int = 0
    """Answers given so far."""

    @classmethod
    def read(cls, messages: Sequence[BaseMessage]) -> Self:
        system = next((m.text for m in messages if isinstance(m, SystemMessage)), "")
        humans = [m.text for m in messages if isinstance(m, HumanMessage)]
        opening = humans[0] if humans else ""
        opening, _, todo = _split_last(opening, "Your todo")
        opening, _, _ = _split_last(opening, "What earlier todos found")
        request, found, profile = _split_last(opening, "Profile of the input files")
        if not found:
            request, _, _ = _split_last(opening, "Input files")
        request, _, _ = _split_last(request, "Earlier in this conversation")
        request, _, made = _split_last(request, "Input files that earlier requests made")
        request, _, came = _split_last(request, "Input files that came with earlier requests")
        request = request.removeprefix("# The person's request\n").strip()
        replies = tuple(_replies(messages))
        return cls(
            language=_language(system, request),
            skills=tuple(_SKILL.findall(system)),
            request=request,
            profile=profile,
            made=_listed(made),
            came_before=_listed(came),
            todo=_object(todo),
            plan=_plan(humans[-1], replies) if humans else (),
            replies=replies,
            turns=sum(isinstance(m, AIMessage) for m in messages),
        )

    @property
    def files(self) -> tuple[str, ...]:
        """Those that the request is about, tables first: what it brought, else what earlier ones brought."""
        lines = self.profile.splitlines()
        others = [
            line.partition(": ")[0] for line in lines if ": " in line and not line.startswith(("- ", "* "))
        ]
        found = self._found
        others = [
            name for name in others if "." in name and not any(name.startswith(f"{t} [") for t in found)
        ]
        told = tuple(dict.fromkeys([*found, *others]))
        sent = [name for name in told if name not in self.made]
        fresh = [name for name in sent if name not in self.came_before]
        return tuple(fresh or sent) or found or told

    @property
    def tables(self) -> tuple[str, ...]:
        """Those of `files` in which the profiler found a table."""
        return tuple(name for name in self.files if name in self._found)

    @property
    def _found(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(match["file"] for match in _TABLE.finditer(self.profile)))

    @property
    def may_hold_tables(self) -> bool:
        return bool(self.tables) or _CUT in self.profile


def _listed(section: str) -> tuple[str, ...]:
    return tuple(line.removeprefix("- ") for line in section.splitlines())


def _split_last(text: str, heading: str) -> tuple[str, str, str]:
    """The heading is ours; a request that quotes it stands before it."""
    head, found, tail = f"\n\n{text}".rpartition(f"\n\n# {heading}\n")
    return (head.lstrip("\n"), found, tail) if found else (text, "", "")


def _language(system: str, request: str) -> str:
    named = _LANGUAGE.search(system)
    if named:
        return "ru" if named[1] == "Russian" else "en"
    return "ru" if re.search("[а-яё]", request, re.IGNORECASE) else "en"


def _object(text: str) -> Mapping[str, object]:
    try:
        value: object = json.loads(text)
    except ValueError:
        return {}
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}


def _replies(messages: Sequence[BaseMessage]) -> list[Reply]:
    calls = {
        call["id"]: call for m in messages if isinstance(m, AIMessage) for call in m.tool_calls if call["id"]
    }
    answers = [m for m in messages if isinstance(m, ToolMessage) and m.tool_call_id in calls]
    return [Reply(calls[m.tool_call_id]["name"], calls[m.tool_call_id]["args"], m.text) for m in answers]


def _plan(text: str, replies: Sequence[Reply]) -> tuple[PlannedTodo, ...]:
    """The outline tells how each todo stands; what it needs and what came of it was told in calls."""
    if not text.startswith("The plan as it stands now:\n"):
        return ()
    needs, notes = _needs(replies), _notes(replies)
    return tuple(
        PlannedTodo(
            id=match["id"],
            title=match["title"],
            mark=match["mark"],
            depends_on=needs.get(match["id"], ()),
            notes=notes.get(match["id"], ""),
        )
        for line in text.splitlines()
        if (match := _TODO.match(line))
    )


def _needs(replies: Sequence[Reply]) -> dict[str, tuple[str, ...]]:
    made = [
        reply.arguments.get("todos") for reply in replies if reply.tool == "create_todo_list" and reply.ok
    ]
    todos = [todo for drafts in made if isinstance(drafts, list) for todo in cast("list[object]", drafts)]
    return {
        str(draft["id"]): tuple(cast("Sequence[str]", draft.get("depends_on", ())))
        for todo in todos
        if isinstance(todo, dict) and "id" in (draft := cast("dict[str, object]", todo))
    }


def _notes(replies: Sequence[Reply]) -> dict[str, str]:
    """The last word on each todo."""
    found: dict[str, str] = {}
    for reply in replies:
        name = str(reply.arguments.get("id", ""))
        if reply.tool in ("block_todo", "complete_todo"):
            found[name] = str(reply.arguments.get("reason", reply.arguments.get("notes", "")))
        elif reply.tool == "start_next_todo" and not reply.ok:
            found[name] = reply.summary
    return found
