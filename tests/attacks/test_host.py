"""Threats that no script carries out alone: policies, uploads, names, the engine, the host's own code."""

import ast
import asyncio
import secrets
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from agent.disguise import objection
from sandbox.docker import DockerSandbox
from sandbox.errors import PolicyError, SandboxUnavailable
from sandbox.hardening import COMMAND, Placement, container_config, seccomp_profile
from sandbox.names import canonical_names, clean_text, sendable_names, split_path
from sandbox.outfolder import OutFolder
from sandbox.policy import Policy
from sandbox.policyfile import parse_policy
from sandbox.session import ExitStatus, InputFile, SandboxSession, Workspace
from tests.attacks.attack import HELPER, PAYLOADS
from tests.attacks.invariants import Host
from tests.conftest import changed, containers, fresh_workspace

_docker = pytest.mark.docker
_shared = pytest.mark.asyncio(loop_scope="session")
ROOT = Path(__file__).parents[2]
_CODE = ("bot", "agent", "sandbox", "skills", "storage")
_NAMES = (
    "../../x", "/abs", "a\0b", "C:\\x", "..\\..\\x", "%2e%2e/x", "a\u2215..\u2215x", "....//x", "x/../../y",
    ".", "..", "-rf", "CON", "nul.csv", "invoice.pdf\u202excod.exe", "<!channel>.csv", "a:b", "trailing. .",
    "\udcff.csv", "\ud800", "n" * 255, "\u044b" * 300, "e\u0301", "\U000e0041.csv", "\u200b",
    "\u3164.csv", "a\ufe0f.csv", "\u2800", "",
)  # fmt: skip


def _placement(policy: Policy) -> Placement:
    return Placement(
        image="sha256:abc",
        install="here",
        root="0123",
        uid=20007,
        binds={"/workspace/input": Path("/data/leases/x/input")},
        nothing=Path("/data/leases/x/nothing"),
        seccomp=seccomp_profile(policy),
    )


@pytest.mark.parametrize("user", ["1000", "root", "0:0", "1000:0", "0:1000", "20000:29999", "1-5", ""])
def test_02_a_user_without_a_group_or_with_roots_is_refused(user: str) -> None:
    with pytest.raises(PolicyError, match="user"):
        parse_policy(f"container: {{user: '{user}'}}")
    assert container_config(Policy(), _placement(Policy()))["User"] == "20007:20007"


def test_09_nobody_but_the_operator_chooses_image_mounts_or_working_folder() -> None:
    body = container_config(Policy(), _placement(Policy()))
    assert (body["WorkingDir"], body["Cmd"]) == ("/workspace", list(COMMAND))
    chosen = set(Workspace.__dataclass_fields__) - {"owner", "inputs", "code", "out", "skills", "policy"}
    assert chosen == set()


@pytest.mark.parametrize(
    "key",
    [
        "privileged: true",
        "binds: ['/:/host']",
        "volumes: ['/var/run/docker.sock:/var/run/docker.sock']",
        "pid: host",
        "ipc: host",
        "uts: host",
        "userns: host",
        "cgroupns: host",
        "cgroup_parent: /",
        "cap_add: [ALL]",
        "devices: [/dev/sda]",
        "security_opt: [seccomp=unconfined]",
        "apparmor: unconfined",
        "group_add: [0]",
        "sysctls: {kernel.core_pattern: x}",
        "command: [sh]",
        "env: {LD_PRELOAD: x}",
        "mode: host",
        "read_only: false",
        "seccomp: unconfined",
        "runtime: ../x",
    ],
)
@pytest.mark.parametrize("part", ["container", "network", "resources", "commands", "pool", None])
def test_10_no_policy_can_say_what_opens_the_host(key: str, part: str | None) -> None:
    with pytest.raises(PolicyError):
        seccomp_profile(parse_policy(f"{part}: {{{key}}}" if part else key))


@pytest.fixture
def empty_image(tmp_path: Path) -> Iterator[str]:
    tag = f"deckhand-test:{secrets.token_hex(4)}"
    empty = tmp_path / "empty.tar"
    empty.write_bytes(bytes(10240))
    subprocess.run(["docker", "import", str(empty), tag], check=True, capture_output=True, timeout=60)
    yield tag
    subprocess.run(["docker", "image", "rm", tag], check=True, capture_output=True, timeout=60)


@_docker
@_shared
async def test_13_a_failed_start_leaves_nothing(
    docker_policy: Policy, docker_install: str, empty_image: str, tmp_path: Path
) -> None:
    """An image that has no supervisor, and a runtime that there is not."""
    for wrong in ({"image": empty_image}, {"runtime": "nothing-such"}):
        policy = changed(docker_policy, "container", **wrong)
        async with DockerSandbox(
            {"default": policy}, root=tmp_path / "data", install=docker_install
        ) as sandbox:
            with pytest.raises(SandboxUnavailable):
                async with sandbox.lease(fresh_workspace(tmp_path)):
                    pytest.fail("it should not come this far")
        assert containers(docker_install) == []
        assert list((tmp_path / "data" / "leases").glob("*")) == []


def test_20_the_host_writes_through_no_link_that_stands_in_its_way(tmp_path: Path) -> None:
    out, incoming, secret = tmp_path / "out", tmp_path / "incoming", tmp_path / "secret"
    for folder in (out, incoming, secret):
        folder.mkdir()
    (secret / "file").write_text("secret")
    (out / "folder").symlink_to(secret)
    (out / "file").symlink_to(secret / "file")
    with OutFolder(out, incoming) as files:
        for path in ("folder/file", "file", "../secret/file", "folder/../../secret/file"):
            target = files.receive(path)
            target.write(b"overwritten")
            target.close(complete=True)
        assert files.remove("folder/file") is False
    assert (secret / "file").read_text() == "secret"
    assert (out / "file").read_text() == "overwritten"  # the link was replaced, not followed
    assert list(incoming.iterdir()) == []


def test_26_27_names_for_people_hold_nothing_that_deceives() -> None:
    for names in (sendable_names(_NAMES), canonical_names(_NAMES)):
        assert len({name.casefold() for name in names}) == len(_NAMES)
        for name in names:
            assert name.isprintable()
            assert name.encode()  # no lone surrogate: databases and chats take it
            assert len(name.encode()) <= 120
            assert name[0] not in ".-"
            assert not set(name) & set('/\\:<>"|?*\0\u3164\ufe0f\u2800')
    for name in _NAMES:
        clean_text(name).encode()  # it raises nothing


def test_28_what_a_script_has_made_unreadable_is_not_on_the_hosts_disk() -> None:
    """out/ is memory of the container: its end frees it, whatever the modes in it are."""
    host = container_config(Policy(), _placement(Policy()))["HostConfig"]
    assert "/workspace/out" in host["Tmpfs"]
    assert all(bind.endswith(":ro") for bind in host["Binds"])


@_docker
@_shared
@pytest.mark.parametrize(
    ("payload", "sent"), [("30_programs_as_documents", ["chart.svg", "page.html"]), ("36_macros", [])]
)
async def test_30_36_what_is_not_what_it_seems_or_acts_when_opened_is_not_sent(
    payload: str, sent: list[str], docker_sandbox: DockerSandbox, tmp_path: Path
) -> None:
    workspace = fresh_workspace(tmp_path, f"attack-{secrets.token_hex(4)}")
    async with docker_sandbox.lease(workspace) as session:
        await session.write("attack.py", (PAYLOADS / f"{payload}.py").read_text(encoding="utf-8"))
        files = (await session.run("attack.py")).files
    assert len(files) > 5
    assert [file.path for file in files if objection(workspace.out / file.path) is None] == sent


@_docker
@_shared
async def test_33_a_hostile_upload_lands_among_the_inputs_under_a_plain_name(
    docker_sandbox: DockerSandbox, tmp_path: Path, host: Host
) -> None:
    source = tmp_path / "upload"
    source.write_text("x")
    names = canonical_names(_NAMES)
    inputs = tuple(InputFile(name=name, source=source) for name in names)
    workspace = replace(fresh_workspace(tmp_path, f"attack-{secrets.token_hex(4)}"), inputs=inputs)
    async with host.unchanged(workspace), docker_sandbox.lease(workspace) as session:
        assert {file.path for file in await session.list_inputs()} == set(names)


@pytest.mark.parametrize(
    "name", [name for name in _NAMES if "/" in name or not name.isprintable() or name in ("", ".", "..")]
)
def test_33_what_is_no_plain_name_is_no_path_either(name: str) -> None:
    parts = split_path(name)
    assert parts is None or not set(parts) & {"", ".", ".."}


@_docker
@_shared
async def test_34_the_host_opens_no_upload_as_anything_but_bytes(
    docker_session: SandboxSession, docker_workspace: Workspace, host: Host
) -> None:
    """300 MiB in a few hundred KiB: it is looked at in the sandbox, by its list of parts."""
    make = "import zipfile\nwith zipfile.ZipFile('bomb.xlsx', 'w', zipfile.ZIP_DEFLATED) as bomb:\n"
    make += "    with bomb.open('xl/worksheets/sheet1.xml', 'w') as part:\n"
    make += "        for _ in range(300):\n            part.write(bytes(1 << 20))\n"
    async with host.unchanged(docker_workspace):
        await docker_session.write("attack.py", make)
        [bomb] = (await docker_session.run("attack.py")).files
        assert bomb.size < 1 << 20
        found = await docker_session.excerpt("out/bomb.xlsx")
        assert (found.encoding, found.text) == (None, "binary: an Excel workbook: pandas.read_excel opens it")
    await docker_session.write("wipe.py", "import os\nos.unlink('bomb.xlsx')\n")
    await docker_session.run("wipe.py")


def test_40_41_files_in_memory_fit_into_it_and_there_is_no_swap() -> None:
    with pytest.raises(PolicyError, match="is less than"):
        parse_policy("resources: {memory: 512M, out: {size: 400M}}")
    host = container_config(Policy(), _placement(Policy()))["HostConfig"]
    assert host["Memory"] == host["MemorySwap"]


@_docker
@_shared
async def test_43_64_two_sandboxes_share_nothing_by_which_one_could_starve_or_reach_the_other(
    docker_sandbox: DockerSandbox, tmp_path: Path, host: Host
) -> None:
    one, two = (fresh_workspace(tmp_path / name, f"attack-{secrets.token_hex(4)}") for name in "ab")
    async with docker_sandbox.lease(one) as first, docker_sandbox.lease(two) as second:
        for session in (first, second):
            for name, file in (
                (HELPER, HELPER),
                ("meet.py", "64_other_sandbox.py"),
                ("starve.py", "43_shared_user.py"),
            ):
                await session.write(name, (PAYLOADS / file).read_text(encoding="utf-8"))
        calling = asyncio.create_task(first.run("meet.py", arguments=["call"], time_limit=4))
        await asyncio.sleep(0.5)
        met = await second.run("meet.py", arguments=["meet"])
        assert '"reached": [], "processes": 2, "sockets": 0' in met.stdout, met
        assert (await calling).status is ExitStatus.TIMEOUT
        starving = asyncio.create_task(first.run("starve.py", arguments=["starve"]))
        starved = await second.run("starve.py", arguments=["starve"])
        assert '"queues": true' in (await starving).stdout
        assert '"queues": true' in starved.stdout


def _sources() -> Iterator[tuple[str, ast.Module]]:
    for folder in _CODE:
        for path in (ROOT / folder).rglob("*.py"):
            yield path.relative_to(ROOT).as_posix(), ast.parse(path.read_text(encoding="utf-8"))


def _calls(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield ast.unparse(node.func)


def _imports(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


def test_48_no_code_asks_the_engine_for_a_whole_log() -> None:
    """A log of 200 MB became 313 MiB in the process that asked for it; and sandboxes write none."""
    asked = {
        (name, ast.unparse(node))
        for name, tree in _sources()
        if any(module.startswith("aiodocker") for module in _imports(tree))
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith((".log", ".logs"))
        if not any(keyword.arg == "tail" for keyword in node.keywords)
    }
    assert asked == set()
    host = container_config(Policy(), _placement(Policy()))["HostConfig"]
    assert host["LogConfig"] == {"Type": "none", "Config": {}}


def test_49_51_no_code_executes_in_a_running_container() -> None:
    """What is executed there outlives its client, and goes on writing when nobody reads."""
    executed = {
        (name, call)
        for name, tree in _sources()
        if any(module.startswith("aiodocker") for module in _imports(tree))
        for call in _calls(tree)
        if call.rpartition(".")[2] in ("exec", "exec_create", "exec_start")
    }
    assert executed == set()


@_docker
@_shared
async def test_47_49_a_reader_that_goes_away_in_a_flood_ends_the_writer(
    docker_sandbox: DockerSandbox, tmp_path: Path, host: Host
) -> None:
    workspace = fresh_workspace(tmp_path, f"attack-{secrets.token_hex(4)}")
    flood = "import os\nwhile True:\n    os.write(1, b'x' * 100)\n"
    async with host.unchanged(workspace), docker_sandbox.lease(workspace) as session:
        await session.write("attack.py", flood)
        running = asyncio.create_task(session.run("attack.py"))
        await asyncio.sleep(0.2)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert not [name for name in containers(host.install) if name.endswith(workspace.owner)]


_HOLDER = """
import asyncio, sys
from pathlib import Path
from sandbox.docker import DockerSandbox
from sandbox.policyfile import load_policies
from sandbox.session import Workspace

async def main(root, install):
    workspace = Workspace(owner='victim-1', code=Path(root, 'code'), out=Path(root, 'out'))
    async with DockerSandbox(load_policies(), root=Path(root), install=install) as sandbox:
        async with sandbox.lease(workspace) as session:
            await session.write('spin.py', 'import os\\nwhile True: os.fork()')
            print('leased', flush=True)
            await session.run('spin.py')

asyncio.run(main(*sys.argv[1:]))
"""


@_docker
async def test_57_a_fork_bomb_does_not_outlive_the_bot(tmp_path: Path, docker_install: str) -> None:
    holder = await asyncio.create_subprocess_exec(
        sys.executable, "-c", _HOLDER, str(tmp_path), docker_install, stdout=subprocess.PIPE, cwd=ROOT
    )
    assert holder.stdout is not None
    assert await holder.stdout.readline() == b"leased\n"
    holder.kill()
    await holder.wait()
    deadline = time.monotonic() + 60  # a hundred dying processes share one small slice of a busy machine
    while containers(docker_install):
        assert time.monotonic() < deadline, "the container outlives its owner"
        await asyncio.sleep(0.05)


@pytest.mark.parametrize(
    "module", ["pickle", "cPickle", "dill", "cloudpickle", "joblib", "marshal", "shelve", "numpy"]
)
def test_61_the_host_loads_no_format_that_can_hold_code(module: str) -> None:
    """Guest code may: it is in the sandbox already."""
    guest = ("sandbox/guest/", "skills/", "agent/recipes/scripts/")
    using = [
        name
        for name, tree in _sources()
        if not name.startswith(guest) and any(found.split(".")[0] == module for found in _imports(tree))
    ]
    assert using == []
