import json
from pathlib import Path

from agent.models import ModelSettings, build_models
from agent.profiling import MAX_TEXT, profile_text
from sandbox.session import ExitStatus, Finding, RunResult
from storage.records import RunStatus
from tests.agent.line import open_line
from tests.endpoint import completion, in_turn, serve
from tests.fakes import FakeSandbox


def ran(stdout: str = "", stderr: str = "", status: ExitStatus = ExitStatus.OK) -> RunResult:
    return RunResult(status=status, exit_code=0, stdout=stdout, stderr=stderr)


def test_the_text_of_the_profile_goes_into_the_prompts_but_not_without_end() -> None:
    assert profile_text(ran("noise\n" + json.dumps({"text": "3 rows"}))) == "3 rows"
    assert len(profile_text(ran(json.dumps({"text": "x" * 50_000})))) < MAX_TEXT + 100


def test_a_profile_that_failed_says_so_instead() -> None:
    for result in (ran(stderr="MemoryError", status=ExitStatus.OUT_OF_MEMORY), ran("no json"), ran()):
        assert "could not be profiled" in profile_text(result)
    assert "out_of_memory" in profile_text(ran(status=ExitStatus.OUT_OF_MEMORY))


async def test_a_run_goes_on_without_a_profile_where_the_library_is_another(tmp_path: Path) -> None:
    fake = FakeSandbox()
    fake.find("profile_inputs.py", Finding(line=1, message="there is no module 'table_profile'"))
    async with serve(in_turn(completion("Nothing to do."))) as endpoint:
        models = build_models(ModelSettings(base_url=endpoint.url))
        async with open_line(tmp_path, models, fake) as line:
            run = await line.run(await line.ask("Hi", [("a.csv", b"a\n1\n")]))
    assert run.status is RunStatus.FINISHED
    assert "were not profiled" in str(endpoint.seen[0]["messages"])
