"""Everything that one run needs, for as long as it runs."""

import hashlib
import re
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from langgraph.checkpoint.base import BaseCheckpointSaver

from agent.asking import Asker
from agent.budget import Budget
from agent.events import RunEvent, SandboxWaiting, ToolFinished, ToolStarted
from agent.folder import RunFolder
from agent.journal import Journal
from agent.layout import Table
from agent.models import Models
from agent.rules import PolicyRules
from sandbox.session import InputFile, Sandbox, Workspace
from skills.catalog import SkillCatalog
from storage.artifacts import ArtifactStore
from storage.ledger import Ledger
from storage.records import Run, RunId

if TYPE_CHECKING:  # which is made of a context
    from agent.groundwork import Groundwork

MARKER = "_todo.py"
"""Beside the scripts of a todo: tells the facts of two scripts of one name apart, and the run's language."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunContext:
    run: Run
    folder: RunFolder
    models: Models
    sandbox: Sandbox
    catalog: SkillCatalog
    languages: tuple[str, ...] = ()
    """Suffixes of the scripts that the sandbox runs beside Python's."""
    budget: Budget
    journal: Journal
    ledger: Ledger
    artifacts: ArtifactStore
    checkpointer: BaseCheckpointSaver[str]
    rules: PolicyRules
    chat: str = ""
    """Platform and key of the conversation, for the rules."""
    profile: str = ""
    """What the profiler said of the input files; empty when there are none."""
    tables: tuple[Table, ...] = ()
    """What it found in them."""
    earlier: str = ""
    """What the conversation asked before and was told; empty at its beginning."""
    groundwork: "Groundwork | None" = None
    """What an earlier run left for this one to build on."""
    asker: Asker | None = None
    """Asks the run's person; None where nobody can be asked."""
    sample_rows: bool = True
    """Whether the profile shows values of cells, and models may read lines of the person's files."""

    @property
    def id(self) -> RunId:
        return self.run.id

    async def tell(self, event: RunEvent) -> None:
        await self.journal.tell(event)

    async def sandbox_waits(self, todo_id: str | None, ahead: int) -> None:
        """All containers are in use, and `ahead` leases are in front of this todo's."""
        await self.tell(SandboxWaiting(run_id=self.id, todo_id=todo_id, ahead=ahead))

    @asynccontextmanager
    async def step(self, todo_id: str | None, name: str) -> AsyncGenerator[None]:
        """Something that takes a while and that no model called: told like a tool."""
        began = time.monotonic()
        await self.tell(ToolStarted(run_id=self.id, todo_id=todo_id, tool=name, subject=""))
        try:
            yield
        except Exception:
            await self._ended(todo_id, name, time.monotonic() - began, ok=False)
            raise
        await self._ended(todo_id, name, time.monotonic() - began, ok=True)

    async def _ended(self, todo_id: str | None, name: str, seconds: float, *, ok: bool) -> None:
        await self.tell(
            ToolFinished(
                run_id=self.id, todo_id=todo_id, tool=name, subject="", ok=ok, summary="", seconds=seconds
            )
        )

    def workspace(self, todo_id: str, attempt: str, skills: Sequence[str] = ()) -> Workspace:
        """A container's filling for one attempt at a todo that needs `skills`."""
        code = self.folder.code(todo_id)
        code.mkdir(parents=True, exist_ok=True)
        marker = f'NAME = "{todo_id}"\nLANGUAGE = "{self.run.language}"\n'
        (code / MARKER).write_text(marker, encoding="utf-8")
        return Workspace(
            owner=_owner(self.id, todo_id, attempt),
            inputs=tuple(
                InputFile(name=item.name, source=self.folder.inputs / item.name) for item in self.run.inputs
            ),
            code=code,
            out=self.folder.out,
            skills=tuple(skill.folder for skill in self.catalog.skills if skill.scripts is not None),
            policy=self.rules.policy(self.chat, skills),
        )


def _owner(run_id: RunId, todo_id: str, attempt: str) -> str:
    """A container's name knows only [a-z0-9-], a todo's id any alphabet: so its digest is in it too."""
    plain = re.sub(r"[^a-z0-9]+", "-", todo_id.lower()).strip("-")[:12].strip("-") or "todo"
    digest = hashlib.sha256(todo_id.encode("utf-8", "backslashreplace")).hexdigest()[:4]
    return f"{run_id}-{plain}-{digest}-{attempt}"
