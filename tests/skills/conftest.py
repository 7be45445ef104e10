"""Each test of a guest library is a script of its own: it knows no file and no number of another."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.skills.guest import guest_module


@pytest.fixture(autouse=True)
def _another_script() -> Iterator[None]:  # pyright: ignore[reportUnusedFunction]  # pytest calls it
    yield
    if (run := sys.modules.get("facts_run")) is not None:
        run.forget()


@pytest.fixture
def out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder of a script that runs: its facts lie there for the checks, as in the sandbox.

    A test runner is no script, so that facts of a test stay in memory otherwise.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys.modules["__main__"], "__file__", str(tmp_path / "script.py"), raising=False)
    guest_module("facts", "facts_run").forget()
    return tmp_path
