from pathlib import Path

import pytest

from sandbox.errors import BuildFailed
from sandbox.pins import Pin, Pins, Target, parse_lock, read_lock, write_lock
from sandbox.policy import Packages

ASKED = Packages(python=("humanize==4.9.0",), debian=("nodejs",))
TARGET = Target(machine="x86_64", python="3.11", release="bookworm")
PINS = Pins(
    asked=ASKED,
    target=TARGET,
    wheels=(Pin(name="humanize", version="4.9.0", file="humanize-4.9.0-py3-none-any.whl", sha256="a" * 64),),
    debs=(Pin(name="gawk", version="1:5.2.1-2", file="gawk_1%3a5.2.1-2_amd64.deb", sha256="b" * 64),),
)


def test_a_lock_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "default.lock"
    assert parse_lock(read_lock(path), path) is None
    write_lock(path, PINS.dump())
    assert parse_lock(read_lock(path), path) == PINS


@pytest.mark.parametrize(
    "file", ["../humanize.whl", "a/b.whl", "/etc/x.deb", "x.tar.gz", "-x.whl", ".x.whl", "x.whl\n"]
)
def test_a_lock_that_names_no_plain_package_file_is_damaged(file: str, tmp_path: Path) -> None:
    content = PINS.dump().replace(b"humanize-4.9.0-py3-none-any.whl", file.replace("\n", "\\n").encode())
    with pytest.raises(BuildFailed, match=r"is damaged; run `deckhand sandbox build --pin`"):
        parse_lock(content, tmp_path / "default.lock")


def test_other_packages_and_another_base_need_other_pins() -> None:
    PINS.check(ASKED, TARGET)
    with pytest.raises(BuildFailed, match=r"lists other packages by now; run `deckhand sandbox build --pin`"):
        PINS.check(Packages(debian=("nodejs",)))
    newer = Target(machine="x86_64", python="3.12", release="trixie")
    with pytest.raises(BuildFailed, match=r"for x86_64 3\.11 bookworm, and the image is x86_64 3\.12 trixie"):
        PINS.check(ASKED, newer)


def test_a_lock_that_cannot_be_finished_leaves_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "default.lock"
    write_lock(path, b"old")
    (tmp_path / "default.lock.new").mkdir()
    with pytest.raises(BuildFailed, match="writing the lock"):
        write_lock(path, b"new")
    assert path.read_bytes() == b"old"


def test_a_folder_without_room_for_a_lock_is_told(tmp_path: Path) -> None:
    with pytest.raises(BuildFailed, match="writing the lock"):
        write_lock(tmp_path / "none" / "default.lock", b"")
