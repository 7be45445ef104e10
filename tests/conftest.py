"""Fixtures that several packages need: a Docker sandbox for tests marked `docker`, which fail without."""

import asyncio
import secrets
import shutil
import subprocess
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from sandbox.docker import DockerSandbox
from sandbox.e2b.provider import E2BSandbox
from sandbox.engine import Engine
from sandbox.images import image_tag
from sandbox.policy import DEFAULT_NAME, Policy
from sandbox.policyfile import load_policy
from sandbox.session import SandboxSession, Workspace
from tests.e2b.cloud import standing_in
from tests.second_engine import SecondEngine

GVISOR_PIDS = 1024
"""gVisor's own threads count too."""


@pytest.fixture(scope="session")
def docker_policy() -> Policy:
    """The default policy without a pool, if an engine and the image are there; else a failure, never a skip.

    Most tests lease once or twice from a sandbox of their own: warm containers would only cost them time.
    """
    policy = load_policy()
    image = image_tag()
    try:
        found = subprocess.run(
            ["docker", "image", "inspect", image], capture_output=True, text=True, timeout=30, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        pytest.fail(f"no Docker engine answers ({error}): run `make docker`, or leave out -m docker")
    if found.returncode:
        pytest.fail(f"{found.stderr.strip()}: run `make docker` for an engine, `make image` for the image")
    return changed(changed(policy, "container", image=image), "pool", size=0)


@pytest.fixture(scope="session")
def docker_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data folder of the test's install."""
    return tmp_path_factory.mktemp("data")


@pytest.fixture(scope="session")
def shared_install() -> Iterator[str]:
    """The install of the sandbox that tests share. At the end nothing of it is left in the engine."""
    yield from _install()


@pytest.fixture
def docker_install() -> Iterator[str]:
    """An install of one test. At its end nothing of it is left in the engine."""
    yield from _install()


def _install() -> Iterator[str]:
    install = f"test-{secrets.token_hex(4)}"
    yield install
    assert not containers(install), "a container was left behind"


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def docker_sandbox(
    docker_policy: Policy, docker_root: Path, shared_install: str
) -> AsyncIterator[DockerSandbox]:
    policies = {DEFAULT_NAME: changed(docker_policy, "pool", size=1)}
    async with DockerSandbox(policies, root=docker_root, install=shared_install) as sandbox:
        yield sandbox
    assert not list((docker_root / "leases").glob("*")), "a lease's folder was left behind"


@pytest.fixture(scope="session")
def gvisor_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("gvisor")


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def gvisor_sandbox(docker_policy: Policy, gvisor_root: Path) -> AsyncIterator[DockerSandbox]:
    """Over gVisor, registered with an engine of its own as the operator's guide tells."""
    if (runsc := shutil.which("runsc")) is None:
        pytest.fail("runsc is not here: `make gvisor` installs it")
    policy = changed(docker_policy, "container", runtime="runsc")
    policy = changed(policy, "resources", pids=GVISOR_PIDS)
    with SecondEngine(runtimes={"runsc": {"path": runsc, "runtimeArgs": ["--network=none"]}}) as engine:
        engine.load(str(policy.container.image))
        over = Engine(engine.url)
        async with DockerSandbox(
            {DEFAULT_NAME: policy}, root=gvisor_root, install="gvisor", engine=over
        ) as sandbox:
            yield sandbox
        assert engine.containers() == []
        assert engine.shims() == []
    assert not list((gvisor_root / "leases").glob("*")), "a lease's folder was left behind"


@pytest.fixture(scope="session")
def e2b_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that a service over E2B's machines has for its own."""
    return tmp_path_factory.mktemp("e2b")


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def e2b_sandbox(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[E2BSandbox]:
    """Over a stand-in for E2B's cloud. At the end no machine is left there."""
    async with standing_in(tmp_path_factory.mktemp("machines")) as cloud:
        async with E2BSandbox({DEFAULT_NAME: Policy()}, account=cloud.account) as sandbox:
            yield sandbox
        assert not cloud.machines


@pytest.fixture(scope="session")
def docker_workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """The workspace of the session that tests share."""
    base = tmp_path_factory.mktemp("shared")
    return Workspace(owner="shared-todo-1", code=base / "code", out=base / "out")


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def docker_session(
    docker_sandbox: DockerSandbox, docker_workspace: Workspace
) -> AsyncIterator[SandboxSession]:
    """One container for all tests that leave it as they found it."""
    async with docker_sandbox.lease(docker_workspace) as session:
        yield session


def changed(policy: Policy, part: str, **values: object) -> Policy:
    """The policy with other values in one of its parts, also such as a file may not have."""
    return policy.model_copy(update={part: getattr(policy, part).model_copy(update=values)})


async def until(condition: Callable[[], object], *, seconds: float = 60) -> None:
    """Wait for what nobody announces."""
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110  # there is no event to wait for
            await asyncio.sleep(0.005)


def containers(install: str) -> list[str]:
    """Names of the install's containers, asked of the engine by another way than the product's."""
    listed = subprocess.run(
        ["docker", "ps", "-a", "--filter", f"label=deckhand.install={install}", "--format", "{{.Names}}"],
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
    )
    return listed.stdout.split()


def fresh_workspace(base: Path, owner: str = "run-todo-1") -> Workspace:
    """A workspace with folders of its own below `base`."""
    return Workspace(owner=owner, code=base / "code", out=base / "out")
