"""A recording played through the whole agent line, over real HTTP and with real storage."""

import gzip
import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from pydantic import SecretStr

from agent.events import ArtifactSaved
from agent.models import ModelSettings, build_models
from sandbox.session import Sandbox
from skills.catalog import SkillCatalog
from storage.records import Run
from tests.agent.line import Line, open_line
from tests.replay.exchange import Exchange, load_all
from tests.replay.player import Player, play

RECORDINGS = Path(__file__).parent / "recordings"
ROOT = Path(__file__).parent.parent.parent


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    name: str
    request: str
    language: str
    files: Sequence[Path]
    deliverables: Sequence[str]
    exchanges: Sequence[Exchange]

    def inputs(self) -> list[tuple[str, bytes]]:
        """A name that ends in .gz is sent unpacked and without that ending."""
        return [
            (path.stem, gzip.decompress(path.read_bytes()))
            if path.suffix == ".gz"
            else (path.name, path.read_bytes())
            for path in self.files
        ]

    @classmethod
    def load(cls, folder: Path) -> Self:
        facts = json.loads((folder / "request.json").read_text(encoding="utf-8"))
        return cls(
            name=folder.name,
            request=facts["request"],
            language=facts["language"],
            files=[ROOT / file for file in facts["files"]],
            deliverables=facts["deliverables"],
            exchanges=load_all(folder / "exchanges.jsonl"),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    run: Run
    player: Player
    deliverables: Sequence[str]
    folder: Path
    """The run's own folder."""


def recordings() -> list[Recording]:
    return [Recording.load(path.parent) for path in sorted(RECORDINGS.glob("*/request.json"))]


@asynccontextmanager
async def replay_line(
    recording: Recording, folder: Path, sandbox: Sandbox, *, strict: bool = True
) -> AsyncGenerator[tuple[Line, Player]]:
    """The agent line, with the recording in the model's place."""
    async with play(recording.exchanges, strict=strict) as player:
        assert player.endpoint is not None
        models = build_models(
            ModelSettings(base_url=player.endpoint.url, api_key=SecretStr("recording"), retries=0)
        )
        async with open_line(folder, models, sandbox, catalog=SkillCatalog.load()) as line:
            yield line, player


async def replay(recording: Recording, folder: Path, sandbox: Sandbox, *, strict: bool = True) -> Replayed:
    async with replay_line(recording, folder, sandbox, strict=strict) as (line, player):
        asked = await line.ask(recording.request, recording.inputs(), language=recording.language)
        run = await line.run(asked)
    return Replayed(
        run=run,
        player=player,
        deliverables=[e.name for e in line.seen if isinstance(e, ArtifactSaved) and e.deliverable],
        folder=folder / "runs" / run.id,
    )
