import asyncio
import io
import json
import re
import subprocess
import unicodedata
import zipfile
from pathlib import Path
from typing import Any

import pytest

from agent.budget import Limits
from agent.bundle import bundle, contents, flags
from agent.bundled.compare_facts import main as compare
from agent.events import ResultsVerified
from agent.scripts import Input, Scripts, TodoScripts
from agent.verification import Rerun
from sandbox.hardening import container_config
from sandbox.images import image_tag
from sandbox.policy import Policy
from sandbox.policyfile import load_policies
from sandbox.session import Sandbox
from skills.catalog import SkillCatalog
from storage.records import RunStatus
from tests.agent.line import open_line
from tests.agent.test_runner import models_at
from tests.endpoint import completion, in_turn, serve
from tests.sandbox.test_hardening import PLACEMENT

SAMPLE = Path(__file__).parents[2] / "examples/titanic/titanic.csv"
SCRIPT = """import facts

df = facts.load("titanic.csv")
share = facts.fact("survived share", "Survived.mean()", of=df, unit="%")
facts.table("by class", "groupby('Pclass').Survived.mean()", of=df, unit="%")
facts.assume("Passengers without an age are counted.")
with open("note.md", "w") as file:
    file.write(f"{share} survived.\\n")
print(share)
"""
WRITTEN = Scripts(
    todos=(
        TodoScripts(id="обзор", policy="default", sources={"01.py": "print(1)"}, runs=("01.py",)),
        TodoScripts(id="deck", policy="gone", sources={"01.py": "print(2)", "m.py": ""}, runs=("01.py",)),
    ),
    inputs=(Input(name="data.csv", original="my\tdata.csv", size=3, sha256="ab" * 32),),
)


def unpacked(content: bytes, folder: Path) -> Path:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for entry in archive.infolist():
            path = Path(archive.extract(entry, folder))
            path.chmod(entry.external_attr >> 16 & 0o777)
    (root,) = folder.iterdir()
    return root


def test_a_bundle_holds_scripts_policies_libraries_and_the_image_but_no_input() -> None:
    found = contents(WRITTEN, b"[]", load_policies(), SkillCatalog.load())
    assert {"README.md", "run.sh", "facts.json", "inputs.json", "scripts/01/01.py", "scripts/02/m.py"} <= {
        *found
    }
    assert {"deploy/sandbox/Dockerfile", "deploy/sandbox/base.sh", "deploy/wheels.sh"} <= {*found}
    assert {"deploy/sandbox/requirements.lock", "sandbox/guest/supervisor.py"} <= {*found}
    assert "skills/facts/scripts/facts.py" in found
    assert not any("__pycache__" in name for name in found)
    run = found["run.sh"].decode()
    assert "todo default 01 '01.py'\ntodo default 02 '01.py'\n" in run
    assert found["inputs.tsv"].decode() == f"{'ab' * 32}\tdata.csv\tmy data.csv\n"
    assert found["policy/default.image"].decode().strip() == image_tag()


def test_the_image_that_a_bundle_builds_has_the_name_of_ours(tmp_path: Path) -> None:
    for name, content in contents(WRITTEN, b"[]", load_policies(), SkillCatalog.load()).items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
    assert image_tag(tmp_path) == image_tag()


def test_the_flags_of_a_bundle_are_those_of_the_policy() -> None:
    policy = Policy()
    host: dict[str, Any] = container_config(policy, PLACEMENT)["HostConfig"]
    pairs = [flag.removeprefix("--").partition("=") for flag in flags(policy) if "env" not in flag]
    said = {name: value for name, _, value in pairs}
    assert int(said["memory"]) == int(said["memory-swap"]) == host["Memory"]
    assert float(said["cpus"]) * 1e9 == host["NanoCpus"]
    assert int(said["pids-limit"]) == host["PidsLimit"]
    assert said["network"] == host["NetworkMode"] == "none"
    assert "read-only" in said
    assert said["cap-drop"] == "ALL"


def test_a_bundle_compares_facts_as_we_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = {"kind": "fact", "id": "n", "script": "01.py", "value": 0.3, "text": "0.3", "values": []}
    folder = tmp_path / ".deckhand" / "facts"
    folder.mkdir(parents=True)
    kept = tmp_path / "facts.json"
    kept.write_text(json.dumps([{"kind": "fact", "id": "n", "script": "01.py", "value": 0.3, "text": "0.3"}]))
    (folder / "a.jsonl").write_text(json.dumps(line | {"value": 0.1 + 0.2}))
    assert compare(str(kept), str(tmp_path)) == 0
    (folder / "a.jsonl").write_text(
        json.dumps(line | {"text": "0.4"}) + "\n" + json.dumps(line | {"id": "m"})
    )
    assert compare(str(kept), str(tmp_path)) == 1
    assert "n: 0.3 → 0.4\nm: — → 0.3\ndifferent\n" in capsys.readouterr().out


def test_95_what_a_script_wrote_in_the_place_of_facts_stops_no_comparison_and_steers_no_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / ".deckhand" / "facts"
    folder.mkdir(parents=True)
    (tmp_path / "facts.json").write_text("[]")
    forged = {"kind": "fact", "id": "a\x1b]0;x\x07\nb", "text": "\x1b[2Jc\u202e", "values": 3}
    junk = ["", "{", "3", "[1]", '"x"', "[" * 100_000, json.dumps(forged)]
    (folder / "a.jsonl").write_text("\n".join([*junk, json.dumps(forged | {"values": [1]})]))
    assert compare(str(tmp_path / "facts.json"), str(tmp_path)) == 1
    told = capsys.readouterr().out
    assert told.count("\n") == 2
    assert all(mark.isprintable() for mark in told.replace("\n", ""))


@pytest.mark.parametrize("name", ["a\x1b[2J\tb\n../c", "'; rm -rf ~ #.csv", "$(id)\r.csv", "\u202evsc.exe"])
def test_95_no_name_of_a_file_is_more_than_a_field_of_a_line(name: str, tmp_path: Path) -> None:
    told = Input(name="data.csv", original=name, size=3, sha256="ab" * 32)
    found = contents(
        WRITTEN.model_copy(update={"inputs": (told,)}), b"[]", load_policies(), SkillCatalog.load()
    )
    (line,) = found["inputs.tsv"].decode().splitlines()
    assert line.split("\t")[:2] == ["ab" * 32, "data.csv"]
    assert line.count("\t") == 2
    assert not any(unicodedata.category(mark) in ("Cc", "Cf") for mark in line.replace("\t", ""))
    (tmp_path / "run.sh").write_bytes(found["run.sh"])
    assert name not in found["run.sh"].decode()
    assert subprocess.run(["/bin/bash", "-n", str(tmp_path / "run.sh")], check=False).returncode == 0
    for path in found:
        assert not {"..", "", "."} & {*path.split("/")}
        assert re.fullmatch(r"[\w./-]+", path)


@pytest.mark.docker
@pytest.mark.asyncio(loop_scope="session")
async def test_a_real_run_is_traced_and_its_bundle_repeats_it(
    tmp_path: Path, docker_sandbox: Sandbox
) -> None:
    todo = {"id": "share", "title": "Share", "skills": ["facts"], "outputs": ["note.md"]}
    answer = "38.4% survived."
    played = (
        completion(calls=[("create_todo_list", {"todos": [todo]}), ("start_next_todo", {})]),
        completion(calls=[("write_and_run_python", {"name": "01.py", "content": SCRIPT})]),
        completion("done\n38.4% survived; note.md"),
        completion(calls=[("complete_todo", {"id": "share", "answer": answer})]),
    )
    catalog = SkillCatalog.load()
    async with (
        serve(in_turn(*played)) as endpoint,
        open_line(
            tmp_path, models_at(endpoint), docker_sandbox, catalog=catalog, limits=Limits(rerun_seconds=600)
        ) as line,
    ):
        run = await line.run(await line.ask("Share?", [("titanic.csv", SAMPLE.read_bytes())]))
        content = await bundle(line.artifacts, run.id, policies=load_policies(), catalog=catalog)
    assert run.status is RunStatus.FINISHED
    assert run.answer == f"{answer}\n\n> Passengers without an age are counted."
    (verified,) = (event.verification for event in line.seen if isinstance(event, ResultsVerified))
    assert verified.rerun is Rerun.IDENTICAL
    assert (verified.numerals, verified.untraced) == (verified.traced, ())
    assert verified.numerals >= 2, "of the note and of the answer"
    assert content is not None
    root = unpacked(content, tmp_path / "elsewhere")
    renamed = tmp_path / "mine" / "as I call it.csv"
    renamed.parent.mkdir()
    renamed.write_bytes(SAMPLE.read_bytes())
    ran = await asyncio.to_thread(_bash, root / "run.sh", renamed.parent)
    assert (ran.returncode, "identical: 3 facts" in ran.stdout) == (0, True), ran.stdout + ran.stderr
    assert (root / "work" / "out" / "note.md").read_text() == "38.4% survived.\n"
    renamed.write_bytes(SAMPLE.read_bytes() + b"\n")
    ran = await asyncio.to_thread(_bash, root / "run.sh", renamed.parent)
    assert (ran.returncode, "sha256" in ran.stderr) == (2, True)


def _bash(script: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["/bin/bash", str(script), str(folder)], capture_output=True, text=True, timeout=120, check=False
    )
