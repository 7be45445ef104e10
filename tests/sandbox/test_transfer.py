"""The host's side of copying out/, with a guest whose answers are known beforehand."""

import asyncio
import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from sandbox.alerts import AlertCode
from sandbox.container import DockerSession
from sandbox.errors import ContainerEnded, SandboxUnavailable
from sandbox.frames import Channel
from sandbox.lease import LeaseFolder
from sandbox.policy import FileLimits, Policy
from sandbox.session import ExitStatus, SkippedFile, Workspace
from sandbox.transfer import Transfer
from tests.conftest import changed
from tests.sandbox.test_frames import Guest, frame

LIMITS = FileLimits(size=1 << 20, files=4)
END = frame({"type": "end", "skipped": []})


def _file(path: str, size: int) -> bytes:
    pieces = [min(1 << 18, size - start) for start in range(0, size, 1 << 18)]
    head = frame({"type": "file", "path": path, "size": size})
    return head + b"".join(frame(b"x" * piece, b"D") for piece in pieces)


@pytest.fixture
def transfer(tmp_path: Path) -> Transfer:
    (tmp_path / "out").mkdir()
    (tmp_path / "incoming").mkdir()
    return Transfer(tmp_path / "out", tmp_path / "incoming", LIMITS)


async def test_what_is_gone_goes_and_what_comes_is_kept(transfer: Transfer, tmp_path: Path) -> None:
    (tmp_path / "out" / "a").write_text("1")
    gone = frame({"type": "gone", "paths": ["a", "never"]})
    collected = await transfer.collect(Channel(Guest(gone + _file("a/b", 2) + END)))
    assert ([file.path for file in collected.files], collected.removed) == (["a/b"], ("a",))
    assert (tmp_path / "out" / "a" / "b").read_text() == "xx"


async def test_the_hosts_folder_holds_no_more_than_the_limits_whoever_filled_it(
    transfer: Transfer, tmp_path: Path
) -> None:
    (tmp_path / "out" / "of-another-todo").write_bytes(bytes(900_000))
    (tmp_path / "out" / "of-another-too").write_text("")
    sent = _file("a", 300_000) + _file("b", 100) + _file("c", 100) + _file("d", 100) + END
    collected = await transfer.collect(Channel(Guest(sent, 1 << 16)))
    assert [file.path for file in collected.files] == ["b", "c"]
    assert [skip.path for skip in collected.skipped] == ["a", "d"]
    assert transfer.refused == ("a", "d")  # the guest sends them again, and there may be room then
    (tmp_path / "out" / "of-another-todo").unlink()
    collected = await transfer.collect(Channel(Guest(_file("a", 300_000) + END, 1 << 16)))
    assert [file.path for file in collected.files] == ["a"]
    assert transfer.refused == ()


@pytest.mark.parametrize(
    "sent",
    [
        _file("a", 1 << 20) + _file("b", 1),
        b"".join(_file(f"{number}", 0) for number in range(5)),
        frame({"type": "gone", "paths": []}) * 5,
        frame({"type": "gone", "paths": list("abcde")}),
    ],
    ids=["bytes", "files", "frames", "paths"],
)
async def test_a_guest_that_sends_more_than_there_can_be_is_given_up(sent: bytes, transfer: Transfer) -> None:
    with pytest.raises(SandboxUnavailable, match="more files than out/ can hold"):
        await transfer.collect(Channel(Guest(sent, 1 << 16)))


async def test_what_does_not_fit_into_the_guest_is_told_once(transfer: Transfer, tmp_path: Path) -> None:
    (tmp_path / "out" / "a").write_bytes(bytes(1 << 20))
    (tmp_path / "out" / "b").write_text("x")
    await transfer.refill(Channel(Guest(frame({"type": "put", "problem": None}))))
    collected = await transfer.collect(Channel(Guest(END)))
    reason = "an earlier output that does not fit into the sandbox: too large together with the others"
    assert collected.skipped == (SkippedFile(path="b", reason=reason),)
    assert (await transfer.collect(Channel(Guest(END)))).skipped == ()


def _session(
    channel: Channel, base: Path, end: Callable[[], Awaitable[bool]], *, confined: bool = True
) -> DockerSession:
    """With a script and a patience of two hundredths of a second."""
    folder = LeaseFolder(base / "lease")
    folder.code.mkdir(parents=True)
    folder.add_code("a.py", b"")
    workspace = Workspace(owner="x", code=base / "code", out=base / "out")
    policy = changed(Policy(), "resources", timeout=0.01, grace=0.01)
    return DockerSession(
        channel, policy=policy, workspace=workspace, folder=folder, end=end, confined=confined
    )


class Deaf(Guest):
    """PID 1 among so many processes that it has no turn."""

    async def read(self) -> bytes:
        await asyncio.Event().wait()
        return b""


@pytest.mark.parametrize("works", [True, False])
async def test_a_script_that_keeps_pid_1_from_answering_has_timed_out_if_the_engine_works(
    works: bool, tmp_path: Path
) -> None:
    async def end() -> bool:
        return works

    session = _session(Channel(Deaf(b"")), tmp_path, end)
    if works:
        result = await session.run("a.py")
        assert (result.status, result.exit_code) == (ExitStatus.TIMEOUT, 137)
        assert [alert.code for alert in result.alerts] == [AlertCode.TIME_LIMIT]
    else:
        with pytest.raises(SandboxUnavailable, match="neither the sandbox nor its engine"):
            await session.run("a.py")
    with pytest.raises(SandboxUnavailable):
        await session.run("a.py")


@pytest.mark.parametrize("confined", [True, False])
async def test_a_sandbox_that_its_script_could_have_killed_is_out_of_memory(
    confined: bool, tmp_path: Path
) -> None:
    """Only where the kernel has no Landlock; elsewhere no script can, so it was not the script."""
    ended: list[bool] = []

    async def end() -> bool:
        ended.append(True)
        return True

    session = _session(Channel(Guest(b"")), tmp_path, end, confined=confined)
    if confined:
        with pytest.raises(ContainerEnded):
            await session.run("a.py")
    else:
        result = await session.run("a.py")
        assert (result.status, result.exit_code) == (ExitStatus.OUT_OF_MEMORY, 137)
        assert [alert.code for alert in result.alerts] == [AlertCode.MEMORY_LIMIT]
    assert ended
    with pytest.raises(SandboxUnavailable):
        await session.run("a.py")


async def test_an_old_session_is_over_and_does_not_say_that_a_script_is_missing(tmp_path: Path) -> None:
    async def end() -> bool:
        return True

    session = _session(Channel(Guest(b"")), tmp_path, end)
    session._expires = 0
    shutil.rmtree(tmp_path / "lease")  # as the reaper does
    for call in (session.run("a.py"), session.list_inputs(), session.write("b.py", "")):
        with pytest.raises(SandboxUnavailable, match="older than"):
            await call
