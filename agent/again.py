"""Again: the scripts of an earlier run on the files of this one, without a model, and what has changed."""

import asyncio
import json
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from agent import factbook, layout, scripts
from agent.events import PlanChanged, TodoFinished, TodoStarted
from agent.factbook import EARLIER, Fact
from agent.groundwork import Groundwork
from agent.outputs import WORKING
from agent.plan import Plan, Todo, TodoStatus
from agent.recipes.texts import Texts
from agent.rerun import play, same
from agent.run import RunContext
from agent.scripts import TodoScripts
from sandbox.names import sendable_names
from storage.artifacts import save_to
from storage.records import InputRef

LEDGER_KEY = "again"
FAILED = "again-failed"
MAX_TOLD = 20
_NUMBERS = ("fact", "computed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A fact of both runs whose text is another now; empty where one has no such fact."""

    id: str
    before: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Again:
    context: RunContext
    ground: Groundwork
    pairs: Mapping[str, str]
    """Which of this run's files stands for each file of the scripts, by name."""

    @classmethod
    def of(cls, context: RunContext, ground: Groundwork) -> "Again | None":
        """None where the new files are laid out otherwise, so that a model must adapt the scripts."""
        inputs = context.run.inputs
        pairs = layout.pairing(
            ground.scripts.tables,
            context.tables,
            files=[item.name for item in ground.scripts.inputs],
            fresh=[item.name for item in inputs if not (item.earlier or item.made or item.brand)],
            carried=[item.name for item in inputs if item.earlier or item.made or item.brand],
        )
        if pairs is None:
            return None
        known = {item.name: item for item in inputs}
        renamed = tuple(replace(known[new], name=old) for old, new in pairs.items())
        context = replace(context, run=replace(context.run, inputs=renamed))
        return cls(context=context, ground=ground, pairs=pairs)

    async def answer(self) -> tuple[str, Plan] | None:
        """What there is to say, and the plan as it was done; None when a script failed on the new files: what
        it left is gone then, and a model is to look.

        Raises: SandboxUnavailable, StorageError, BudgetExceeded
        """
        if await self.context.ledger.get(self.context.id, FAILED) is not None:
            return None
        await self._lay_inputs(self.context.run.inputs)
        plan = Plan(todos=tuple(_todo(todo) for todo in self.ground.scripts.todos))
        await self.context.tell(PlanChanged(run_id=self.context.id, plan=plan))
        for todo in self.ground.scripts.todos:
            self.context.budget.check()
            if not await self._done(todo):
                await self._clear()
                return None
            plan = plan.mark(todo.id, TodoStatus.DONE)
            await self.context.tell(
                TodoFinished(run_id=self.context.id, todo_id=todo.id, status=TodoStatus.DONE, notes="")
            )
        await self.context.tell(PlanChanged(run_id=self.context.id, plan=plan))
        out = self.context.folder.out
        facts = await asyncio.to_thread(factbook.collect, out)
        before = [fact for fact in self.ground.facts if fact.ledger != EARLIER]
        after = [fact for fact in facts if fact.ledger != EARLIER]
        changed = changes(before, after)
        counts = {
            "figures changed": len(changed),
            "figures in all": sum(fact.kind in _NUMBERS for fact in after),
            "changes not listed": max(len(changed) - MAX_TOLD, 0),
        }
        remembered = [*_remembered(before), *(_counted(name, count) for name, count in counts.items())]
        await asyncio.to_thread(factbook.lay_out, remembered, out)
        return self._words(changed, counts["figures in all"]), plan

    async def _clear(self) -> None:
        """As if nothing had been tried. The note comes last: from then on others work in these folders."""
        folder = self.context.folder
        for path in (folder.out, *(folder.code(todo.id) for todo in self.ground.scripts.todos)):
            await asyncio.to_thread(shutil.rmtree, path, ignore_errors=True)
        folder.make()
        await self.context.ledger.put(self.context.id, FAILED, "")

    async def _lay_inputs(self, inputs: Iterable[InputRef]) -> None:
        """Under the names that the scripts know."""
        for item in inputs:
            await save_to(self.context.artifacts, item.artifact_id, self.context.folder.inputs / item.name)

    async def _done(self, todo: TodoScripts) -> bool:
        """Whether its scripts ran to the end: each todo once, whatever comes between."""
        context, key = self.context, f"{LEDGER_KEY}:{todo.id}"
        known = await context.ledger.get(context.id, key)
        if known is None:
            await context.tell(TodoStarted(run_id=context.id, todo_id=todo.id, title=todo.title))
            scripts.lay_out(todo, context.folder.code(todo.id))
            played = await play(context, [todo], inputs=context.folder.inputs)
            known = await context.ledger.put(context.id, key, json.dumps(not played.failed))
        return known == "true"

    def _words(self, changed: Sequence[Change], count: int) -> str:
        texts = Texts.load(self.context.run.language)
        files = [item.original for item in self.context.run.inputs if self.pairs.get(item.name)]
        lines = [texts.say("again_done", files=", ".join(files), changed=len(changed), count=count)]
        lines += [
            f"- {_words(change.id.replace('_', ' '))}: {change.before or '—'} → {change.after or '—'}"
            for change in changed[:MAX_TOLD]
        ]
        if len(changed) > MAX_TOLD:
            lines.append(texts.say("again_more", count=len(changed) - MAX_TOLD))
        outputs = dict.fromkeys(name for todo in self.ground.scripts.todos for name in todo.outputs)
        made = [
            name
            for name in outputs
            if not name.lower().endswith(WORKING) and (self.context.folder.out / name).is_file()
        ]
        if made:
            lines += ["", texts.say("files"), *(f"- {name}" for name in sendable_names(made))]
        return "\n".join(lines)


def changes(before: Sequence[Fact], after: Sequence[Fact]) -> tuple[Change, ...]:
    """Facts that are numbers of their own, those that a script stated before what a library computed, in the
    order in which they are stated now; then those gone."""
    after = sorted(after, key=lambda fact: fact.kind != _NUMBERS[0])
    old = {(fact.ledger, fact.id): fact for fact in before if fact.kind in _NUMBERS}
    new = {(fact.ledger, fact.id): fact for fact in after if fact.kind in _NUMBERS}
    found = [
        Change(id=key[1], before=_text(old.get(key)), after=_text(fact))
        for key, fact in new.items()
        if key not in old or not same(old[key], fact)
    ]
    found += [Change(id=key[1], before=_text(fact), after="") for key, fact in old.items() if key not in new]
    return tuple(change for change in found if change.before != change.after)


def _text(fact: Fact | None) -> str:
    return "" if fact is None else _words(fact.text or str(fact.value))


def _words(text: str) -> str:
    """One short line of what a script may have written anything into."""
    return " ".join(text.split())[:80]


def _remembered(before: Iterable[Fact]) -> list[Fact]:
    """Facts of the earlier run under names of their own, for those who ask where a number is from."""
    return [
        fact.model_copy(update={"id": f"earlier_{fact.id}", "kind": "computed", "ledger": EARLIER})
        for fact in before
        if fact.kind in _NUMBERS
    ]


def _counted(name: str, count: int) -> Fact:
    return Fact(kind="computed", id=name, value=count, text=str(count), traced=True, ledger=EARLIER)


def _todo(todo: TodoScripts) -> Todo:
    return Todo(id=todo.id, title=todo.title or todo.id, skills=todo.skills, outputs=todo.outputs)
