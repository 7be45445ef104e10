import stat
from pathlib import Path

import pytest

from bot.errors import SettingsError
from bot.home import make_private


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_folder_that_was_there_before_is_closed_to_others_too(tmp_path: Path) -> None:
    data = tmp_path / "data"
    (data / "runs").mkdir(parents=True)
    for folder in (data, data / "runs"):
        folder.chmod(0o755)
    make_private(data)
    assert (mode(data), mode(data / "runs")) == (0o700, 0o700)


def test_a_new_folder_is_private_from_the_beginning_and_those_above_it_are_left_alone(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    make_private(tmp_path / "data")
    assert (mode(tmp_path), mode(tmp_path / "data"), mode(tmp_path / "data" / "runs")) == (
        0o755,
        0o700,
        0o700,
    )


def test_a_folder_that_everybody_needs_is_not_taken(tmp_path: Path) -> None:
    tmp_path.chmod(0o1777)
    with pytest.raises(SettingsError, match="data-not-ours"):
        make_private(tmp_path)
    assert mode(tmp_path) == 0o1777
    with pytest.raises(SettingsError, match="data-not-ours"):
        make_private(Path("/"))
