import json
from pathlib import Path

from agent.events import RunStarted
from agent.models import ModelSettings, build_models
from agent.profiling import MAX_TEXT, profile_text
from sandbox.session import ExitStatus, Finding, RunResult
from storage.artifacts import put_bytes
from storage.conversations import Conversations
from storage.records import ArtifactKind, InputRef, RunStatus
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


async def test_a_template_lies_there_for_scripts_and_is_no_file_to_look_at(tmp_path: Path) -> None:
    todo = {"id": "deck", "title": "Make a deck", "skills": ["eda"]}
    played = in_turn(
        completion(calls=[("create_todo_list", {"todos": [todo]}), ("start_next_todo", {})]),
        completion(calls=[("list_input_files", {})]),
        completion("done"),
        completion(calls=[("complete_todo", {"id": "deck"})]),
        completion("Done."),
    )
    fake = FakeSandbox()
    async with serve(played) as endpoint:
        models = build_models(ModelSettings(base_url=endpoint.url))
        async with open_line(tmp_path, models, fake) as line:
            conversation = await Conversations(line.database).get_or_create("test", "here")
            inputs: list[InputRef] = []
            for name, brand in (("data.csv", False), ("brand.pptx", True)):
                kept = await put_bytes(line.artifacts, b"a\n1\n", name=name, kind=ArtifactKind.INPUT)
                made = InputRef(name=name, original=name, artifact_id=kept.id, size=4, brand=brand)
                inputs.append(made)
            run = await line.runs.create(conversation.id, "A deck", language="en", inputs=inputs)
            assert (await line.run(run.id)).status is RunStatus.FINISHED
            alone = await line.runs.create(conversation.id, "A deck", language="en", inputs=inputs[1:])
            leases = len(fake.sessions)
            endpoint.respond = in_turn(completion("Nothing to do."))
            await line.run(alone.id)
            assert len(fake.sessions) == leases, "a template alone is nothing to profile"
    profiled, worked = ([item.name for item in one.workspace.inputs] for one in fake.sessions[:2])
    assert (profiled, worked) == (["data.csv"], ["data.csv", "brand.pptx"])
    assert "data.csv" in str(endpoint.seen[2]["messages"])
    assert "brand.pptx" not in str(endpoint.seen)
    assert [event.files for event in line.seen if isinstance(event, RunStarted)] == [("data.csv",), ()]
