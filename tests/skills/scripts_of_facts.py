"""Scripts that state facts, run as in the sandbox: each is `__main__`, in out/, with its own ledger."""

import json
import os
import runpy
import sys
from pathlib import Path
from typing import Any

from tests.skills.guest import SKILLS, guest_module

TITANIC = SKILLS.parent / "examples/titanic/titanic.csv"
HEAD = f"""\
import pandas as pd
import facts, tables
df = tables.read_one({str(TITANIC)!r}).frame
"""

Record = dict[str, Any]


def run_script(folder: Path, source: str, name: str = "script.py") -> list[Record]:
    """Its records. The script lies in folder/code and runs in folder/out; what it raises comes through."""
    guest_module("facts", "facts")
    code, out = folder / "code", folder / "out"
    code.mkdir(exist_ok=True)
    out.mkdir(exist_ok=True)
    script = code / name
    script.write_text(source, encoding="utf-8")
    before = Path.cwd()
    os.chdir(out)
    try:
        runpy.run_path(str(script), run_name="__main__")
    finally:
        os.chdir(before)
        sys.modules["facts_run"].forget()
    return ledger(folder, script.stem)


def ledger(folder: Path, stem: str) -> list[Record]:
    path = folder / "out/.deckhand/facts" / f"{stem}.jsonl"
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []
