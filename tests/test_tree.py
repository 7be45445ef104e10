"""Rules of the tree that no linter knows."""

import csv
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MAX_LINES = 300


def tracked(*patterns: str) -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", *patterns],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return [ROOT / line for line in listed.stdout.splitlines() if (ROOT / line).is_file()]


def test_a_module_is_one_noun_of_at_most_300_lines() -> None:
    free = re.compile(r"^(tests/|storage/migrations/|sandbox/guest/)")
    long = {
        name: lines
        for path in tracked("*.py")
        if not free.match(name := path.relative_to(ROOT).as_posix())
        and (lines := len(path.read_text(encoding="utf-8").splitlines())) > MAX_LINES
    }
    assert long == {}


def test_every_module_says_what_it_is() -> None:
    silent = [
        path.relative_to(ROOT).as_posix()
        for path in tracked("bot/**.py", "agent/**.py", "sandbox/**.py", "skills/*.py", "storage/*.py")
        if not path.read_text(encoding="utf-8").lstrip().startswith(('"""', "#!", "# "))
    ]
    assert silent == []


@pytest.mark.parametrize(
    "lock",
    [
        "requirements.lock",
        "requirements-dev.lock",
        "deploy/sandbox/requirements.lock",
        "tests/bench/sandbox/peers.lock",
        "tests/bench/sandbox/kernel.lock",
    ],
)
def test_lock_files_hold_hashes_and_no_addresses(lock: str) -> None:
    text = (ROOT / lock).read_text(encoding="utf-8")
    assert "://" not in text
    packages = re.findall(r"^[a-z0-9][^\n]*==", text, re.MULTILINE)
    assert packages
    assert len(packages) == len(re.findall(r"==[^\n]*\\\n\s+--hash=sha256:", text))


def test_nothing_is_tied_to_the_bundled_sample() -> None:
    with (ROOT / "examples/titanic/titanic.csv").open(encoding="utf-8") as file:
        columns = next(csv.reader(file))
    telling = [name for name in columns if name not in ("Name", "Age")]  # those two are plain words
    names = re.compile(r"(?<![\w])(" + "|".join(map(re.escape, telling)) + r")(?![\w])")
    found = {
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path in tracked("agent/*", "skills/*/scripts/*")
        if path.suffix in (".py", ".json", ".ftl", ".md")
        for match in names.finditer(path.read_text(encoding="utf-8"))
    }
    assert found == set()
