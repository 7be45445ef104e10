import subprocess
import sys
from pathlib import Path

import pytest

from bot.errors import SettingsError
from bot.ops.lock import LOCK, alone, is_served


def test_a_folder_is_served_by_one_bot_and_free_after_it(tmp_path: Path) -> None:
    assert not is_served(tmp_path)
    with alone(tmp_path):
        assert is_served(tmp_path)
        with pytest.raises(SettingsError) as refused, alone(tmp_path):
            pass
        assert refused.value.key == "bot-runs-already"
    assert not is_served(tmp_path)
    with alone(tmp_path):
        pass


def test_a_bot_that_was_killed_holds_nothing(tmp_path: Path) -> None:
    held = f"""
import os, signal, sys
from pathlib import Path
sys.path.insert(0, {str(Path.cwd())!r})
from bot.ops.lock import alone
with alone(Path({str(tmp_path)!r})):
    os.kill(os.getpid(), signal.SIGKILL)
"""
    assert subprocess.run([sys.executable, "-c", held], check=False).returncode == -9
    assert (tmp_path / LOCK).exists()
    assert not is_served(tmp_path)
