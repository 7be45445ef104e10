"""The data folder: what lies in it is what people wrote and sent, so it is for its owner alone."""

import stat
from pathlib import Path

from bot.errors import SettingsError


def make_private(data: Path) -> None:
    """Have the folder and the one of the runs, with nobody else let in, whoever made them before.

    Raises:
        SettingsError: it is a place like /tmp, which everybody needs.
        OSError: it cannot be made, or it is not ours.
    """
    data.mkdir(parents=True, exist_ok=True, mode=0o700)
    if data == data.parent or data.stat().st_mode & stat.S_ISVTX:
        key = "data-not-ours"
        raise SettingsError(key, folder=str(data))
    (data / "runs").mkdir(exist_ok=True, mode=0o700)
    for folder in (data, data / "runs"):
        if stat.S_IMODE(folder.stat().st_mode) != 0o700:
            folder.chmod(0o700)
