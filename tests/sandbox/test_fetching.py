"""Fetching as pip really does it, from a folder of wheels instead of an index."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest

from sandbox.errors import BuildFailed
from sandbox.fetching import Fetcher, check_debs
from sandbox.ground import Ground
from sandbox.pins import Pin, Target
from sandbox.policy import Packages
from sandbox.printed import last_lines
from tests.sandbox.wheels import make_wheel, only_wheels_of

if TYPE_CHECKING:
    from sandbox.buildbox import BuildBoxes

GROUND = Ground(
    image="deckhand-sandbox:0123456789ab",
    image_id="sha256:1",
    base="sha256:0",
    apt=False,
    target=Target(machine="x86_64", python="3.11", release="bookworm"),
    status=b"",
)
NO_ENGINE = cast("BuildBoxes", None)  # wheels need none


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "index"
    folder.mkdir()
    for name, value in only_wheels_of(folder).items():
        monkeypatch.setenv(name, value)
    return folder


@pytest.fixture
def fetcher(tmp_path: Path) -> Fetcher:
    lock = tmp_path / "deploy/sandbox/requirements.lock"
    lock.parent.mkdir(parents=True)
    lock.write_text("inside==1.0 \\\n    --hash=sha256:0\n")
    (tmp_path / "cache").mkdir()
    return Fetcher(NO_ENGINE, GROUND, root=tmp_path, cache=tmp_path / "cache", say=ignored)


def ignored(line: str) -> None:
    del line


async def test_a_package_is_pinned_with_what_it_needs_and_the_image_lacks(
    fetcher: Fetcher, index: Path
) -> None:
    make_wheel(index, "outer", "2.0", "", requires="inside<3")
    make_wheel(index, "inside", "1.0", "")
    make_wheel(index, "inside", "2.0", "")
    pins = await fetcher.resolve(Packages(python=("outer==2.0",)))
    assert [(pin.name, pin.version, pin.file) for pin in pins.wheels] == [
        ("outer", "2.0", "outer-2.0-py3-none-any.whl")
    ]
    assert fetcher.path(pins.wheels[0]).is_file()


async def test_what_contradicts_the_image_is_refused_in_pips_words(fetcher: Fetcher, index: Path) -> None:
    make_wheel(index, "outer", "2.0", "", requires="inside>=2")
    make_wheel(index, "inside", "1.0", "")
    make_wheel(index, "inside", "2.0", "")
    with pytest.raises(BuildFailed, match="fetching Python packages failed: exit code 1") as refused:
        await fetcher.resolve(Packages(python=("outer==2.0",)))
    assert "conflict" in str(refused.value).lower()


async def test_a_file_that_no_lock_may_name_is_refused(fetcher: Fetcher, index: Path) -> None:
    long = "n" * 101
    make_wheel(index, "outer", "2.0", "", requires=long)
    make_wheel(index, long, "1.0", "")
    with pytest.raises(
        BuildFailed, match=r"pinning what was found failed: n+-1\.0-py3-none-any\.whl: name: "
    ):
        await fetcher.resolve(Packages(python=("outer==2.0",)))


def test_every_debian_package_that_is_asked_for_is_there_under_its_very_name() -> None:
    status = (
        b"Package: libc6\nStatus: install ok installed\n\nPackage: gone\nStatus: deinstall ok config-files\n"
    )
    pin = Pin(name="g++", version="12", file="g++_12_amd64.deb", sha256="0" * 64)
    check_debs(["g++=12", "libc6"], [pin], status)
    with pytest.raises(BuildFailed, match=r"of the very name a\.\+, awk, gone$"):
        check_debs(["a.+", "awk", "g++", "gone"], [pin], status)


async def test_another_python_than_the_images_is_told(fetcher: Fetcher, index: Path, tmp_path: Path) -> None:
    make_wheel(index, "outer", "2.0", "")
    said: list[str] = []
    other = replace(GROUND, target=Target(machine="x86_64", python="3.99", release="bookworm"))
    fetcher = Fetcher(NO_ENGINE, other, root=tmp_path, cache=tmp_path / "cache", say=said.append)
    await fetcher.resolve(Packages(python=("outer==2.0",)))
    assert "the image has 3.99" in said[-1]


@pytest.mark.parametrize("tag", ["manylinux2014_x86_64", "manylinux_2_17_x86_64"])
async def test_a_wheel_for_an_old_c_library_is_taken_by_either_name(
    tag: str, fetcher: Fetcher, index: Path
) -> None:
    make_wheel(index, "outer", "2.0", "").rename(index / f"outer-2.0-cp311-cp311-{tag}.whl")
    pins = await fetcher.resolve(Packages(python=("outer==2.0",)))
    assert [pin.file for pin in pins.wheels] == [f"outer-2.0-cp311-cp311-{tag}.whl"]


async def test_pinned_files_are_fetched_once(fetcher: Fetcher, index: Path) -> None:
    make_wheel(index, "outer", "2.0", "")
    pins = await fetcher.resolve(Packages(python=("outer==2.0",)))
    fetcher.path(pins.wheels[0]).unlink()
    await fetcher.fetch(pins)
    (index / "outer-2.0-py3-none-any.whl").unlink()
    await fetcher.fetch(pins)
    assert fetcher.path(pins.wheels[0]).is_file()


async def test_a_version_with_other_content_than_pinned_is_refused(fetcher: Fetcher, index: Path) -> None:
    make_wheel(index, "outer", "2.0", "")
    pins = await fetcher.resolve(Packages(python=("outer==2.0",)))
    fetcher.path(pins.wheels[0]).write_bytes(b"tampered with")
    make_wheel(index, "outer", "2.0", "print('another')")
    with pytest.raises(
        BuildFailed, match=r"sha256 is not that of the lock; run `deckhand sandbox build --pin`"
    ):
        await fetcher.fetch(pins)


async def test_a_version_that_has_vanished_is_told(fetcher: Fetcher, index: Path) -> None:
    wheel = make_wheel(index, "outer", "2.0", "")
    pins = await fetcher.resolve(Packages(python=("outer==2.0",)))
    fetcher.path(pins.wheels[0]).unlink()
    wheel.unlink()
    with pytest.raises(BuildFailed, match=r"is gone, run `deckhand sandbox build --pin`") as told:
        await fetcher.fetch(pins)
    assert "outer==2.0" in str(told.value)


def test_the_end_of_a_log_shows_no_password_and_steers_no_terminal() -> None:
    printed = b"x\n" * 50 + b"Looking in https://me:se@cret@mirror.test/simple\n\x1b[31mred\x1b[0m\n"
    lines = last_lines(printed)
    assert len(lines) == 15
    assert lines[-2:] == ("Looking in https://mirror.test/simple", "red")
