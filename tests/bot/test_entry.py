import asyncio
import io
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from agent.events import FailureReason, RunFailed, RunFinished
from bot.entry import ExitCode, Session, exit_code, explain, interruptible
from bot.errors import Refused
from bot.screen import Screen, open_console
from bot.texts import Language, texts
from sandbox.errors import Degraded, ImageMissing, PolicyError, SandboxUnavailable
from storage.errors import NoSuchRun, StorageUnavailable
from storage.records import RunStatus
from storage.runs import Runs
from tests.bot.conftest import Rig

EN = texts(Language.ENGLISH)


def session(rig: Rig) -> Session:
    console = open_console(io.StringIO())
    return Session(settings=rig.settings, screen=Screen(console, console), t=EN)


@pytest.mark.parametrize(
    ("reason", "code"),
    [
        (FailureReason.SANDBOX, 3),
        (FailureReason.MODEL, 4),
        (FailureReason.BUDGET, 5),
        (FailureReason.CANCELLED, 130),
        (FailureReason.STORAGE, 1),
        (FailureReason.INTERNAL, 1),
    ],
)
def test_each_reason_has_its_exit_code(reason: FailureReason, code: int) -> None:
    assert exit_code(RunFailed(run_id="r", reason=reason)) == code


@pytest.mark.parametrize("reason", FailureReason)
def test_every_reason_has_an_exit_code(reason: FailureReason) -> None:
    assert exit_code(RunFailed(run_id="r", reason=reason)) is not ExitCode.DONE


def test_an_answer_is_success_and_no_outcome_is_not() -> None:
    assert (exit_code(RunFinished(run_id="r", answer="")), exit_code(None)) == (0, 1)


@pytest.mark.parametrize(
    ("fault", "code", "words"),
    [
        (Refused("request-missing"), ExitCode.USAGE, "Tell me what you would like"),
        (NoSuchRun("r9"), ExitCode.USAGE, "“r9”"),
        (StorageUnavailable("locked"), ExitCode.USAGE, "locked"),
        (PolicyError("cpus: too many"), ExitCode.USAGE, "cpus: too many"),
        (ImageMissing("x:1"), ExitCode.SANDBOX, "`make image`"),
        (Degraded("default", ("swap: expected none, found some. Turn it off.",)), ExitCode.SANDBOX, "swap:"),
        (SandboxUnavailable("no socket"), ExitCode.SANDBOX, "no socket"),
    ],
)
def test_each_expected_fault_has_a_sentence_and_a_code(fault: Exception, code: ExitCode, words: str) -> None:
    text, found = explain(fault, EN, Path("log"))
    assert found is code
    assert words in text


def test_an_unexpected_fault_gives_an_id_and_no_traceback() -> None:
    text, code = explain(RuntimeError("secret detail"), EN, Path("data/deckhand.log"))
    assert code is ExitCode.FAILED
    assert "data/deckhand.log" in text
    assert "secret detail" not in text


async def test_ctrl_c_cancels_what_runs_and_the_program_goes_on_to_its_end(rig: Rig) -> None:
    rig.agent.gate = asyncio.Event()
    with interruptible(rig.app, session(rig)):
        run = await rig.app.gateway.accept(rig.say("Explore"))
        await rig.chat.spoke.wait()
        os.kill(os.getpid(), signal.SIGINT)
        outcome = await rig.app.dispatcher.outcome(run.id)
    assert exit_code(outcome) is ExitCode.CANCELLED
    assert (await rig.store.runs.get(run.id)).status is RunStatus.CANCELLED


async def test_a_second_ctrl_c_leaves_at_once_with_the_cancel_on_record(rig: Rig) -> None:
    class Slow(Runs):
        go = asyncio.Event()

        async def finish(self, *args: Any, **facts: Any) -> bool:
            await self.go.wait()
            return await super().finish(*args, **facts)

    rig.agent.gate, rig.agent.clearing = asyncio.Event(), asyncio.Event()
    rig.app.dispatcher.runs = Slow(rig.store.database)
    died = asyncio.Queue[int]()
    with interruptible(rig.app, session(rig), died.put_nowait):
        run = await rig.app.gateway.accept(rig.say("Explore"))
        await rig.chat.spoke.wait()
        for _ in range(2):
            os.kill(os.getpid(), signal.SIGINT)
            await asyncio.sleep(0.02)
        early = not died.empty()
        Slow.go.set()
        code = await died.get()
        status = (await rig.store.runs.get(run.id)).status
        rig.agent.clearing.set()
        await rig.app.dispatcher.outcome(run.id)
    assert not early
    assert (code, status) == (ExitCode.CANCELLED, RunStatus.CANCELLED)


async def test_ctrl_c_for_a_later_run_is_not_a_second_one(rig: Rig) -> None:
    rig.agent.gate = asyncio.Event()
    died: list[int] = []
    with interruptible(rig.app, session(rig), died.append):
        for _ in range(2):
            rig.chat.spoke.clear()
            run = await rig.app.gateway.accept(rig.say("Explore"))
            await rig.chat.spoke.wait()
            os.kill(os.getpid(), signal.SIGINT)
            assert exit_code(await rig.app.dispatcher.outcome(run.id)) is ExitCode.CANCELLED
    assert died == []


async def test_sigterm_while_a_cancel_is_cleared_up_does_not_bring_the_run_back(rig: Rig) -> None:
    rig.agent.gate, rig.agent.clearing = asyncio.Event(), asyncio.Event()

    async def wait() -> None:
        with interruptible(rig.app, session(rig)):
            run = await rig.app.gateway.accept(rig.say("Explore"))
            await rig.chat.spoke.wait()
            os.kill(os.getpid(), signal.SIGINT)
            await asyncio.sleep(0.02)  # a signal takes a few turns of the loop to become a cancel
            await rig.app.dispatcher.recorded()
            os.kill(os.getpid(), signal.SIGTERM)
            await rig.app.dispatcher.outcome(run.id)

    with pytest.raises(asyncio.CancelledError):
        await asyncio.create_task(wait())
    assert rig.app.stopping.is_set()
    closing = asyncio.create_task(rig.app.dispatcher.close())
    await asyncio.sleep(0.02)
    rig.agent.clearing.set()
    await closing
    (run,) = await rig.store.runs.list()
    assert run.status is RunStatus.CANCELLED
    assert rig.chat.last[0].text.startswith("■ Cancelled")


async def test_ctrl_c_while_nothing_runs_leaves(rig: Rig) -> None:
    async def wait() -> None:
        with interruptible(rig.app, session(rig)):
            os.kill(os.getpid(), signal.SIGINT)
            await asyncio.sleep(30)

    with pytest.raises(asyncio.CancelledError):
        await asyncio.create_task(wait())


async def test_sigterm_leaves_the_run_for_the_next_start(rig: Rig) -> None:
    rig.agent.gate = asyncio.Event()

    async def wait() -> None:
        with interruptible(rig.app, session(rig)):
            run = await rig.app.gateway.accept(rig.say("Explore"))
            await rig.chat.spoke.wait()
            os.kill(os.getpid(), signal.SIGTERM)
            await rig.app.dispatcher.outcome(run.id)

    with pytest.raises(asyncio.CancelledError):
        await asyncio.create_task(wait())
    await rig.app.dispatcher.close()
    (run,) = await rig.store.runs.list()
    assert run.status is RunStatus.RUNNING
    assert rig.chat.last[0].text.startswith("‖ Interrupted")
