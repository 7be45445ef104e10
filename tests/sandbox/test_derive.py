"""Derived images, really built: with a package of the test's own, and with Node from Debian."""

import asyncio
import io
import shutil
import subprocess
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import aiodocker
import pytest
from aiodocker.exceptions import DockerStreamError

from sandbox.buildbox import BuildBoxes
from sandbox.derive import KEEP, ImageBuilder, send_context
from sandbox.docker import DockerSandbox
from sandbox.errors import BuildFailed
from sandbox.extension import extended
from sandbox.ground import survey
from sandbox.images import image_tag
from sandbox.pins import Pin, Pins, sha256_of, write_lock
from sandbox.policy import Policy
from sandbox.session import ExitStatus, InputFile, SandboxSession
from skills.catalog import SkillCatalog
from tests.conftest import changed, fresh_workspace
from tests.sandbox.test_fetching import GROUND
from tests.sandbox.wheels import make_wheel, only_wheels_of

LOOK = """
import os
import tiny
print(tiny.WORD, os.path.exists(tiny.__cached__))
programs = sorted(name for name in os.listdir("/usr/bin") if not name.startswith("python"))
paths = [os.path.join(folder, name) for folder, _, names in os.walk("/usr") for name in names]
modes = [(path, os.lstat(path).st_mode) for path in paths if not os.path.islink(path)]
print(programs, [path for path, mode in modes if mode & 0o6022])
"""

NODE = """
"use strict";
const fs = require("node:fs");
const { Worker } = require("node:worker_threads");
const { half } = require("./half.js");
const rows = fs.readFileSync("/workspace/input/rows.csv", "utf8").trim().split("\\n").slice(1).map(Number);
fs.writeFileSync("sum.json", JSON.stringify({ sum: rows.reduce((a, b) => a + b, 0), half: half(8) }));
console.log(process.cwd(), process.argv[2], new Intl.NumberFormat("ru").format(1234.5));
new Worker("require('node:worker_threads').parentPort.postMessage(6 * 7)", { eval: true })
  .on("message", (answer) => console.log("a thread says", answer));
require("node:net").connect(80, "192.0.2.1").on("error", (error) => console.log("network:", error.code));
"""


@dataclass
class Builder:
    """Builds with a lock and a cache of its own."""

    folder: Path
    tags: set[str] = field(default_factory=set[str])
    said: list[str] = field(default_factory=list[str])

    async def build(self, policy: Policy, *, pin: bool = False) -> str:
        builder = ImageBuilder(cache=self.folder / "cache", install="test-derived", say=self.said.append)
        tag = await builder.build(policy, self.folder / "default.lock", pin=pin)
        self.tags.add(tag)
        return tag


@pytest.fixture
def builder(tmp_path: Path, docker_policy: Policy) -> Iterator[Builder]:
    builder = Builder(tmp_path / "builder")
    yield builder
    remove_images(*builder.tags, f"{KEEP}:test-derived-default")


def remove_images(*tags: str) -> None:
    subprocess.run(["docker", "image", "rm", *tags], capture_output=True, timeout=60, check=False)


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """All that pip finds."""
    folder = tmp_path / "index"
    folder.mkdir()
    for name, value in only_wheels_of(folder).items():
        monkeypatch.setenv(name, value)
    make_wheel(folder, "tiny", "1.0", "WORD = 'here'")
    return folder


@asynccontextmanager
async def leased(
    policy: Policy, image: str, install: str, folder: Path, inputs: Sequence[InputFile] = ()
) -> AsyncGenerator[SandboxSession]:
    workspace = replace(fresh_workspace(folder, "derived-1"), inputs=tuple(inputs))
    policy = changed(policy, "container", image=image)
    async with (
        DockerSandbox({"default": policy}, root=folder / "data", install=install) as sandbox,
        sandbox.lease(workspace) as session,
    ):
        yield session


@pytest.mark.docker
async def test_a_package_of_a_policy_is_in_every_script_built_once_and_again_from_the_lock(
    builder: Builder, index: Path, docker_install: str, tmp_path: Path
) -> None:
    policy = extended(Policy(), python=["tiny==1.0"])
    image, again = await asyncio.gather(builder.build(policy), builder.build(policy))
    assert image == again
    assert builder.said.count("installing the Python packages") == 1
    assert builder.said.count(f"{image} is there") == 1
    async with leased(policy, image, docker_install, tmp_path) as session:
        await session.write("look.py", LOOK)
        result = await session.run("look.py")
    assert (result.stdout, result.stderr) == ("here True\n[] []\n", "")

    await asyncio.to_thread(remove_images, image)
    (index / "tiny-1.0-py3-none-any.whl").unlink()
    assert await builder.build(policy) == image  # by the lock, which needs no index


@pytest.mark.docker
async def test_a_sandbox_image_that_was_built_anew_is_stood_on_anew(
    builder: Builder, index: Path, docker_install: str
) -> None:
    usual = f"{docker_install}:usual"
    policy = changed(extended(Policy(), python=["tiny==1.0"]), "container", image=usual)
    try:
        await asyncio.to_thread(rebuild, usual, "1")
        image = await builder.build(policy)
        first = await asyncio.to_thread(image_id, image)
        await asyncio.to_thread(rebuild, usual, "2")
        assert await builder.build(policy) == image
        second = await asyncio.to_thread(image_id, image)
        assert await builder.build(policy) == image
        assert [await asyncio.to_thread(image_id, name) for name in (image, first)] == [second, ""]
        assert builder.said.count(f"{usual} is another than {image} was built on") == 1
        assert builder.said[-1] == f"{image} is there"
    finally:
        await asyncio.to_thread(remove_images, *builder.tags, usual)


def rebuild(tag: str, revision: str) -> None:
    recipe = f"FROM {image_tag()}\nLABEL revision={revision}\n"
    command = ["docker", "build", "--network", "none", "-q", "-t", tag, "-"]
    subprocess.run(command, input=recipe.encode(), capture_output=True, timeout=120, check=True)


def image_id(name: str) -> str:
    command = ["docker", "image", "inspect", "--format", "{{.Id}}", name]
    return subprocess.run(command, capture_output=True, text=True, timeout=30, check=False).stdout.strip()


@pytest.mark.docker
@pytest.mark.skipif(shutil.which("dpkg-deb") is None, reason="the test makes a Debian package of its own")
async def test_a_package_brings_no_program_with_capabilities(
    builder: Builder, docker_install: str, tmp_path: Path
) -> None:
    policy = extended(Policy(), debian=["capable"])
    async with aiodocker.Docker() as docker:
        ground = await survey(BuildBoxes(docker, docker_install), image_tag())
    cache = builder.folder / "cache"
    cache.mkdir(parents=True)
    deb = await asyncio.to_thread(make_capable_deb, cache)
    pin = Pin(name="capable", version="1.0", file=deb.name, sha256=sha256_of(deb))
    pins = Pins(asked=policy.container.packages, target=ground.target, debs=(pin,))
    write_lock(builder.folder / "default.lock", pins.dump())
    image = await builder.build(policy)
    async with leased(policy, image, docker_install, tmp_path) as session:
        await session.write("look.py", "import os\nprint(os.listxattr('/usr/bin/capable'))\n")
        assert (await session.run("look.py")).stdout == "[]\n"


def make_capable_deb(folder: Path) -> Path:
    """Its program gets CAP_NET_RAW when it is installed, as that of ping does."""
    tree = folder / "tree"
    (tree / "DEBIAN").mkdir(parents=True)
    (tree / "usr/bin").mkdir(parents=True)
    about = "Package: capable\nVersion: 1.0\nArchitecture: all\nMaintainer: t <t@t.test>\nDescription: t\n"
    (tree / "DEBIAN/control").write_text(about)
    value = "0100000200200000000000000000000000000000"
    call = f"os.setxattr('/usr/bin/capable', 'security.capability', bytes.fromhex('{value}'))"
    script = f'#!/bin/sh\nexec python3 -c "import os; {call}"\n'
    for path, text in (("DEBIAN/postinst", script), ("usr/bin/capable", "#!/usr/bin/python3\n")):
        (tree / path).write_text(text)
        (tree / path).chmod(0o755)
    deb = folder / "capable_1.0_all.deb"
    command = ["dpkg-deb", "--root-owner-group", "--build", str(tree), str(deb)]
    subprocess.run(command, capture_output=True, timeout=30, check=True)
    return deb


async def test_a_failed_step_is_told_with_the_end_of_what_was_printed() -> None:
    asked: dict[str, object] = {}

    async def printed(answer: None) -> AsyncIterator[dict[str, str]]:
        for line in ("Step 8/13 : RUN …\n", "= installing the Debian packages\n", "dpkg: error: no room\n"):
            yield {"stream": line}
        message = "The command returned a non-zero code: 2"
        raise DockerStreamError(message)

    images = SimpleNamespace(_stream=lambda context: context, _handle_stream=printed)
    engine = SimpleNamespace(_query=lambda path, method, **more: asked.update(more["params"]), images=images)
    docker = cast("aiodocker.Docker", engine)
    said: list[str] = []
    with pytest.raises(BuildFailed) as failed:
        await send_context(docker, io.BytesIO(), "deckhand-sandbox:x", GROUND, said.append)
    assert asked["networkmode"] == "none"
    assert '"deckhand.on": "sha256:1"' in str(asked["labels"])
    assert said == ["installing the Debian packages"]
    assert failed.value.doing == "building the image: installing the Debian packages"
    assert failed.value.lines[-1] == "dpkg: error: no room"


@pytest.mark.docker
async def test_what_cannot_be_fetched_is_told_and_pins_nothing(builder: Builder, index: Path) -> None:
    make_wheel(index, "broken", "1.0", "").write_bytes(b"PK no wheel")
    policy = extended(Policy(), python=["broken==1.0"])
    with pytest.raises(BuildFailed, match="broken"):
        await builder.build(policy)
    assert not (builder.folder / "default.lock").exists()


@pytest.mark.docker
async def test_node_runs_a_skills_scripts_under_the_usual_profile(
    builder: Builder, index: Path, docker_install: str, tmp_path: Path
) -> None:
    skill = SkillCatalog.load(optional=["javascript"]).find("javascript")
    assert skill is not None
    needs = skill.needs
    # With the test's own package it is the test's own image, and none that this machine's operator uses.
    policy = extended(Policy(), python=["tiny==1.0"], debian=needs.debian, interpreters=needs.interpreters)
    image = await builder.build(policy)
    assert image.startswith(f"{image_tag()}-")
    (tmp_path / "rows.csv").write_text("n\n1\n2\n39\n")
    rows = InputFile(name="rows.csv", source=tmp_path / "rows.csv")
    async with leased(policy, image, docker_install, tmp_path, [rows]) as session:
        assert await session.write("half.js", "exports.half = (x) => x / 2;") == ()
        assert await session.write("sum.js", NODE) == ()
        result = await session.run("sum.js", arguments=["an argument"])
        lines = sorted(result.stdout.splitlines())
        assert (result.status, result.stderr) == (ExitStatus.OK, "")
        assert lines == [
            "/workspace/out an argument 1\N{NO-BREAK SPACE}234,5",
            "a thread says 42",
            "network: EPERM",
        ]
        assert [file.path for file in result.files] == ["sum.json"]
        await session.write("bad.mjs", "import fs from 'node:fs';\nfs.nothing();\n")
        failed = await session.run("bad.mjs")
        assert (failed.status, "bad.mjs:2" in failed.stderr) == (ExitStatus.ERROR, True)
    assert (tmp_path / "out/sum.json").read_text() == '{"sum":42,"half":4}'
