"""Containers of a build: gone whatever ends it."""

import asyncio
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import aiodocker
import pytest

from sandbox.aptbox import fetch_in_container
from sandbox.buildbox import LABEL, BuildBoxes
from sandbox.errors import BuildFailed
from sandbox.images import image_tag
from sandbox.policy import Policy
from tests.sandbox.test_fetching import GROUND


@dataclass
class SlowEngine:
    """Answers a create when it is told to, and counts what lives."""

    asked: asyncio.Event = field(default_factory=asyncio.Event)
    answer: asyncio.Event = field(default_factory=asyncio.Event)
    labels: list[dict[str, str]] = field(default_factory=list[dict[str, str]])

    async def create(self, config: dict[str, Any]) -> "SlowEngine":
        self.asked.set()
        await self.answer.wait()
        self.labels.append(config["Labels"])
        return self

    async def delete(self, *, force: bool, v: bool) -> None:
        assert force
        assert v
        self.labels.pop()


def boxes_of(engine: SlowEngine) -> BuildBoxes:
    return BuildBoxes(cast("aiodocker.Docker", SimpleNamespace(containers=engine)), "us")


async def test_a_cancellation_while_a_container_is_made_leaves_none() -> None:
    engine = SlowEngine()

    async def build() -> None:
        async with boxes_of(engine).box({"Image": "x"}, "a test"):
            pytest.fail("it went on")

    task = asyncio.create_task(build())
    await engine.asked.wait()
    task.cancel()
    engine.answer.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert engine.labels == []


async def test_a_container_tells_whose_it_is() -> None:
    engine = SlowEngine()
    engine.answer.set()
    async with boxes_of(engine).box({"Image": "x"}, "a test"):
        assert engine.labels == [{LABEL: "us"}]
    assert engine.labels == []


class FailingApt(SlowEngine):
    """A container in which apt cannot reach its mirror, and says where it was."""

    async def put_archive(self, path: str, data: bytes) -> None: ...

    async def start(self) -> None: ...

    async def wait(self) -> dict[str, int]:
        return {"StatusCode": 100}

    async def log(self, **_: object) -> list[str]:
        return ["E: Failed to fetch http://me:secret@mirror.test/x.deb\n", "\x1b[31mE: no\n"]


async def test_what_apt_says_in_a_container_shows_no_password(tmp_path: Path) -> None:
    engine = FailingApt()
    engine.answer.set()
    with pytest.raises(BuildFailed) as failed:
        await fetch_in_container(boxes_of(engine), GROUND, tmp_path, b"", ["resolve", "x"], "a test")
    assert failed.value.lines == ("E: Failed to fetch http://mirror.test/x.deb", "E: no")
    assert engine.labels == []


@pytest.mark.docker
async def test_what_a_killed_build_left_is_swept_and_nobody_elses(
    docker_policy: Policy, docker_install: str
) -> None:
    def create(owner: str) -> str:
        command = [
            "docker",
            "create",
            "--label",
            f"{LABEL}={owner}",
            "--network",
            "none",
            image_tag(),
            "none",
        ]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout.strip()

    def left() -> list[str]:
        command = ["docker", "ps", "-aq", "--no-trunc", "--filter", f"label={LABEL}"]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout.split()

    ours = await asyncio.to_thread(create, docker_install)
    other = await asyncio.to_thread(create, f"{docker_install}-other")
    async with aiodocker.Docker() as docker:
        await BuildBoxes(docker, docker_install).sweep()
        now = await asyncio.to_thread(left)
        assert (ours in now, other in now) == (False, True)
        await BuildBoxes(docker, f"{docker_install}-other").sweep()
    assert other not in await asyncio.to_thread(left)
