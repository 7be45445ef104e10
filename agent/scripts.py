"""The scripts of a run as it ended: to be run from clean, on another file, or on another machine."""

import asyncio
from collections.abc import Iterable, Sequence
from pathlib import Path

from pydantic import BaseModel, ValidationError

from agent.checking import SCRIPT as CHECK
from agent.factbook import RECORDS, record
from agent.folder import RunFolder
from agent.layout import Table
from agent.plan import Plan
from agent.profiling import SCRIPT as PROFILE
from agent.rendering import MODULES as RENDERING
from agent.run import MARKER, RunContext
from storage.artifacts import ArtifactStore
from storage.records import EventRecord, InputRef, RunId

NAME = f"{RECORDS}scripts.json"
OURS = (CHECK, PROFILE, MARKER, *RENDERING)
MAX_SOURCE = 1 << 20
"""Bytes of one script; those of a model have some thousand."""


class Input(BaseModel, frozen=True):
    """A file that the scripts read. Its bytes are not in the record."""

    name: str
    original: str
    size: int
    sha256: str
    fresh: bool = True
    """It came with this request: on another file, that one takes its place."""


class TodoScripts(BaseModel, frozen=True):
    id: str
    title: str = ""
    skills: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    policy: str = ""
    sources: dict[str, str]
    """Scripts and the modules that they import, by file name."""
    runs: tuple[str, ...]
    """Those to run, in the order in which they first succeeded."""
    seconds: float = 0.0
    """What their last runs took together."""


class Scripts(BaseModel, frozen=True):
    todos: tuple[TodoScripts, ...] = ()
    """Those with something to run, in the order of their work."""
    inputs: tuple[Input, ...] = ()
    tables: tuple[Table, ...] = ()
    """What the profiler found in the inputs."""

    @property
    def seconds(self) -> float:
        return sum(todo.seconds for todo in self.todos)


class _Run(BaseModel, frozen=True):
    todo_id: str | None
    script: str
    status: str
    seconds: float = 0.0


async def written(
    context: RunContext, plan: Plan, events: Iterable[EventRecord], artifacts: ArtifactStore
) -> Scripts:
    """Raises: StorageError."""
    inputs = [await _input(item, artifacts) for item in context.run.inputs]
    return await asyncio.to_thread(gather, context, plan, events, inputs)


async def _input(item: InputRef, artifacts: ArtifactStore) -> Input:
    kept = await artifacts.get(item.artifact_id)
    return Input(
        name=item.name,
        original=item.original,
        size=item.size,
        sha256=kept.sha256,
        fresh=not (item.earlier or item.made or item.brand),
    )


def gather(
    context: RunContext, plan: Plan, events: Iterable[EventRecord], inputs: Sequence[Input]
) -> Scripts:
    """What the run's events say ran at last with success; the sources lie in code/."""
    last: dict[tuple[str, str], _Run] = {}
    for event in events:
        if event.kind == "ScriptRan":
            run = _Run.model_validate(event.payload)
            if run.todo_id is not None and run.script != CHECK:
                last[run.todo_id, run.script] = run  # a name keeps its first place
    todos = dict.fromkeys(todo for todo, _ in last)
    found = [
        _todo_scripts(context, plan, name, [run for run in last.values() if run.todo_id == name])
        for name in todos
    ]
    return Scripts(
        todos=tuple(todo for todo in found if todo.runs), inputs=tuple(inputs), tables=context.tables
    )


def _todo_scripts(context: RunContext, plan: Plan, name: str, runs: Sequence[_Run]) -> TodoScripts:
    todo = plan.find(name)
    sources = read_sources(context.folder, name, context.languages)
    good = [run for run in runs if run.status == "ok" and run.script in sources]
    skills = todo.skills if todo else ()
    return TodoScripts(
        id=name,
        title=todo.title if todo else "",
        skills=skills,
        outputs=todo.outputs if todo else (),
        policy=context.rules.policy(context.chat, skills),
        sources=sources,
        runs=tuple(run.script for run in good),
        seconds=sum(run.seconds for run in good),
    )


def read_names(code: Path, languages: Sequence[str] = ()) -> tuple[str, ...]:
    """The scripts of a todo, without those of ours."""
    return tuple(
        path.name
        for path in sorted(code.iterdir())
        if path.suffix in (".py", *languages) and path.name not in OURS and path.is_file()
    )


def read_sources(folder: RunFolder, todo_id: str, languages: Sequence[str] = ()) -> dict[str, str]:
    """The scripts of a todo as they were last accepted: ours to read, since the host wrote them."""
    found: dict[str, str] = {}
    code = folder.code(todo_id)
    names = read_names(code, languages) if code.is_dir() else ()
    for name in (*names, MARKER) if names else ():
        with (code / name).open("rb") as file:
            found[name] = file.read(MAX_SOURCE).decode("utf-8", "replace")
    return found


def lay_out(todo: TodoScripts, code: Path) -> None:
    """Into a folder, whatever was there before stays."""
    code.mkdir(parents=True, exist_ok=True)
    for name, source in todo.sources.items():
        (code / name).write_text(source, encoding="utf-8")


def dump(scripts: Scripts) -> bytes:
    return scripts.model_dump_json(indent=1).encode("utf-8", "backslashreplace")


async def of_run(artifacts: ArtifactStore, run_id: RunId) -> Scripts | None:
    """The scripts that a run left; None when it had none.

    Raises: StorageError.
    """
    content = await record(artifacts, run_id, NAME)
    if content is None:
        return None
    try:
        return await asyncio.to_thread(Scripts.model_validate_json, content)
    except ValidationError:
        return None
