"""SEND_SAMPLE_ROWS=false: no value of a cell comes to the model by the profile or by an excerpt."""

import json
import os
import subprocess
import sys
from pathlib import Path

from agent.models import ModelSettings, build_models
from agent.profiling import profile_text
from sandbox.session import ExitStatus, RunResult
from storage.records import RunStatus
from tests.agent.line import open_line
from tests.endpoint import completion, in_turn, serve
from tests.fakes import FakeRun, FakeSandbox
from tests.skills.guest import SKILLS

CANARY = "zz-canary-77"
NUMBER = 8675309.42
ROWS = "\n".join(
    ["who,city,amount,day,note", f"{CANARY},Paris,{NUMBER},2024-03-17,C{CANARY}"]
    + [
        f"{name}{CANARY},{CANARY},{i}.25,2024-01-{i % 28 + 1:02},{CANARY}"
        for i, name in enumerate("abcdefgh" * 5)
    ]
)
FILES = [("sales.csv", ROWS.encode()), ("letter.txt", f"Dear {CANARY},\n\nthe code is {CANARY}.\n".encode())]


def really_run(folder: Path) -> FakeSandbox:
    """A sandbox in which only the profiler is really executed, over files of ours."""
    for name, content in FILES:
        (folder / name).write_bytes(content)

    def run(source: str) -> FakeRun:
        if "print_profile" not in source:
            return FakeRun()
        here = source.replace("print_profile(", f"print_profile({str(folder)!r}, ")
        done = subprocess.run(
            [sys.executable, "-c", here],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONPATH": os.pathsep.join(map(str, SKILLS.glob("*/scripts"))), "PYTHONUTF8": "1"},
        )
        return FakeRun(stdout=done.stdout)

    return FakeSandbox(otherwise=run)


async def prompts(tmp_path: Path, *, sample_rows: bool) -> str:
    """All that a model saw in a run that looks at the profile and asks for excerpts in every spelling."""
    (tmp_path / "files").mkdir()
    todo = {"id": "look", "title": "Look at the data", "skills": ["eda"], "inputs": ["sales.csv"]}
    paths = [
        "input/sales.csv",
        "sales.csv",
        "/workspace/input/sales.csv",
        "out/../input/sales.csv",
        "letter.txt",
    ]
    played = in_turn(
        completion(calls=[("create_todo_list", {"todos": [todo]}), ("start_next_todo", {})]),
        completion(calls=[("read_file_content", {"path": path}) for path in paths]),
        completion("done"),
        completion(calls=[("complete_todo", {"id": "look", "answer": "It is a table."})]),
    )
    async with serve(played) as endpoint:
        models = build_models(ModelSettings(base_url=endpoint.url))
        async with open_line(
            tmp_path, models, really_run(tmp_path / "files"), sample_rows=sample_rows
        ) as line:
            run = await line.run(await line.ask("How much did we sell?", FILES))
    assert run.status is RunStatus.FINISHED
    seen = json.dumps([body["messages"] for body in endpoint.seen], ensure_ascii=False)
    assert "41 rows x 5 columns" in seen
    assert "read_file_content" in seen
    return seen


async def test_no_value_of_a_cell_reaches_the_model_by_profile_or_excerpt(tmp_path: Path) -> None:
    seen = await prompts(tmp_path, sample_rows=False)
    assert not [word for word in (CANARY, str(NUMBER), "8675309", "Paris", "2024-03-17") if word in seen]
    assert "withheld" in seen
    assert "amount" in seen  # names of columns are what scripts need


async def test_without_the_setting_the_same_run_shows_them(tmp_path: Path) -> None:
    seen = await prompts(tmp_path, sample_rows=True)
    assert CANARY in seen
    assert "withheld" not in seen


def test_what_a_profiler_that_failed_complained_of_is_withheld_too() -> None:
    failed = RunResult(
        status=ExitStatus.ERROR, exit_code=1, stdout="", stderr=f"ValueError: could not convert {CANARY}"
    )
    assert CANARY in profile_text(failed)
    assert CANARY not in profile_text(failed, sample_rows=False)
