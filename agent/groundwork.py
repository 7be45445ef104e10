"""The groundwork: what an earlier run of the conversation left to build on, its scripts above all."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from agent import factbook, layout, scripts
from agent.factbook import Fact
from agent.plan import Todo
from agent.run import RunContext
from agent.scripts import Scripts, TodoScripts
from sandbox.names import split_path
from storage.artifacts import save_to
from storage.errors import NotFound
from storage.records import Artifact, ArtifactKind, RunId

LEDGER_KEY = "groundwork"
MAX_BYTES = 200 << 20
"""Of files that are laid out again."""
MAX_NAMED = 12
"""Scripts that a subagent is told of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Groundwork:
    run_id: RunId
    scripts: Scripts
    facts: tuple[Fact, ...] = ()
    made: frozenset[str] = frozenset()
    """Names of its files among the inputs of this run."""
    redone: bool = False
    """The same work on another file: its figures are those of the old one."""

    @property
    def taken(self) -> tuple[str, ...]:
        """Ids of todos that must not be given again: scripts and facts are filed by them."""
        return tuple(todo.id for todo in self.scripts.todos)

    def concerns(self, todo: Todo) -> bool:
        """Whether the todo changes something of it; most follow-ups only ask for more."""
        return self.redone or any(PurePosixPath(name).name in self.made for name in todo.inputs)

    def of_todo(self, todo: Todo) -> Mapping[str, str]:
        """Scripts that the todo may mend instead of writing them anew, by name: those that made its inputs,
        or did the same before."""
        files = {PurePosixPath(name).name for name in (*todo.inputs, *todo.outputs)}
        if self.redone:
            chosen = [
                old for old in self.scripts.todos if todo.id == old.id or todo.id.startswith(f"{old.id}-")
            ]
        else:
            chosen = [
                old for old in self.scripts.todos if files & {PurePosixPath(n).name for n in old.outputs}
            ]
        found: dict[str, str] = {}
        for old in chosen or self.scripts.todos[-1:]:
            for name, source in old.sources.items():
                if name not in scripts.OURS:
                    found.setdefault(name, source)
        return found

    def for_plan(self, new: Sequence[layout.Table]) -> str:
        """What the one who plans is told; short, since the scripts themselves are not read."""
        lines = [f"- {todo.id}: {todo.title} ({', '.join(todo.runs)})" for todo in self.scripts.todos]
        if self.redone:
            differ = layout.differences(self.scripts.tables, new)
            lines += ["The new files are not laid out as those were:", *(f"- {text}" for text in differ)]
        return "\n".join(lines)


async def find_groundwork(context: RunContext) -> Groundwork | None:
    """That of the run whose scripts this one shall have, else of the newest whose files it has among its
    inputs; None where there is none, or it had no scripts.

    Raises: StorageError.
    """
    artifacts = context.artifacts
    run_id = context.run.redoes or await _maker(context)
    written = await scripts.of_run(artifacts, run_id) if run_id is not None else None
    if run_id is None or written is None or not written.todos:
        return None
    facts = await factbook.of_run(artifacts, run_id)
    made = {name for item in context.run.inputs if item.made for name in (item.name, item.original)}
    return Groundwork(
        run_id=run_id,
        scripts=written,
        facts=facts,
        made=frozenset(made),
        redone=context.run.redoes is not None,
    )


async def lay(context: RunContext, groundwork: Groundwork) -> None:
    """Into out/, once a run: all files that the earlier run made, working ones too, and its facts. So only
    that has to run again which is changed.

    Raises: StorageError, OSError.
    """
    if groundwork.redone or await context.ledger.get(context.id, LEDGER_KEY) is not None:
        return
    known: dict[str, Artifact] = {}
    for item in await context.artifacts.of_run(groundwork.run_id):
        if item.kind is ArtifactKind.OUTPUT and split_path(item.name) is not None:
            known[item.name] = item
    left = MAX_BYTES
    for item in known.values():
        path, left = context.folder.out / item.name, left - item.size
        if left >= 0 and not path.exists():  # of a todo at work
            path.parent.mkdir(parents=True, exist_ok=True)
            await save_to(context.artifacts, item.id, path)
    await asyncio.to_thread(factbook.lay_out, groundwork.facts, context.folder.out)
    laid = {item.name: item.sha256 for item in known.values()}
    await context.ledger.put(context.id, LEDGER_KEY, json.dumps(laid))


async def unchanged(context: RunContext) -> Mapping[str, str]:
    """SHA-256 by name of the files that were laid out: those that still are so are no work of this run."""
    known = await context.ledger.get(context.id, LEDGER_KEY)
    return {} if known is None else json.loads(known)


async def built_on(context: RunContext, written: Scripts) -> Scripts:
    """With the scripts of the earlier run before its own, where those read what these made."""
    groundwork = context.groundwork
    if groundwork is None or not await unchanged(context):
        return written
    before: list[TodoScripts] = [todo for todo in groundwork.scripts.todos if todo.id not in _ids(written)]
    return written.model_copy(update={"todos": (*before, *written.todos)})


def _ids(written: Scripts) -> set[str]:
    return {todo.id for todo in written.todos}


async def _maker(context: RunContext) -> RunId | None:
    makers: list[RunId] = []
    for item in context.run.inputs:
        if item.made:
            try:
                made = await context.artifacts.get(item.artifact_id)
            except NotFound:
                continue
            if made.run_id is not None:
                makers.append(made.run_id)
    return max(makers, default=None)
