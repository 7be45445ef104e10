"""PID 1's work on files, run here on a temporary folder: the sweep and the outbox."""

import mmap
import os
import socket
from pathlib import Path

import pytest

from sandbox.guest import sweep
from sandbox.guest.outbox import Changes, Limits, Outbox, reported
from sandbox.guest.watch import Watch
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
    sweep.empty(str(folder))
    assert list(folder.iterdir()) == []
    assert (kept / "precious").exists()


@pytest.fixture
def out(tmp_path: Path) -> Path:
    folder = tmp_path / "out"
    folder.mkdir()
    return folder


def _outbox(out: Path, **limits: int) -> Outbox:
    return Outbox(str(out), Limits(**{"files": 10, "total": 1 << 20, **limits}))


def test_only_what_changed_is_reported_and_once(out: Path) -> None:
    (out / "old").write_text("x")
    outbox = _outbox(out)
    outbox.remember()
    (out / "new").write_text("xy")
    (out / "link").symlink_to("/etc/passwd")
    assert outbox.changes() == Changes([], [("new", 2)], {"link": "not a regular file"})
    assert outbox.changes() == Changes()
    (out / "old").write_text("y")
    os.utime(out / "old", (0, 0))  # a script may turn this clock back, but not the kernel's own
    assert outbox.changes() == Changes([], [("old", 1)], {})


def test_a_write_through_a_memory_map_is_a_change_and_a_look_is_none(out: Path) -> None:
    (out / "mapped").write_bytes(b"x" * 5000)
    (out / "read").write_bytes(b"x" * 5000)
    outbox = _outbox(out)
    outbox.remember()
    for _ in range(2):
        outbox.arm()
        (out / "read").read_bytes()
        before = (out / "mapped").stat()
        with (out / "mapped").open("r+b") as file, mmap.mmap(file.fileno(), 0) as view:
            view[100] ^= 1
        os.utime(out / "mapped", ns=(before.st_atime_ns, before.st_mtime_ns))
        assert outbox.changes() == Changes([], [("mapped", 5000)], {})
    outbox.arm()
    assert outbox.changes() == Changes()


def test_a_file_that_was_opened_is_touched_by_whatever_name(out: Path) -> None:
    (out / "one").write_text("x")
    (out / "two").write_text("x")
    os.link(out / "two", out / "twin")
    watch = Watch()
    inodes = {name: (out / name).stat().st_ino for name in ("one", "two")}
    watch.arm((inode, str(out / name)) for name, inode in inodes.items())
    assert watch.untouched() == set(inodes.values())
    (out / "twin").read_text()
    assert watch.untouched() == {inodes["one"]}
    (out / "one").unlink()
    assert watch.untouched() == set()
    watch.arm([(7, str(out / "none"))])
    assert watch.untouched() == set()


def test_what_is_gone_is_reported_once(out: Path) -> None:
    (out / "old").write_text("x")
    outbox = _outbox(out)
    outbox.remember()
    (out / "old").unlink()
    assert outbox.changes() == Changes(["old"], [], {})
    assert outbox.changes() == Changes()


def test_what_a_link_has_replaced_is_gone(out: Path) -> None:
    (out / "old").write_text("x")
    outbox = _outbox(out)
    outbox.remember()
    (out / "old").unlink()
    (out / "old").symlink_to("/etc/passwd")
    assert outbox.changes() == Changes(["old"], [], {"old": "not a regular file"})


def test_limits_of_count_size_and_depth_are_told(out: Path) -> None:
    outbox = Outbox(str(out), Limits(files=4, total=12 << 10, depth=2, path=20))
    (out / "a" / "b" / "c").mkdir(parents=True)
    (out / "a" / "b" / "c" / "deep").write_text("x")
    (out / "b").write_bytes(b"x" * 5000)
    (out / "c").write_bytes(b"x" * 5000)
    (out / "d").write_bytes(b"x" * 5)
    (out / ("n" * 30)).write_text("x")
    assert outbox.changes() == Changes(
        [],
        [("b", 5000), ("d", 5)],
        {
            "a/b/c": "more than 2 folders deep",
            "c": "too large together with the others",
            "n" * 30: "its path is too long",
        },
    )
    for number in range(9):
        (out / f"x{number}").write_text("")
    assert len(outbox.list().files) == 4
    assert "more than 4 files" in outbox.list().skipped.values()


def test_files_of_several_scripts_share_one_limit(out: Path) -> None:
    outbox = _outbox(out, total=300_000)
    for number in range(4):
        with (out / f"hole{number}").open("wb") as file:
            file.truncate(200_000)
        changes = outbox.changes()
        assert [path for path, _ in changes.files] == (["hole0"] if number == 0 else [])
        assert list(changes.skipped) == ([] if number == 0 else [f"hole{number}"])


def test_what_did_not_fit_once_is_tried_again(out: Path) -> None:
    outbox = _outbox(out, total=300_000)
    (out / "a").write_bytes(b"x" * 200_000)
    (out / "b").write_bytes(b"x" * 200_000)
    assert outbox.changes().files == [("a", 200_000)]
    (out / "a").unlink()
    assert outbox.changes() == Changes(["a"], [("b", 200_000)], {})


def test_what_the_host_refused_and_what_came_too_late_is_sent_again(out: Path) -> None:
    outbox = Outbox(str(out), Limits(files=10, total=1 << 20, seconds=-1))
    (out / "a").write_text("x")
    here, there = socket.socketpair()
    with here, there:
        late = outbox.send(outbox.changes().files, Wire(here.fileno(), here.fileno()))
    assert late == {"a": "copying took too long"}
    assert outbox.changes() == Changes([], [("a", 1)], {})
    assert outbox.changes() == Changes()
    outbox.forget(["a", "never"])
    assert outbox.changes() == Changes([], [("a", 1)], {})
    outbox.forget(["a"])
    (out / "a").unlink()
    assert outbox.changes() == Changes(["a"], [], {})


def test_a_report_of_what_was_left_out_fits_into_a_frame() -> None:
    many = {f"{number:04d}" + '"' * 196: "not a regular file" for number in range(2000)}
    entries = reported(many)
    assert len(entries) == 101
    assert entries[-1] == ("1,900 more", "not named one by one")
    assert reported({"a": "b"}) == [("a", "b")]


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
    assert sorted(path.name for path in back.rglob("*")) == ["file", "sub", "x"]
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


def test_text_that_is_no_unicode_does_not_end_pid_1() -> None:
    here, there = socket.socketpair()
    with here, there:
        Wire(here.fileno(), here.fileno()).send({"text": "a\ud800b"})
        assert Wire(there.fileno(), there.fileno()).receive_json() == {"text": "a?b"}


def test_a_host_that_hangs_up_is_noticed_by_who_only_writes() -> None:
    """The engine takes an answer also when nobody is there to read it, so the writing itself never fails."""
    request, line = os.pipe()
    taken, answer = os.pipe()
    wire = Wire(request, answer)
    wire.send({"type": "end"})
    os.close(line)
    with pytest.raises(HostGone, match="hung up"):
        wire.send_data(b"x")
    for descriptor in (request, taken, answer):
        os.close(descriptor)
