"""A task done by the whole agent line in real containers: by its recording, else by the offline recipes."""

import json
import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from agent.events import ArtifactSaved, ModelCalled, ResultsVerified, RunFinished
from agent.factbook import NAME as FACTBOOK
from agent.models import ModelSettings, build_models
from agent.verification import Verification
from sandbox.session import Sandbox
from skills.catalog import SkillCatalog
from storage.artifacts import save_to
from storage.records import ArtifactId, ArtifactKind, RunId
from tests.agent.line import Line, open_line
from tests.replay.replay import Recording, recordings, replay_line
from tests.tasks.task import Task


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What its person got, laid out in a folder."""

    answer: str
    files: Sequence[Path]
    """Deliverables."""
    facts: Sequence[dict[str, Any]]
    """The factbook: what the run's scripts stated and drew."""
    verification: Verification | None
    calls: int
    tokens: int
    """Characters / 4 of prompts and answers; nothing for the offline recipes."""
    recorded: bool = False
    differences: Sequence[str] = ()
    """Where a recorded run went another way."""


def recording_of(task: Task) -> Recording | None:
    return next((recording for recording in recordings() if recording.request == task.request), None)


async def perform(task: Task, folder: Path, sandbox: Sandbox, *, offline: bool = False) -> Result:
    """`folder` is for the line's storage; deliverables are laid out in its `delivered`."""
    (folder / "delivered").mkdir()  # a test waits for it
    recording = None if offline else recording_of(task)
    if recording is not None:
        async with replay_line(recording, folder, sandbox) as (line, player):
            await line.run(await line.ask(task.request, task.inputs(), language=task.language))
            return await _result(
                line,
                folder / "delivered",
                recorded=True,
                differences=player.differences + [f"not played: {e.asker}" for e in player.unplayed],
                tokens=player.input + player.output,
            )
    models = build_models(ModelSettings())
    async with open_line(folder, models, sandbox, catalog=SkillCatalog.load()) as line:
        await line.run(await line.ask(task.request, task.inputs(), language=task.language))
        return await _result(line, folder / "delivered", tokens=0)


async def _result(
    line: Line,
    folder: Path,
    *,
    tokens: int,
    recorded: bool = False,
    differences: Sequence[str] = (),
) -> Result:
    answer = next((e.answer for e in reversed(line.seen) if isinstance(e, RunFinished)), "")
    delivered = {e.name: e.artifact_id for e in line.seen if isinstance(e, ArtifactSaved) and e.deliverable}
    files: list[Path] = []
    for name, artifact_id in delivered.items():
        files.append(folder / Path(name).name)
        await save_to(line.artifacts, ArtifactId(artifact_id), files[-1])
    run_id = line.seen[0].run_id if line.seen else ""
    kept = await line.artifacts.of_run(RunId(run_id)) if run_id else ()
    facts: list[dict[str, Any]] = []
    for artifact in kept:
        if artifact.kind is ArtifactKind.RECORD and artifact.name == FACTBOOK:
            await save_to(line.artifacts, artifact.id, folder.parent / "facts.json")
            facts = json.loads((folder.parent / "facts.json").read_text(encoding="utf-8"))
    verified = [e.verification for e in line.seen if isinstance(e, ResultsVerified)]
    return Result(
        answer=answer,
        files=files,
        facts=facts,
        verification=verified[-1] if verified else None,
        calls=sum(isinstance(e, ModelCalled) for e in line.seen),
        tokens=tokens,
        recorded=recorded,
        differences=differences,
    )


def keep(result: Result, folder: Path) -> None:
    """Lay it out for a person to look at."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for file in result.files:
        shutil.copy(file, folder)
    (folder / "answer.md").write_text(result.answer + "\n", encoding="utf-8")
    seen = asdict(result.verification) if result.verification else None
    (folder / "verification.json").write_text(
        json.dumps(seen, ensure_ascii=False, indent=1) + "\n", encoding="utf-8"
    )
    (folder / "facts.json").write_text(
        json.dumps(list(result.facts), ensure_ascii=False, indent=1) + "\n", encoding="utf-8"
    )
