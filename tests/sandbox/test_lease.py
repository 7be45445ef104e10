"""The lease's folders on the host, and the host's copy of out/."""

import os
import shutil
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox.errors import SandboxUnavailable
from sandbox.lease import LeaseFolder, LeaseRecord, identity, process_start
from sandbox.outfolder import OutFolder
from sandbox.session import InputFile, Workspace

RECORD = LeaseRecord(
    install="here",
    owner="r1-a-1",
    containers=("here-r1-a-1",),
    uid=20000,
    deadline=time.time() + 60,
    pid=os.getpid(),
    started=process_start(os.getpid()),
)


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(owner="r1-a-1", code=tmp_path / "code", out=tmp_path / "out")


def _lay_out(tmp_path: Path, workspace: Workspace) -> LeaseFolder:
    folder = LeaseFolder.named(tmp_path / "leases")
    folder.lay_out(RECORD)
    folder.fill(RECORD, workspace)
    return folder


def _upload(tmp_path: Path, mode: int) -> Path:
    path = tmp_path / f"upload-{mode:o}"
    path.write_text("a,b\n")
    path.chmod(mode)
    return path


def test_inputs_are_linked_when_that_is_safe_and_copied_otherwise(
    tmp_path: Path, workspace: Workspace
) -> None:
    public, private = _upload(tmp_path, 0o444), _upload(tmp_path, 0o600)
    inputs = (InputFile(name="a.csv", source=public), InputFile(name="b.csv", source=private))
    folder = _lay_out(tmp_path, replace(workspace, inputs=inputs))
    assert (folder.input / "a.csv").stat().st_ino == public.stat().st_ino
    assert (folder.input / "b.csv").stat().st_ino != private.stat().st_ino
    assert private.stat().st_mode & 0o777 == 0o600
    assert {path.stat().st_mode & 0o777 for path in folder.input.iterdir()} == {0o444}
    assert (tmp_path / "leases").stat().st_mode & 0o777 == 0o700
    assert folder.input_files() == [("a.csv", 4), ("b.csv", 4)]
    folder.remove()
    assert public.read_text() == "a,b\n"


@pytest.mark.parametrize("name", ["../x", "a/b", "", ".", "..", "a\x00", "\u202e"])
def test_an_unsafe_input_name_is_refused(name: str, tmp_path: Path, workspace: Workspace) -> None:
    inputs = (InputFile(name=name, source=_upload(tmp_path, 0o444)),)
    with pytest.raises(ValueError, match="canonical"):
        _lay_out(tmp_path, replace(workspace, inputs=inputs))


def test_a_link_is_no_input(tmp_path: Path, workspace: Workspace) -> None:
    (tmp_path / "link").symlink_to("/etc/passwd")
    inputs = (InputFile(name="a", source=tmp_path / "link"),)
    with pytest.raises(ValueError, match="not a regular file"):
        _lay_out(tmp_path, replace(workspace, inputs=inputs))


def test_skills_bring_their_scripts_and_nothing_else(tmp_path: Path, workspace: Workspace) -> None:
    skill = tmp_path / "charts"
    for path in (
        "scripts/charts.py",
        "scripts/lib/inner.py",
        "scripts/__pycache__/x.pyc",
        "scripts/.hidden/y",
    ):
        (skill / path).parent.mkdir(parents=True, exist_ok=True)
        (skill / path).write_text("x = 1\n")
    (skill / "SKILL.md").write_text("x")
    (skill / "scripts" / "link.py").symlink_to("/etc/passwd")
    mask = os.umask(0o077)
    folder = _lay_out(tmp_path, replace(workspace, skills=(skill,)))
    os.umask(mask)
    assert folder.incoming not in folder.binds.values()
    folder.incoming.rmdir()  # the host's own
    assert {path.stat().st_mode & 0o777 for path in folder.path.rglob("*") if path.is_dir()} == {0o755}
    files = sorted(
        str(path.relative_to(folder.skills)) for path in folder.skills.rglob("*") if path.is_file()
    )
    assert files == ["charts/scripts/charts.py", "charts/scripts/lib/inner.py"]


def test_scripts_that_are_there_are_staged(tmp_path: Path, workspace: Workspace) -> None:
    workspace.code.mkdir()
    (workspace.code / "a.py").write_text("print(1)")
    (workspace.code / "notes.txt").write_text("")
    folder = _lay_out(tmp_path, workspace)
    assert [path.name for path in folder.code.iterdir()] == ["a.py"]
    assert folder.has_code("a.py")
    assert not folder.has_code("b.py")


def test_a_record_tells_a_living_owner_from_a_dead_one(tmp_path: Path, workspace: Workspace) -> None:
    folder = _lay_out(tmp_path, workspace)
    assert folder.record() == RECORD
    assert RECORD.owner_lives
    assert not replace(RECORD, started=RECORD.started - 1).owner_lives
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    started = process_start(pid)
    os.waitpid(pid, 0)
    assert not replace(RECORD, pid=pid, started=started).owner_lives
    folder.expire()
    assert folder.record() == replace(RECORD, deadline=0.0)


def _out(tmp_path: Path) -> OutFolder:
    incoming = tmp_path / "incoming"
    incoming.mkdir(exist_ok=True)
    return OutFolder(tmp_path / "out", incoming)


def _receive(out: OutFolder, path: str, content: bytes = b"x", *, complete: bool = True) -> str | None:
    incoming = out.receive(path)
    incoming.write(content)
    incoming.close(complete=complete)
    return incoming.problem


def test_files_land_below_the_folder_or_nowhere(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    with _out(tmp_path) as out:
        assert _receive(out, "a/b/c.csv", b"abc") is None
        for path in ("../x", "/x", "a//x", "a/../../x", "", ".", "x\x00", "\udcff", "a/b\n"):
            assert _receive(out, path) == "an unsafe name"
        (tmp_path / "out" / "link").symlink_to(outside)
        assert _receive(out, "link/x") == "cannot be stored: Not a directory"
        assert _receive(out, "a") == "cannot be stored: Is a directory"
        assert _receive(out, "a/b/c.csv/d") == "cannot be stored: Not a directory"
        (tmp_path / "out" / "file-link").symlink_to(outside / "target")
        assert _receive(out, "file-link", b"new") is None
    assert (tmp_path / "out" / "a/b/c.csv").read_bytes() == b"abc"
    assert list(outside.iterdir()) == []
    assert not (tmp_path / "out" / "file-link").is_symlink()
    assert list((tmp_path / "incoming").iterdir()) == []
    assert not (tmp_path / "x").exists()


def test_half_a_file_does_not_replace_a_whole_one(tmp_path: Path) -> None:
    with _out(tmp_path) as out:
        _receive(out, "a", b"whole")
        _receive(out, "a", b"ha", complete=False)
    assert (tmp_path / "out" / "a").read_bytes() == b"whole"
    assert len(list((tmp_path / "out").iterdir())) == 1
    assert list((tmp_path / "incoming").iterdir()) == []


def test_what_a_dead_host_was_copying_is_not_in_the_outputs(tmp_path: Path) -> None:
    with _out(tmp_path) as out:
        incoming = out.receive("a")
        incoming.write(b"half")  # and here it dies
        assert list(out.files()) == []
        assert len(list((tmp_path / "incoming").iterdir())) == 1
        incoming.close(complete=False)


def test_a_file_and_a_folder_may_change_places(tmp_path: Path) -> None:
    with _out(tmp_path) as out:
        _receive(out, "a", b"1")
        _receive(out, "d/e/x", b"1")
        _receive(out, "kept/x", b"1")
        _receive(out, "kept/y", b"1")
        assert [out.remove(path) for path in ("a", "d/e/x", "kept/x", "none", "../out")] == [
            True, True, True, False, False,
        ]  # fmt: skip
        assert _receive(out, "a/b", b"2") is None
        assert _receive(out, "d", b"2") is None
    found = {path.relative_to(tmp_path / "out").as_posix() for path in (tmp_path / "out").rglob("*")}
    assert found == {"a", "a/b", "d", "kept", "kept/y"}


def test_zeros_take_no_room_on_the_disk(tmp_path: Path) -> None:
    with _out(tmp_path) as out:
        incoming = out.receive("holes")
        for data in (bytes(1 << 20), b"middle", bytes(1 << 20)):
            incoming.write(data)
        incoming.close(complete=True)
        assert out.occupied() == {"holes": (2 << 20) + 4096}
    assert (tmp_path / "out" / "holes").read_bytes() == bytes(1 << 20) + b"middle" + bytes(1 << 20)
    assert (tmp_path / "out" / "holes").stat().st_blocks * 512 <= 64 << 10


def test_a_data_folder_is_told_from_its_copy_and_from_all_others(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    assert identity(one) == identity(one) == identity(tmp_path / "." / "one")
    shutil.copytree(one, tmp_path / "copy")
    assert len({identity(one), identity(other), identity(tmp_path / "copy")}) == 3
    mark = identity(one)
    shutil.rmtree(one)
    assert identity(one) != mark
    assert [path.name for path in one.iterdir()] == ["sandbox.id"]
    (tmp_path / "file").write_text("")
    with pytest.raises(SandboxUnavailable, match="data folder cannot be used"):
        identity(tmp_path / "file")


def test_only_regular_files_go_back(tmp_path: Path) -> None:
    (tmp_path / "out" / "sub").mkdir(parents=True)
    (tmp_path / "out" / "sub" / "b").write_text("bb")
    (tmp_path / "out" / "a").write_text("a")
    (tmp_path / "out" / "link").symlink_to("/etc/passwd")
    with _out(tmp_path) as out:
        assert [(path, size, os.read(file, 10)) for path, size, file in out.files()] == [
            ("a", 1, b"a"),
            ("sub/b", 2, b"bb"),
        ]


def test_an_impossible_folder_is_our_fault(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(SandboxUnavailable, match="cannot be opened"),
        OutFolder(tmp_path / "file" / "out", tmp_path),
    ):
        pass


def test_two_inputs_of_one_name_are_refused_and_no_original_is_written_to(
    tmp_path: Path, workspace: Workspace
) -> None:
    first, second = _upload(tmp_path, 0o444), _upload(tmp_path, 0o600)
    second.write_text("other")
    inputs = (InputFile(name="a.csv", source=first), InputFile(name="a.csv", source=second))
    with pytest.raises(ValueError, match=r"a\.csv is there twice"):
        _lay_out(tmp_path, replace(workspace, inputs=inputs))
    assert first.read_text() == "a,b\n"


def test_a_process_may_have_a_name_that_is_no_text(tmp_path: Path) -> None:
    code = "import ctypes, sys; ctypes.CDLL(None).prctl(15, b'\\xff)', 0, 0, 0); print(flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as named:
        assert named.stdout is not None
        named.stdout.readline()
        assert process_start(named.pid) > 0
        named.kill()
