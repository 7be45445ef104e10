from pathlib import Path

import pytest

from sandbox.session import Sandbox
from storage.records import RunStatus
from tests.replay.exchange import Body, Exchange
from tests.replay.player import Player
from tests.replay.replay import Recording, recordings, replay

LIMITS = {"titanic": (100_000, 14), "retail": (200_000, 30)}
"""Tokens, model calls. The published run of this design took 376,464 and 29 for the Titanic."""


@pytest.mark.docker
@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("recording", recordings(), ids=lambda recording: recording.name)
async def test_a_recorded_run_goes_the_same_way_again(
    recording: Recording, tmp_path: Path, docker_sandbox: Sandbox
) -> None:
    replayed = await replay(recording, tmp_path, docker_sandbox)
    assert replayed.player.differences == []
    assert replayed.player.unplayed == []
    assert replayed.run.status is RunStatus.FINISHED
    assert sorted(replayed.deliverables) == sorted(recording.deliverables)
    if limits := LIMITS.get(recording.name):
        counts = replayed.player.counts()
        assert (counts["total"] <= limits[0], counts["calls"] <= limits[1]) == (True, True), counts


def test_there_is_a_run_of_the_sample_and_of_another_task_and_a_script_that_was_mended() -> None:
    found = recordings()
    assert {"titanic"} < {recording.name for recording in found}
    assert any("exit_code: 1" in text for r in found for exchange in r.exchanges for text in exchange.heard)


HEARD = "status: ok\nsummary: a.py ran\n\nexit_code: 0\nseconds: 1.2\nSTDOUT:\n342"
ANSWER = {"content": "done"}


def request_with(heard: str) -> Body:
    call = {"function": {"name": "f", "arguments": "{}"}}
    return {
        "tools": [{"function": {"name": "create_todo_list"}}],
        "messages": [
            {"role": "user", "content": "x"},
            {"role": "assistant", "content": "", "tool_calls": [call]},
            {"role": "tool", "content": heard},
        ],
    }


@pytest.mark.parametrize(
    ("before", "after"),
    [("342", "343"), ("exit_code: 0", "exit_code: 1"), ("a.py ran", "a.py ran, 2 files")],
)
async def test_a_replay_fails_when_a_figure_an_exit_code_or_a_file_differs(before: str, after: str) -> None:
    player = Player([Exchange.of(request_with(HEARD), ANSWER)])
    assert (await player.respond(request_with(HEARD.replace(before, after)))).status == 400
    assert after in player.differences[0]


async def test_a_replay_does_not_mind_another_clock() -> None:
    player = Player([Exchange.of(request_with(HEARD), ANSWER)])
    assert (await player.respond(request_with(HEARD.replace("1.2", "7.9")))).status == 200
    assert player.unplayed == []
