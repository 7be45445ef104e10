"""SECURITY.md's table names every threat once, and every test and payload that there is."""

import ast
import re
from pathlib import Path

from tests.attacks.attack import PAYLOADS
from tests.attacks.table import ATTACKS
from tests.parsing import tree_of

HERE = Path(__file__).parent
NUMBERS = range(1, 96)
OF_CHATS = 62
"""From here on tests lie beside what they are about; in other folders smaller numbers mean something else."""
_ROW = re.compile(r"^\| (\d+) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)
_NUMBERED = re.compile(r"test((?:_\d\d)+)_")


def _rows() -> dict[int, str]:
    """The last column by the number in the first."""
    text = (HERE.parents[1] / "SECURITY.md").read_text(encoding="utf-8")
    rows = [(int(row[1]), row[4]) for row in _ROW.finditer(text)]
    assert [number for number, _ in rows] == [*NUMBERS]
    return dict(rows)


def _tests() -> set[tuple[int, str]]:
    """Number and name of every numbered test; one that shows two threats has two numbers."""
    return {
        (int(number), node.name)
        for file in HERE.parent.rglob("test_*.py")
        for node in ast.walk(tree_of(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and (match := _NUMBERED.match(node.name))
        for number in match[1].strip("_").split("_")
        if file.parent == HERE or int(number) >= OF_CHATS
    }


def _payloads() -> set[tuple[int, str]]:
    return {(int(file.name[:2]), file.stem) for file in PAYLOADS.glob("[0-9]*.py")}


def test_every_threat_is_shown_or_says_why_not() -> None:
    shown = {number for number, _ in _tests() | _payloads()}
    not_shown = {number for number, cell in _rows().items() if cell.startswith("not shown: ")}
    assert not shown & not_shown
    assert shown | not_shown == set(NUMBERS)


def test_the_page_names_the_tests_that_there_are() -> None:
    named = {(number, name) for number, cell in _rows().items() for name in re.findall("`([^`]+)`", cell)}
    assert named == _tests() | _payloads()


def test_every_payload_is_run() -> None:
    """By the table, or by a test that names it."""
    run = {attack.payload for attack in ATTACKS}
    sources = "".join(file.read_text(encoding="utf-8") for file in HERE.glob("test_*.py"))
    idle = {name for _, name in _payloads() if name not in run and name not in sources}
    assert idle == set()
