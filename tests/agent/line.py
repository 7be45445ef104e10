"""The whole agent line for tests: real storage in a folder, a sandbox and models of the test's choice."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from agent.asking import Asker
from agent.budget import Limits
from agent.checking import SKILL
from agent.events import RunEvent
from agent.models import Models
from agent.rules import PolicyRules
from agent.runner import Runner
from agent.state import STATE_TYPES
from sandbox.session import Sandbox
from skills.catalog import SkillCatalog
from storage.artifacts import ArtifactStore, open_artifacts, put_bytes
from storage.checkpoints import open_checkpointer
from storage.conversations import Conversations
from storage.database import Database, open_database
from storage.events import Events
from storage.ledger import Ledger
from storage.records import ArtifactKind, InputRef, Run, RunId
from storage.runs import Runs


@dataclass(slots=True)
class Line:
    runner: Runner
    runs: Runs
    events: Events
    artifacts: ArtifactStore
    database: Database
    seen: list[RunEvent] = field(default_factory=list[RunEvent])

    async def ask(
        self,
        request: str,
        files: Sequence[tuple[str, bytes]] = (),
        *,
        language: str = "en",
        made: Sequence[tuple[str, bytes]] = (),
    ) -> RunId:
        """A run in the queue, as the gateway would leave it. Earlier runs `made` the rest of its files."""
        conversation = await Conversations(self.database).get_or_create("test", "here", language)
        inputs: list[InputRef] = []
        for name, content in (*files, *made):
            artifact = await put_bytes(self.artifacts, content, name=name, kind=ArtifactKind.INPUT)
            inputs.append(
                InputRef(
                    name=name,
                    original=name,
                    artifact_id=artifact.id,
                    size=len(content),
                    made=(name, content) in made,
                )
            )
        run = await self.runs.create(conversation.id, request, language=language, inputs=inputs)
        return run.id

    async def run(self, run_id: RunId) -> Run:
        """Do it; the events are in `seen`."""
        async for event in self.runner.run(run_id):
            self.seen.append(event)
        return await self.runs.get(run_id)

    def kinds(self) -> list[str]:
        return [type(event).__name__ for event in self.seen]


@asynccontextmanager
async def open_line(
    folder: Path,
    models: Models,
    sandbox: Sandbox,
    *,
    limits: Limits | None = None,
    owner: str = "test",
    catalog: SkillCatalog | None = None,
    asker: Asker | None = None,
    rules: PolicyRules = PolicyRules(),  # noqa: B008  # a frozen value
    sample_rows: bool = True,
) -> AsyncGenerator[Line]:
    async with AsyncExitStack() as stack:
        database = await stack.enter_async_context(open_database(f"sqlite+aiosqlite:///{folder}/deckhand.db"))
        artifacts = await stack.enter_async_context(open_artifacts(str(folder / "artifacts"), database))
        checkpointer = await stack.enter_async_context(
            open_checkpointer(folder / "checkpoints.db", STATE_TYPES)
        )
        runs, events = Runs(database), Events(database)
        runner = Runner(
            models=models,
            sandbox=sandbox,
            catalog=catalog or _unchecked(folder),
            conversations=Conversations(database),
            runs=runs,
            events=events,
            artifacts=artifacts,
            ledger=Ledger(database),
            checkpointer=checkpointer,
            limits=limits or Limits(),
            rules=rules,
            asker=asker,
            sample_rows=sample_rows,
            folder=folder / "runs",
            owner=owner,
            is_dead=lambda other: other != owner,
        )
        yield Line(runner, runs, events, artifacts, database)


def _unchecked(folder: Path) -> SkillCatalog:
    """Without the skill `checks`: results are delivered as they are, and no script runs that a test did not
    ask for."""
    known = SkillCatalog.load(_skills(folder))
    return SkillCatalog(tuple(skill for skill in known.skills if skill.name != SKILL))


def _skills(folder: Path) -> Path:
    """A team's skills, so that these tests know what is in one."""
    skill = folder / "skills" / "eda"
    skill.mkdir(parents=True, exist_ok=True)
    (skill / "SKILL.md").write_text("---\nname: eda\ndescription: How to look at data.\n---\nLook twice.\n")
    return skill.parent
