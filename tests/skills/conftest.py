"""Each test of a guest library is a script of its own: it knows no file and no number of another."""

import sys
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def _another_script() -> Iterator[None]:  # pyright: ignore[reportUnusedFunction]
    yield
    if (run := sys.modules.get("facts_run")) is not None:
        run.forget()
