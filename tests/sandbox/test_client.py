"""The client: what it makes of a service that is slow, gone, of another mind, or hostile."""

import asyncio
import json
import secrets
import socket
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from sandbox.client import SandboxClient
from sandbox.errors import NoSuchFile, NoSuchScript, PolicyError, SandboxUnavailable, UnsafeName
from sandbox.owned import new_folder
from sandbox.policy import DEFAULT_NAME, Policy
from sandbox.remote import Connection
from sandbox.service import wire
from sandbox.service.listen import TcpAddress, listening
from sandbox.service.sessions import ServiceLimits
from sandbox.session import InputFile, RunResult, SandboxSession, SkippedFile, Workspace
from tests.conftest import changed, fresh_workspace
from tests.fakes import FakeRun, FakeSandbox, FakeSession
from tests.serving import Engaged, served, until

TOKEN = "a token of more than 16"  # noqa: S105  # of nobody
MIB = 1 << 20
SMALL = changed(
    Policy(), "resources", out=Policy().resources.out.model_copy(update={"size": MIB, "files": 3})
)


@pytest.fixture
def fake() -> FakeSandbox:
    return FakeSandbox()


@pytest.fixture
async def client(fake: FakeSandbox, tmp_path: Path) -> AsyncIterator[SandboxClient]:
    policies = {DEFAULT_NAME: Policy(), "small": SMALL}
    async with served(fake, tmp_path / "service", policies=policies) as url, SandboxClient(url) as client:
        yield client


async def test_everything_of_a_workspace_arrives(
    client: SandboxClient, fake: FakeSandbox, tmp_path: Path
) -> None:
    skill = tmp_path / "charts"
    for name in ("scripts/draw.py", "scripts/parts/axes.py", "scripts/__pycache__/draw.pyc", "SKILL.md"):
        (skill / name).parent.mkdir(parents=True, exist_ok=True)
        (skill / name).write_text(name)
    (tmp_path / "upload").write_bytes(b"a" * 3 * MIB)
    workspace = replace(
        fresh_workspace(tmp_path),
        inputs=(InputFile(name="большой.csv", source=tmp_path / "upload"),),
        skills=[skill],
        policy="small",
    )
    workspace.code.mkdir()
    (workspace.code / "old.py").write_text("print()")
    (workspace.code / "link.py").symlink_to(tmp_path / "upload")
    async with client.lease(workspace):
        there = fake.sessions[0].workspace
        assert (there.owner, there.policy) == ("run-todo-1", "small")
        assert [(file.name, file.source.stat().st_size) for file in there.inputs] == [
            ("большой.csv", 3 * MIB)
        ]
        assert [file.name for file in there.code.iterdir()] == ["old.py"]
        scripts = there.skills[0] / "scripts"
        assert sorted(file.name for file in scripts.rglob("*") if file.is_file()) == ["axes.py", "draw.py"]
        assert client.stats().leased == 1
    assert (client.stats().leased, client.stats().leases, fake.live) == (0, 1, 0)


async def test_a_policy_of_the_clients_own_comes_first(fake: FakeSandbox, tmp_path: Path) -> None:
    policies = {DEFAULT_NAME: Policy(), "small": SMALL}
    async with served(fake, tmp_path, policies=policies) as url:
        async with SandboxClient(url, policy="small") as client, client.lease(fresh_workspace(tmp_path)):
            assert [policy.name for policy in await client.policies()] == ["default", "small"]
            assert fake.sessions[0].workspace.policy == "small"
        async with SandboxClient(url, policy="open") as client:
            with pytest.raises(PolicyError, match="no policy called open"):
                async with client.lease(fresh_workspace(tmp_path)):
                    pass


async def test_over_tcp_the_token_is_needed(fake: FakeSandbox, tmp_path: Path) -> None:
    async with served(fake, tmp_path, token=TOKEN, tcp=True) as url:
        async with (
            SandboxClient(url, token=TOKEN) as client,
            client.lease(fresh_workspace(tmp_path)) as session,
        ):
            assert await session.list_outputs() == ()
        for token in (None, "another token of some length"):
            async with SandboxClient(url, token=token) as client:
                with pytest.raises(SandboxUnavailable, match="valid token"):
                    async with client.lease(fresh_workspace(tmp_path)):
                        pass


@pytest.mark.parametrize(
    "url", ["", "sandbox.sock", "unix://relative.sock", "ftp://host", "http://", "http://user:word@host"]
)
def test_an_address_that_is_none_is_refused_at_once(url: str) -> None:
    with pytest.raises(ValueError, match="a sandbox service is"):
        SandboxClient(url)


async def test_a_service_that_is_not_there_is_unavailable(tmp_path: Path) -> None:
    async with SandboxClient(f"unix://{tmp_path}/none") as client:
        with pytest.raises(SandboxUnavailable, match="cannot be reached"):
            async with client.lease(fresh_workspace(tmp_path)):
                pass
    with pytest.raises(SandboxUnavailable, match="closed"):
        await client.policies()


async def test_a_service_that_does_not_answer_is_unavailable(tmp_path: Path) -> None:
    with socket.socket() as mute:
        mute.bind(("127.0.0.1", 0))
        mute.listen()
        url = f"http://127.0.0.1:{mute.getsockname()[1]}"
        async with Connection(url, None) as connection:
            with pytest.raises(SandboxUnavailable, match="did not answer in time"):
                await connection.call("GET", "/v1/policies", wire.Policies, seconds=0.1)


async def test_a_service_that_goes_takes_its_sessions_along(fake: FakeSandbox, tmp_path: Path) -> None:
    service = served(fake, tmp_path)
    url = await service.__aenter__()
    workspace = fresh_workspace(tmp_path)
    async with SandboxClient(url) as client, client.lease(workspace) as session:
        await service.__aexit__(None, None, None)
        with pytest.raises(SandboxUnavailable, match="cannot be reached"):
            await session.list_outputs()
        with pytest.raises(SandboxUnavailable, match="gone since a call failed"):
            await session.write("a.py", "")
    assert not any(".arriving" in file.name for file in listed(tmp_path))


def listed(folder: Path) -> list[Path]:
    return [*folder.iterdir()]


async def test_who_waits_is_told_once_how_many_are_ahead(tmp_path: Path) -> None:
    engaged = Engaged()
    heard: list[int] = []
    async with served(engaged, tmp_path) as url, SandboxClient(url) as client:

        async def work() -> None:
            async with client.lease(fresh_workspace(tmp_path), waiting=heard.append):
                pass

        working = asyncio.create_task(work())
        await until(lambda: heard == [3])
        assert client.stats().waiting == 1
        engaged.free.set()
        await working
    assert (heard, client.stats().waiting, client.stats().leases) == ([3], 0, 1)


async def test_who_is_cancelled_leaves_the_line(tmp_path: Path) -> None:
    engaged = Engaged()
    async with served(engaged, tmp_path) as url, SandboxClient(url) as client:

        async def work() -> None:
            async with client.lease(fresh_workspace(tmp_path)):
                pass

        working = asyncio.create_task(work())
        await until(lambda: engaged.in_line == 1)
        working.cancel()
        with pytest.raises(asyncio.CancelledError):
            await working
        await until(lambda: engaged.in_line == 0 and listed(tmp_path / "spool") == [])


async def test_a_lease_is_kept_for_longer_than_the_service_waits(fake: FakeSandbox, tmp_path: Path) -> None:
    limits = ServiceLimits(idle=0.3)
    async with (
        served(fake, tmp_path, limits=limits) as url,
        SandboxClient(url) as client,
        client.lease(fresh_workspace(tmp_path)) as session,
    ):
        await asyncio.sleep(1)
        assert await session.list_outputs() == ()


class Endless(FakeSandbox):
    """A script that never ends, and a note of how it was ended."""

    def __init__(self) -> None:
        super().__init__()
        self.running = asyncio.Event()
        self.ended = asyncio.Event()

    @asynccontextmanager
    async def lease(
        self, workspace: Workspace, *, waiting: Callable[[int], None] = lambda ahead: None
    ) -> AsyncGenerator[SandboxSession]:
        yield _EndlessSession(self, workspace)


class _EndlessSession(FakeSession):
    def __init__(self, sandbox: Endless, workspace: Workspace) -> None:
        super().__init__(sandbox, workspace)
        self._endless = sandbox

    async def run(
        self, name: str, *, arguments: Sequence[str] = (), time_limit: float | None = None
    ) -> RunResult:
        self._endless.running.set()
        try:
            return await asyncio.Future()
        finally:
            self._endless.ended.set()


async def test_a_cancelled_run_ends_in_the_service_too(tmp_path: Path) -> None:
    endless = Endless()
    async with (
        served(endless, tmp_path) as url,
        SandboxClient(url) as client,
        client.lease(fresh_workspace(tmp_path)) as session,
    ):
        await session.write("a.py", "")
        running = asyncio.create_task(session.run("a.py"))
        await endless.running.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        async with asyncio.timeout(20):
            await endless.ended.wait()
        with pytest.raises(SandboxUnavailable, match="gone since a call failed"):
            await session.list_outputs()


async def test_what_has_no_room_here_is_skipped_and_comes_when_there_is_room(
    client: SandboxClient, fake: FakeSandbox, tmp_path: Path
) -> None:
    fake.plan("a.py", FakeRun(files={"big": b"x" * 600_000, "small": b"y"}), FakeRun())
    workspace = replace(fresh_workspace(tmp_path), policy="small")
    async with client.lease(workspace) as session:
        await session.write("a.py", "")
        workspace.out.mkdir(exist_ok=True)
        (workspace.out / "of another todo").write_bytes(b"z" * 700_000)
        first = await session.run("a.py")
        (workspace.out / "of another todo").unlink()
        second = await session.run("a.py")
    assert [file.path for file in first.files] == ["small"]
    assert first.skipped == (SkippedFile(path="big", reason="too large together with the others"),)
    assert [file.path for file in second.files] == ["big"]
    assert second.skipped == ()
    assert (workspace.out / "big").stat().st_size == 600_000


async def test_earlier_outputs_that_do_not_fit_are_told_once(client: SandboxClient, tmp_path: Path) -> None:
    workspace = replace(fresh_workspace(tmp_path), policy="small")
    workspace.out.mkdir()
    (workspace.out / "a").write_bytes(b"x" * 600_000)
    (workspace.out / "b").write_bytes(b"x" * 600_000)
    async with client.lease(workspace) as session:
        assert [file.path for file in await session.list_outputs()] == ["a"]
        await session.write("a.py", "")
        first, second = await session.run("a.py"), await session.run("a.py")
    assert [file.path for file in first.skipped] == ["b"]
    assert "an earlier output that does not fit" in first.skipped[0].reason
    assert second.skipped == ()
    assert (workspace.out / "b").exists()


async def test_a_workspace_that_cannot_be_read_is_unavailable(client: SandboxClient, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/etc/hostname")
    for file in (
        InputFile(name="a.csv", source=tmp_path / "none"),
        InputFile(name="a.csv", source=tmp_path),
        InputFile(name="a.csv", source=tmp_path / "link"),
        InputFile(name="../a.csv", source=Path(__file__)),
    ):
        with pytest.raises(SandboxUnavailable, match="the workspace could not be sent"):
            async with client.lease(replace(fresh_workspace(tmp_path), inputs=(file,))):
                pass


async def test_a_killed_clients_folder_goes_with_the_next_lease(
    client: SandboxClient, tmp_path: Path
) -> None:
    workspace = fresh_workspace(tmp_path)
    dead = tmp_path / f".arriving-{2**22 + 1}-1-{'0' * 32}"
    dead.mkdir()
    ours = new_folder(tmp_path, ".arriving-")
    async with client.lease(workspace):
        assert not dead.exists()
        assert ours.exists()


async def test_scripts_that_cannot_be_sent_are_findings(client: SandboxClient, tmp_path: Path) -> None:
    async with client.lease(fresh_workspace(tmp_path)) as session:
        for source in ("x = '\udc80'", "#" * (1 << 20)):
            findings = await session.write("a.py", source)
            assert [finding.fatal for finding in findings] == [True]
        await session.write("a.py", "")
        for limit in (0, -1, float("nan"), float("inf")):
            with pytest.raises(ValueError, match="time_limit"):
                await session.run("a.py", time_limit=limit)
        with pytest.raises(ValueError, match="arguments of more than 64 KiB"):
            await session.run("a.py", arguments=["ж" * 20_000] * 2)
        assert (await session.run("a.py", time_limit=5)).succeeded


LIMITS: dict[str, Any] = {
    "cpu": 1.0,
    "memory": 1 << 30,
    "pids": 10,
    "timeout": 10.0,
    "grace": 1.0,
    "session": 100.0,
    "out_bytes": MIB,
    "out_files": 3,
}
SESSION: dict[str, Any] = {
    "id": "0" * 32,
    "policy": "default",
    "owner": "a",
    "state": "ready",
    "idle": 600.0,
    "limits": LIMITS,
}
RESULT: dict[str, Any] = {
    "status": "ok",
    "exit_code": 0,
    "stdout": "",
    "stderr": "",
    "stdout_dropped": 0,
    "stderr_dropped": 0,
    "files": [],
    "removed": [],
    "skipped": [],
    "seconds": 0.1,
    "cpu_seconds": 0.1,
    "peak_memory": 1,
    "processes": 1,
    "out_bytes": 0,
    "alerts": [],
    "script_sha256": "",
}


@asynccontextmanager
async def hostile(**answers: bytes | web.Response) -> AsyncGenerator[str]:
    """A service of somebody else's: `answers` by the last word of their routes, what is usual otherwise."""
    usual = {"begin": SESSION, "sessions": SESSION, "run": RESULT, "write": {"findings": []}}

    async def answer(request: web.Request) -> web.StreamResponse:
        word = request.path.rpartition("/")[2]
        chosen = answers.get(word)
        if isinstance(chosen, web.Response):
            return chosen
        body = chosen if chosen is not None else json.dumps(usual.get(word, {"files": []})).encode()
        return web.Response(body=body, content_type="application/json")

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", answer)
    async with listening(app, TcpAddress(host="127.0.0.1", port=0)) as address:
        yield str(address)


def result(**changes: Any) -> bytes:
    return json.dumps(RESULT | changes).encode()


def session(**changes: Any) -> bytes:
    return json.dumps(SESSION | changes).encode()


@pytest.mark.parametrize(
    "answers",
    [
        {"sessions": b"no JSON"},
        {"sessions": b"[" * 100_000},
        {"sessions": session(image="alpine")},
        {"sessions": session(id="../../admin")},
        {"sessions": session(limits=LIMITS | {"out_bytes": 1 << 60})},
        {"sessions": web.Response(status=302, headers={"Location": "http://127.0.0.1:9/"})},
        {"sessions": web.Response(status=500, text="<html>")},
        {"sessions": web.Response(status=500, body=b"x" * MIB)},
        {"begin": session(state="perhaps")},
        {"run": result(exit_code=-1)},
        {"run": result(exit_code=True)},
        {"run": result(seconds=None)},
        {"run": result(stdout="x" * (2 * MIB))},
        {"run": b'{"stdout": "' + b"x" * (33 * MIB) + b'"}'},
        {"run": result(files=[{"path": f"{number}", "size": 1} for number in range(4)])},
        {"run": result(files=[{"path": "a", "size": 2 * MIB}])},
        {"run": result(files=[{"path": "a", "size": 3}]), "output": b"four"},
        {"run": result(files=[{"path": "a", "size": 3}]), "output": b"ab"},
        {"outputs": json.dumps({"files": [{"path": "a", "size": 1}] * 3000}).encode()},
    ],
)
async def test_a_hostile_service_is_unavailable(answers: dict[str, bytes], tmp_path: Path) -> None:
    async with hostile(**answers) as url, SandboxClient(url) as client:

        async def work() -> None:
            async with client.lease(fresh_workspace(tmp_path)) as lease:
                await lease.write("a.py", "")
                await lease.run("a.py")
                await lease.list_outputs()

        with pytest.raises(SandboxUnavailable):
            await work()
    assert [file for file in (tmp_path / "out").rglob("*") if file.is_file()] == []


EXPECTED: dict[str, dict[str, type[Exception]]] = {
    "sessions": {"no-such-policy": PolicyError},
    "input": {},
    "out": {},
    "begin": {},
    "write": {"unsafe-name": UnsafeName},
    "run": {"no-such-script": NoSuchScript},
    "output": {},
    "outputs": {},
    "excerpt": {"no-such-file": NoSuchFile},
}
"""By the last word of the route, and the code of its refusal."""


@pytest.mark.parametrize("word", [*EXPECTED])
async def test_a_hostile_service_does_not_choose_the_exception(word: str, tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a,b")
    workspace = replace(
        fresh_workspace(tmp_path), inputs=(InputFile(name="a.csv", source=tmp_path / "data"),)
    )
    workspace.out.mkdir()
    (workspace.out / "earlier").write_text("x")

    async def work(client: SandboxClient) -> None:
        async with client.lease(workspace) as lease:
            await lease.write("a.py", "")
            await lease.run("a.py")
            await lease.list_outputs()
            await lease.excerpt("out/a")

    for code in wire.ErrorCode:
        if (word, code) in {("out", "too-large"), ("output", "no-such-file")}:
            continue  # these are told among the skipped
        failure = wire.Failure(error=wire.Problem(code=code, message="so it is"))
        refusal = web.Response(
            status=400, body=failure.model_dump_json().encode(), content_type="application/json"
        )
        usual = {"run": result(files=[{"path": "a", "size": 1}]), "output": b"x"}
        async with hostile(**usual | {word: refusal}) as url, SandboxClient(url) as client:
            with pytest.raises(EXPECTED[word].get(code, SandboxUnavailable), match=r"so it is|a\.py|out/a"):
                await work(client)


async def test_a_client_keeps_no_more_than_it_wants_to(fake: FakeSandbox, tmp_path: Path) -> None:
    workspace = fresh_workspace(tmp_path)
    run = result(files=[{"path": "a", "size": 2 * MIB}])
    generous = session(limits=LIMITS | {"out_bytes": 8 << 30})
    async with hostile(sessions=generous, run=run, output=b"x" * 2 * MIB) as url:
        async with SandboxClient(url, most_out=MIB) as client, client.lease(workspace) as lease:
            with pytest.raises(SandboxUnavailable, match="more files than out/ can hold"):
                await lease.run("a.py")
            assert listed(workspace.out) == []
        async with SandboxClient(url, most_out=2 * MIB) as client, client.lease(workspace) as lease:
            assert [file.path for file in (await lease.run("a.py")).files] == ["a"]
    async with (
        served(fake, tmp_path / "service") as url,
        SandboxClient(url, most_out=MIB) as client,
        client.lease(workspace) as lease,
    ):
        assert await lease.list_outputs() == ()


async def test_names_of_a_hostile_service_lead_nowhere(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("precious")
    workspace = fresh_workspace(tmp_path)
    workspace.out.mkdir()
    (workspace.out / "link").symlink_to(tmp_path)
    evil = ["../precious", "/etc/evil", "link/precious"]
    run = result(
        files=[{"path": path, "size": 3} for path in evil],
        removed=evil,
        stdout="\x1b]0;title\x07",
        skipped=[{"path": "\u202e", "reason": "\x1b[2J"}],
    )
    paths = [*evil, "fine"]
    outputs = json.dumps({"files": [{"path": path, "size": 3} for path in paths]}).encode()
    for removed in (evil, []):
        answer = json.loads(run) | {"removed": removed}
        async with (
            hostile(run=json.dumps(answer).encode(), output=b"bad", outputs=outputs) as url,
            SandboxClient(url) as client,
            client.lease(workspace) as lease,
        ):
            ran = await lease.run("a.py")
            assert (ran.files, ran.removed) == ((), ())
            assert "\x1b" not in ran.stdout + "".join(file.path + file.reason for file in ran.skipped)
            assert [file.path for file in await lease.list_outputs()] == ["fine", "link/precious"]
            with pytest.raises(UnsafeName):
                await lease.write("../evil.py", "")
            with pytest.raises(NoSuchFile):
                await lease.excerpt("../precious")
    assert (tmp_path / "precious").read_text() == "precious"
    assert Path("/etc/evil") not in listed(Path("/etc"))


def test_tokens_are_not_in_what_a_client_shows() -> None:
    token = secrets.token_hex(16)
    assert token not in repr(SandboxClient("http://127.0.0.1:1", token=token))
