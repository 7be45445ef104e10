"""PID 1's work on files, run here on a temporary folder: the sweep and the outbox."""

import os
import socket
from pathlib import Path

import pytest

from sandbox.guest import sweep
from sandbox.guest.outbox import Limits, Outbox
from sandbox.guest.wire import DATA, HEADER, JSON, HostGone, Wire


def _deep(folder: Path, depth: int) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir("d" * 200, dir_fd=descriptor)
        inner = os.open("d" * 200, os.O_RDONLY, dir_fd=descriptor)
        os.close(descriptor)
        descriptor = inner
    os.close(os.open("leaf", os.O_CREAT | os.O_WRONLY, dir_fd=descriptor))
    os.close(descriptor)


def test_a_sweep_empties_any_tree_and_follows_no_link(tmp_path: Path) -> None:
    kept = tmp_path / "elsewhere"
    kept.mkdir()
    (kept / "precious").write_text("x")
    folder = tmp_path / "tmp"
    folder.mkdir()
    _deep(folder, 1500)
    (folder / "sweep-0").mkdir()
    (folder / "sweep-0" / "inner").mkdir()
    (folder / "link").symlink_to(kept)
    (folder / "sweep-0" / "link").symlink_to(kept)
    os.mkfifo(folder / "pipe")
    (folder / "mpl").mkdir()
    (folder / "mpl" / "cache").write_text("x")
    sweep.empty(str(folder), keep=frozenset({"mpl"}))
    assert [path.name for path in folder.iterdir()] == ["mpl"]
    assert (folder / "mpl" / "cache").exists()
    assert (kept / "precious").exists()


@pytest.fixture
def out(tmp_path: Path) -> Path:
    folder = tmp_path / "out"
    folder.mkdir()
    return folder


def test_only_what_changed_is_reported_and_once(out: Path) -> None:
    (out / "old").write_text("x")
    outbox = Outbox(str(out), Limits(files=10, total=1000))
    outbox.remember()
    (out / "new").write_text("xy")
    (out / "link").symlink_to("/etc/passwd")
    assert outbox.changes() == ([("new", 2)], [], {"link": "not a regular file"})
    assert outbox.changes() == ([], [], {})
    (out / "old").write_text("y")
    os.utime(out / "old", (0, 0))  # a script may turn this clock back, but not the kernel's own
    assert outbox.changes() == ([("old", 1)], [], {})


def test_what_is_gone_is_reported_once(out: Path) -> None:
    (out / "old").write_text("x")
    outbox = Outbox(str(out), Limits(files=10, total=1000))
    outbox.remember()
    (out / "old").unlink()
    assert outbox.changes() == ([], ["old"], {})
    assert outbox.changes() == ([], [], {})


def test_limits_of_count_size_and_depth_are_told(out: Path) -> None:
    outbox = Outbox(str(out), Limits(files=4, total=100, depth=2, path=20))
    (out / "a" / "b" / "c").mkdir(parents=True)
    (out / "a" / "b" / "c" / "deep").write_text("x")
    (out / "b").write_bytes(b"x" * 90)
    (out / "c").write_bytes(b"x" * 20)
    (out / "d").write_bytes(b"x" * 5)
    (out / ("n" * 30)).write_text("x")
    assert outbox.changes() == (
        [("b", 90), ("d", 5)],
        [],
        {
            "a/b/c": "more than 2 folders deep",
            "c": "too large together with the others",
            "n" * 30: "its path is too long",
        },
    )  # fmt: skip
    for number in range(9):
        (out / f"x{number}").write_text("")
    assert len(outbox.list().files) == 4
    assert "more than 4 files" in outbox.list().skipped.values()


def test_files_go_out_and_come_back_the_same(out: Path, tmp_path: Path) -> None:
    (out / "sub").mkdir()
    (out / "sub" / "big").write_bytes(os.urandom(600_000))
    (out / "none").write_bytes(b"")
    here, there = socket.socketpair()
    wire = Wire(here.fileno(), here.fileno())
    pid = os.fork()
    if pid == 0:
        Outbox(str(out), Limits(files=10, total=10**6)).send([("sub/big", 600_000), ("none", 0)], wire)
        os._exit(0)
    far = Wire(there.fileno(), there.fileno())
    assert far.receive_json() == {"type": "file", "path": "sub/big", "size": 600_000}
    content = b""
    while len(content) < 600_000:
        content += far.receive_data()
    assert content == (out / "sub" / "big").read_bytes()
    assert far.receive_json() == {"type": "file", "path": "none", "size": 0}
    os.waitpid(pid, 0)

    back = tmp_path / "back"
    back.mkdir()
    outbox = Outbox(str(back), Limits(files=10, total=10**6))
    far.send_data(b"ab")
    far.send_data(b"c")
    assert outbox.put("sub/x", 3, wire) is None
    assert (back / "sub" / "x").read_bytes() == b"abc"
    (back / "file").write_text("")
    far.send_data(b"lost")
    assert outbox.put("file/x", 4, wire) == "Not a directory"
    here.close()
    there.close()


@pytest.mark.parametrize(
    "sent", [b"", b"J", HEADER.pack(b"X", 1), HEADER.pack(JSON, 2**31), HEADER.pack(DATA, 2) + b"ab"]
)
def test_a_host_that_speaks_nonsense_counts_as_gone(sent: bytes) -> None:
    here, there = socket.socketpair()
    there.sendall(sent)
    there.close()
    with here, pytest.raises(HostGone):
        Wire(here.fileno(), here.fileno()).receive_json()
