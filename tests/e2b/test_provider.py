"""E2B's machines: what of the policy holds there, and what happens when their cloud fails or lies."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import structlog

from sandbox.alerts import AlertCode
from sandbox.e2b.machine import Deadlines
from sandbox.e2b.provider import E2BSandbox
from sandbox.errors import NoSuchScript, PolicyError, SandboxUnavailable, UnsafeName
from sandbox.policy import DEFAULT_NAME, Interpreter, OutLimits, Policy, StdoutLimits
from sandbox.session import ExitStatus, InputFile, SandboxSession, SkippedFile
from tests.conftest import changed, fresh_workspace, until
from tests.e2b.cloud import Cloud, standing_in

MIB = 1 << 20
SHELL = Interpreter(suffix=".sh", command=("/bin/sh",))
POLICY = changed(
    changed(changed(Policy(), "container", interpreters=(SHELL,)), "pool", limit=1, size=0),
    "resources",
    out=OutLimits(size=MIB, files=3),
    stdout=StdoutLimits(keep=1 << 10, ceiling=64 << 10),
)


@pytest.fixture
async def cloud(tmp_path: Path) -> AsyncIterator[Cloud]:
    (tmp_path / "machines").mkdir()
    async with standing_in(tmp_path / "machines") as cloud:
        yield cloud
        assert not cloud.machines, "a machine was left alive"


@pytest.fixture
async def sandbox(cloud: Cloud) -> AsyncIterator[E2BSandbox]:
    async with E2BSandbox({DEFAULT_NAME: POLICY}, account=cloud.account) as sandbox:
        yield sandbox


@pytest.fixture
async def session(sandbox: E2BSandbox, tmp_path: Path) -> AsyncIterator[SandboxSession]:
    async with sandbox.lease(fresh_workspace(tmp_path)) as session:
        yield session


async def ran(session: SandboxSession, source: str, **options: Any) -> Any:
    assert await session.write("script.py", source) == ()
    return await session.run("script.py", **options)


async def test_a_machine_has_no_internet_and_lives_as_long_as_the_policy_lets_it(
    cloud: Cloud, tmp_path: Path
) -> None:
    policy = changed(POLICY, "network", enabled=True)
    async with (
        E2BSandbox({DEFAULT_NAME: policy}, account=cloud.account) as sandbox,
        sandbox.lease(fresh_workspace(tmp_path)),
    ):
        (machine,) = cloud.machines.values()
        assert machine.seconds == 3600
    assert machine.asked["allow_internet_access"] is False
    assert machine.asked["autoPause"] is False
    assert machine.asked["timeout"] <= 120
    assert machine.asked["envVars"] == {}


async def test_everything_of_a_workspace_arrives(sandbox: E2BSandbox, tmp_path: Path) -> None:
    skill = tmp_path / "charts"
    (skill / "scripts").mkdir(parents=True)
    (skill / "scripts" / "draw.py").write_text("LINE = 'drawn'")
    (tmp_path / "upload").write_bytes(b"a" * 300_000)
    (tmp_path / "empty").touch()
    workspace = replace(
        fresh_workspace(tmp_path),
        inputs=(
            InputFile(name="большой.csv", source=tmp_path / "upload"),
            InputFile(name="empty.csv", source=tmp_path / "empty"),
        ),
        skills=[skill],
    )
    workspace.code.mkdir()
    (workspace.code / "early.py").write_text(
        "import draw, os, sys\nprint(draw.LINE, os.listdir('../input'), sys.argv[1:], sys.stdin.read())"
    )
    (workspace.code / "notes.txt").write_text("no script")
    async with sandbox.lease(workspace) as session:
        result = await session.run("early.py", arguments=["a b", "'\"$x\n"])
        inputs = await session.list_inputs()
        with pytest.raises(NoSuchScript):
            await session.run("notes.txt")
    assert sorted(result.stdout.split("[", 1)[0].split()) == ["drawn"]
    assert "большой.csv" in result.stdout
    assert str(["a b", "'\"$x\n"]) in result.stdout
    assert [(file.path, file.size) for file in inputs] == [("empty.csv", 0), ("большой.csv", 300_000)]


async def test_other_languages_of_the_policy_run_unchecked(session: SandboxSession) -> None:
    assert await session.write("say.sh", "echo $1 )") == ()
    assert await session.write("say.sh", "echo said $1; exit 4") == ()
    result = await session.run("say.sh", arguments=["it"])
    assert (result.stdout, result.exit_code) == ("said it\n", 4)
    with pytest.raises(UnsafeName):
        await session.write("say.rb", "puts 1")


async def test_a_timeout_kills_the_children_too(session: SandboxSession, tmp_path: Path) -> None:
    source = (
        "import subprocess, sys, time\n"
        "print('begun')\n"
        "child = subprocess.Popen(['sleep', '600'], start_new_session=True)\n"
        "open('pid', 'w').write(str(child.pid))\n"
        "time.sleep(600)\n"
    )
    result = await ran(session, source, time_limit=1.0)
    assert (result.status, result.exit_code, result.stdout) == (ExitStatus.TIMEOUT, 137, "begun\n")
    assert [alert.code for alert in result.alerts] == [AlertCode.TIME_LIMIT]
    pid = (fresh_workspace(tmp_path).out / "pid").read_text()
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid), 0)
    assert (await ran(session, "print('still here')")).stdout == "still here\n"


async def test_a_signal_is_told_as_a_shell_does(session: SandboxSession) -> None:
    result = await ran(session, "import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)")
    assert (result.status, result.exit_code) == (ExitStatus.ERROR, 139)


async def test_much_output_is_cut_in_the_middle_and_too_much_ends_the_script(session: SandboxSession) -> None:
    result = await ran(session, "print('a' * 3000 + 'z' * 3000)")
    assert result.succeeded
    assert result.stdout_dropped == 6001 - 1024
    assert result.stdout.startswith("aaa")
    assert result.stdout.endswith("zzz\n")
    result = await ran(session, "while True: print('a' * 1000)")
    assert result.status is ExitStatus.OUTPUT_LIMIT


async def test_a_script_that_kills_the_tool_beside_it_is_a_result(session: SandboxSession) -> None:
    result = await ran(session, "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)")
    assert (result.status, result.exit_code) == (ExitStatus.KILLED, 137)
    with pytest.raises(SandboxUnavailable):
        await session.list_outputs()


async def test_what_does_not_fit_or_is_no_file_is_told_once(session: SandboxSession, tmp_path: Path) -> None:
    source = (
        "import os\n"
        "open('a', 'wb').write(bytes(600_000))\n"
        "open('b', 'wb').write(bytes(600_000))\n"
        "os.path.exists('c') or os.symlink('/etc/passwd', 'c')\n"
    )
    first, second = await ran(session, source), await ran(session, source)
    assert [file.path for file in first.files] == ["a"]
    assert [(file.path, file.reason) for file in first.skipped] == [
        ("b", "too large together with the others"),
        ("c", "not a regular file"),
    ]
    assert second.skipped == ()
    assert {alert.code for alert in first.alerts} == {AlertCode.DISK_LIMIT, AlertCode.SPECIAL_FILE}
    assert sorted(path.name for path in fresh_workspace(tmp_path).out.iterdir()) == ["a"]


async def test_an_unchanged_file_is_not_fetched_again(session: SandboxSession) -> None:
    await ran(session, "open('a', 'w').write('1'); open('b', 'w').write('1')")
    result = await ran(session, "open('a', 'w').write('2')")
    assert [file.path for file in result.files] == ["a"]


async def test_a_source_that_cannot_be_text_or_compiled_is_a_finding(session: SandboxSession) -> None:
    for source in ("\ud800", "x = '\x00'", "(" * 5000, "#" * (257 << 10)):
        findings = await session.write("bad.py", source)
        assert [finding.fatal for finding in findings] == [True]
    with pytest.raises(NoSuchScript):
        await session.run("bad.py")


async def test_leases_beyond_the_limit_wait_in_line(sandbox: E2BSandbox, tmp_path: Path) -> None:
    ahead: list[int] = []

    async def second(name: str) -> None:
        async with sandbox.lease(fresh_workspace(tmp_path / name), waiting=ahead.append):
            assert sandbox.stats().leased == 1

    async with sandbox.lease(fresh_workspace(tmp_path), waiting=ahead.append):
        tasks = [asyncio.create_task(second(name)) for name in ("b", "c", "d")]
        await until(lambda: sandbox.stats().waiting == 3)
        assert sandbox.stats().limit == 1
        tasks[1].cancel()
    await asyncio.gather(tasks[0], tasks[2])
    assert ahead == [0, 1, 2]
    assert (sandbox.stats().leases, sandbox.stats().waiting, sandbox.stats().leased) == (3, 0, 0)


async def test_an_unknown_policy_is_refused_before_anything_is_made(
    sandbox: E2BSandbox, cloud: Cloud, tmp_path: Path
) -> None:
    with pytest.raises(PolicyError):
        async with sandbox.lease(replace(fresh_workspace(tmp_path), policy="other")):
            pass
    assert cloud.made == []


async def test_without_the_extra_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "e2b", None)
    with pytest.raises(SandboxUnavailable, match=r'pip install "deckhand\[e2b\]"'):
        await E2BSandbox({DEFAULT_NAME: POLICY}).__aenter__()


# Their cloud fails.


@pytest.mark.parametrize("status", [401, 429, 500])
@pytest.mark.parametrize("call", ["create", "timeout", "start", "write"])
async def test_a_refusal_is_an_unavailable_sandbox(
    cloud: Cloud, tmp_path: Path, call: str, status: int
) -> None:
    cloud.refusals[call] = status
    async with E2BSandbox({DEFAULT_NAME: POLICY}, account=cloud.account) as sandbox:
        with pytest.raises(SandboxUnavailable) as raised:
            async with sandbox.lease(fresh_workspace(tmp_path)):
                pass
        assert sandbox.stats().failed_starts == (call == "create")
    assert not {"\x1b", "\u202e"} & set(str(raised.value))
    assert not cloud.machines


async def test_a_wrong_key_is_an_unavailable_sandbox(cloud: Cloud, tmp_path: Path) -> None:
    account = replace(cloud.account, api_key="e2b_wrong")
    async with E2BSandbox({DEFAULT_NAME: POLICY}, account=account) as sandbox:
        with pytest.raises(SandboxUnavailable, match="whose key"):
            async with sandbox.lease(fresh_workspace(tmp_path)):
                pass


@pytest.mark.parametrize("call", ["create", "timeout", "start", "write"])
async def test_a_cloud_that_hangs_is_given_up_on(cloud: Cloud, tmp_path: Path, call: str) -> None:
    cloud.hangs[call] = asyncio.Event()
    short = Deadlines(create=0.3, call=0.3)
    async with E2BSandbox({DEFAULT_NAME: POLICY}, account=cloud.account, deadlines=short) as sandbox:
        async with asyncio.timeout(20):
            with pytest.raises(SandboxUnavailable):
                async with sandbox.lease(fresh_workspace(tmp_path)):
                    pass
    assert not cloud.machines


async def test_a_script_that_is_never_heard_of_again_is_given_up_on(cloud: Cloud, tmp_path: Path) -> None:
    policy = changed(POLICY, "resources", grace=0.1)
    short = Deadlines(call=1.0)
    async with (
        E2BSandbox({DEFAULT_NAME: policy}, account=cloud.account, deadlines=short) as sandbox,
        sandbox.lease(fresh_workspace(tmp_path)) as session,
    ):
        await session.write("a.py", "print(1)")
        cloud.hangs["start"] = asyncio.Event()
        async with asyncio.timeout(20):
            with pytest.raises(SandboxUnavailable, match="did not answer in time"):
                await session.run("a.py", time_limit=0.1)


@pytest.mark.parametrize("body", ["", "{}", "[]", '{"sandboxID": 1}'])
async def test_a_cloud_that_talks_nonsense_is_an_unavailable_sandbox(
    sandbox: E2BSandbox, cloud: Cloud, tmp_path: Path, body: str
) -> None:
    cloud.nonsense = body
    with pytest.raises(SandboxUnavailable):
        async with sandbox.lease(fresh_workspace(tmp_path)):
            pass


async def test_the_debug_switch_of_their_sdk_keeps_no_machine_alive(
    sandbox: E2BSandbox, cloud: Cloud, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("E2B_DEBUG", "true")
    async with sandbox.lease(fresh_workspace(tmp_path)):
        assert len(cloud.machines) == 1
    assert not cloud.machines


async def test_nothing_at_the_address_is_an_unavailable_sandbox(cloud: Cloud, tmp_path: Path) -> None:
    account = replace(cloud.account, api_url="http://127.0.0.1:9")
    async with E2BSandbox({DEFAULT_NAME: POLICY}, account=account) as sandbox:
        with pytest.raises(SandboxUnavailable):
            async with sandbox.lease(fresh_workspace(tmp_path)):
                pass


async def test_who_is_cancelled_while_a_machine_is_made_leaves_none(
    sandbox: E2BSandbox, cloud: Cloud, tmp_path: Path
) -> None:
    event = cloud.hangs["create"] = asyncio.Event()

    async def lease() -> None:
        async with sandbox.lease(fresh_workspace(tmp_path)):
            pass

    task = asyncio.create_task(lease())
    await cloud.reached.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    event.set()
    await until(lambda: cloud.made and not cloud.machines)
    assert sandbox.stats().starting == 0


async def test_who_is_cancelled_during_a_script_leaves_no_machine(
    sandbox: E2BSandbox, cloud: Cloud, tmp_path: Path
) -> None:
    workspace = fresh_workspace(tmp_path)
    running = asyncio.Event()

    async def script() -> None:
        async with sandbox.lease(workspace) as session:
            await session.write("long.py", "import time\ntime.sleep(600)")
            running.set()
            await session.run("long.py")

    task = asyncio.create_task(script())
    await running.wait()
    await asyncio.sleep(0.3)  # somewhere on the way into the script: all of it must hold
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert len(cloud.made) == 1
    assert not cloud.machines


async def test_who_is_cancelled_twice_does_not_cut_the_killing_short(
    sandbox: E2BSandbox, cloud: Cloud, tmp_path: Path
) -> None:
    leased = asyncio.Event()

    async def lease() -> None:
        async with sandbox.lease(fresh_workspace(tmp_path)):
            leased.set()
            await asyncio.Event().wait()

    task = asyncio.create_task(lease())
    await leased.wait()
    event = cloud.hangs["kill"] = asyncio.Event()
    task.cancel()
    await cloud.reached.wait()
    task.cancel()
    done, _ = await asyncio.wait([task], timeout=0.3)  # one that gave up would be over at once
    assert not done
    event.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not cloud.machines


async def test_a_machine_that_dies_in_the_middle_is_no_result(session: SandboxSession, cloud: Cloud) -> None:
    cloud.dies = True
    await session.write("a.py", "import time\ntime.sleep(600)")
    with pytest.raises(SandboxUnavailable):
        await session.run("a.py")
    with pytest.raises(SandboxUnavailable):
        await session.list_outputs()


async def test_a_machine_that_cannot_be_killed_is_told_and_left_to_its_own_clock(
    cloud: Cloud, tmp_path: Path
) -> None:
    cloud.refusals["kill"] = 500
    async with E2BSandbox({DEFAULT_NAME: POLICY}, account=cloud.account) as sandbox:
        with structlog.testing.capture_logs() as logs:
            async with sandbox.lease(fresh_workspace(tmp_path)):
                pass
    (left,) = cloud.machines
    assert [(line["event"], line["machine"]) for line in logs] == [("sandbox.e2b_left", left)]
    cloud.machines.pop(left).end()


# A machine lies.

RAN: dict[str, Any] = {
    "exit_code": 0,
    "killed_for": "",
    "stdout": "",
    "stderr": "",
    "stdout_dropped": 0,
    "stderr_dropped": 0,
    "seconds": 0.1,
    "cpu_seconds": 0.1,
    "peak_memory": 1,
    "processes": 1,
    "files": [],
    "skipped": [],
}


@pytest.mark.parametrize(
    "says",
    [
        "",
        "[]",
        "{",
        json.dumps(RAN | {"exit_code": 256}),
        json.dumps(RAN | {"seconds": "long"}),
        json.dumps(RAN | {"more": 1}),
        json.dumps(RAN | {"files": [["a", -1, "m"]]}),
        json.dumps(RAN | {"files": [[str(n), 1, "m"] for n in range(4)]}),
        json.dumps(RAN | {"files": [["a", 2 * MIB, "m"]]}),
        json.dumps(RAN | {"stdout": "a" * (9 << 20)}),
    ],
    ids=lambda says: says[:20],
)
async def test_a_nonsensical_answer_ends_the_session(
    session: SandboxSession, cloud: Cloud, says: str
) -> None:
    await session.write("a.py", "print(1)")
    cloud.says = says
    with pytest.raises(SandboxUnavailable):
        await session.run("a.py")
    cloud.says = None
    with pytest.raises(SandboxUnavailable, match="is gone"):
        await session.run("a.py")


async def test_hostile_names_lead_nowhere(session: SandboxSession, cloud: Cloud, tmp_path: Path) -> None:
    await session.write("a.py", "open('ok', 'w').write('1')")
    names = ["../up", "/etc/x", "new\nline"]
    cloud.says = json.dumps(
        RAN | {"files": [[name, 1, "m"] for name in names], "skipped": [["\x1b[2Jx", "\u202ey"]]}
    )
    result = await session.run("a.py")
    assert result.files == ()
    assert result.skipped == (SkippedFile(path="x", reason="\ufffdy"),)
    assert not (tmp_path / "up").exists()


@pytest.mark.parametrize("lies", [b"", b"12", b"1" * 100_000])
async def test_a_file_of_another_length_than_announced_is_not_kept(
    session: SandboxSession, cloud: Cloud, tmp_path: Path, lies: bytes
) -> None:
    cloud.lies = lies
    with pytest.raises(SandboxUnavailable, match="not as long as announced"):
        await ran(session, "open('a', 'w').write('1')")
    assert not (fresh_workspace(tmp_path).out / "a").exists()
