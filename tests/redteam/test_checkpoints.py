"""Threat 89: whoever can write the checkpoints' file still cannot have us run anything."""

import json
import pickle
import stat
from pathlib import Path

import ormsgpack
import pytest

from agent.state import STATE_TYPES
from storage.checkpoints import StrictSerializer
from storage.errors import UnknownType
from tests.agent.line import open_line
from tests.agent.test_runner import models_at, sandbox
from tests.endpoint import completion, in_turn, serve

CODES = range(8)
"""LangGraph's kinds of extension: construct with one argument, with several, with names, call a method, …"""


class Bomb:
    def __init__(self, target: Path) -> None:
        self._target = target

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return Path.touch, (self._target,)


def test_89_only_our_own_types_are_read_and_none_of_them_acts() -> None:
    assert {kind.__module__.split(".")[0] for kind in STATE_TYPES} == {"langchain_core", "agent"}
    assert {kind.__name__ for kind in STATE_TYPES} == {
        "AIMessage",
        "HumanMessage",
        "SystemMessage",
        "ToolMessage",
        "Plan",
        "Todo",
        "TodoStatus",
    }


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize(
    ("module", "name"), [("os", "system"), ("subprocess", "Popen"), ("builtins", "eval"), ("pathlib", "Path")]
)
def test_89_a_checkpoint_that_names_a_callable_calls_nothing(
    code: int, module: str, name: str, tmp_path: Path
) -> None:
    target = tmp_path / "made"
    for argument in (f"touch {target}", [f"touch {target}"], {"path": str(target)}):
        inner = ormsgpack.packb((module, name, argument, "touch"))
        data = ormsgpack.packb({"plan": ormsgpack.Ext(code, inner)})
        try:
            value = StrictSerializer(STATE_TYPES).loads_typed(("msgpack", data))
        except (UnknownType, ValueError, TypeError):
            continue
        assert not callable(value["plan"])
    assert not target.exists()


@pytest.mark.parametrize("kind", ["pickle", "json"])
def test_89_the_formats_of_old_run_nothing_either(kind: str, tmp_path: Path) -> None:
    target = tmp_path / "made"
    constructor = {"lc": 2, "type": "constructor", "id": ["pathlib", "Path", "touch"], "args": [str(target)]}
    data = pickle.dumps(Bomb(target)) if kind == "pickle" else json.dumps(constructor).encode()
    try:
        value = StrictSerializer(STATE_TYPES).loads_typed((kind, data))
    except (NotImplementedError, ValueError, UnknownType):
        value = None
    assert value in (None, constructor)
    assert not target.exists()


async def test_89_only_the_owner_reads_what_a_run_leaves_in_the_checkpoints(tmp_path: Path) -> None:
    async with (
        serve(in_turn(completion("Fine."))) as endpoint,
        open_line(tmp_path, models_at(endpoint), sandbox()) as line,
    ):
        await line.run(await line.ask("Hello"))
        modes = _modes(tmp_path)
    assert set(modes.values()) == {0o600}
    assert "checkpoints.db" in modes


def _modes(folder: Path) -> dict[str, int]:
    return {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.glob("checkpoints.db*")}
