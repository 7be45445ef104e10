"""`deckhand run` with platforms: who it says it is, and how it stops."""

import asyncio
import io
import os
import signal
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest

from bot.adapters import Chats, open_adapters
from bot.chat import OnEvent
from bot.commands.menu import Menu
from bot.entry import ExitCode, Session
from bot.errors import SettingsError
from bot.screen import Screen, open_console
from bot.serve import greet, serve, stoppable, until_stopped
from bot.settings import Settings
from bot.snapshot import Outcome
from bot.texts import Language, texts
from storage.errors import StorageUnavailable
from storage.members import Role
from storage.people import People
from storage.records import Run, RunStatus
from tests.bot.conftest import Rig
from tests.bot.fakes import ANN, FakeChat
from tests.conftest import until


@dataclass
class Serving(FakeChat):
    """Serves until it is cancelled, as a platform does."""

    stopped: bool = False
    ready: asyncio.Event = field(default_factory=asyncio.Event)

    async def serve(self, on_event: OnEvent) -> None:
        self.ready.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.stopped = True


def session(rig: Rig) -> tuple[Session, io.StringIO]:
    shown = io.StringIO()
    console = open_console(shown)
    return Session(settings=rig.settings, screen=Screen(console, console), t=texts(Language.ENGLISH)), shown


@asynccontextmanager
async def handlers() -> AsyncGenerator[None]:
    """Puts the loop's own handlers back: the process of the tests outlives `serve`."""
    yield
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().remove_signal_handler(number)


async def test_the_first_start_prints_the_code_that_makes_somebody_admin_and_later_ones_do_not(
    rig: Rig,
) -> None:
    here, shown = session(rig)
    chats = Chats(adapters={"fake": rig.chat}, names={"fake": "@deck_bot"})
    await greet(rig.app, here, chats)
    said = shown.getvalue()
    assert "Serving Fake: @deck_bot" in said
    code = said.partition("/start ")[2].split()[0]
    people = People(rig.store.database)
    assert await people.redeem("fake", code, ANN.id, name=ANN.name)

    shown.truncate(0)
    await greet(rig.app, here, chats)
    assert "/start" not in shown.getvalue()
    assert [person.role for person in await people.list("fake")] == [Role.ADMIN]


async def test_sigterm_takes_no_more_messages_and_leaves_the_run_for_the_next_start(rig: Rig) -> None:
    rig.agent.gate = asyncio.Event()
    chat = Serving()
    here, _ = session(rig)
    async with handlers():
        serving = asyncio.create_task(serve(rig.app, here, {"fake": chat}))
        await chat.ready.wait()
        run = await rig.app.gateway.accept(rig.say("count"))
        await rig.chat.spoke.wait()
        os.kill(os.getpid(), signal.SIGTERM)
        assert await serving is ExitCode.DONE
    assert chat.stopped
    assert rig.app.stopping.is_set()
    await rig.app.dispatcher.close()
    assert (await rig.store.runs.get(run.id)).status is RunStatus.RUNNING


async def test_an_answer_on_its_way_arrives_before_we_leave(rig: Rig) -> None:
    delivering, go_on = asyncio.Event(), asyncio.Event()
    chat = Serving()
    here, _ = session(rig)
    usual = rig.app.dispatcher.worker.deliver

    class Slow:
        work = rig.app.dispatcher.worker.work
        serves = rig.app.dispatcher.worker.serves

        async def deliver(self, run: Run, outcome: Outcome) -> None:
            delivering.set()
            await go_on.wait()
            await usual(run, outcome)

    rig.app.dispatcher.worker = Slow()
    async with handlers():
        serving = asyncio.create_task(serve(rig.app, here, {"fake": chat}))
        run = await rig.app.gateway.accept(rig.say("count"))
        await delivering.wait()
        os.kill(os.getpid(), signal.SIGTERM)
        await until(lambda: chat.stopped)
        assert not serving.done()
        go_on.set()
        await serving
    assert (await rig.store.runs.get(run.id)).delivered_at is not None


async def test_a_second_signal_leaves_at_once() -> None:
    stop = asyncio.Event()
    died: list[int] = []
    async with handlers():
        with stoppable(stop, died.append):
            os.kill(os.getpid(), signal.SIGTERM)
            await stop.wait()
            assert died == []
            os.kill(os.getpid(), signal.SIGTERM)
            await asyncio.sleep(0.01)
            assert died == [ExitCode.CANCELLED]


async def test_an_adapter_that_cannot_store_an_event_ends_the_service_and_the_other_adapters() -> None:
    chat = Serving()

    async def broken() -> None:
        await chat.ready.wait()
        raise StorageUnavailable("gone")  # noqa: EM101  # the words do not matter

    async def other() -> None:
        await chat.serve(lambda event: asyncio.sleep(0))

    with pytest.raises(StorageUnavailable):
        await until_stopped([broken(), other()], asyncio.Event())
    assert chat.stopped


@pytest.mark.parametrize("fault", [StorageUnavailable("disk full"), SettingsError("settings-telegram-token")])
async def test_whatever_ends_the_service_its_runs_go_on_at_the_next_start(rig: Rig, fault: Exception) -> None:
    rig.agent.gate = asyncio.Event()

    class Broken(Serving):
        async def serve(self, on_event: OnEvent) -> None:
            await rig.chat.spoke.wait()
            raise fault

    here, shown = session(rig)
    run = await rig.app.gateway.accept(rig.say("count"))
    async with handlers():
        if isinstance(fault, StorageUnavailable):
            assert await serve(rig.app, here, {"fake": Broken()}) is ExitCode.FAILED
            assert "disk full" in shown.getvalue()
        else:
            with pytest.raises(SettingsError):
                await serve(rig.app, here, {"fake": Broken()})
    assert rig.app.stopping.is_set()
    await rig.app.dispatcher.close()
    assert (await rig.store.runs.get(run.id)).status is RunStatus.RUNNING


async def test_a_menu_that_cannot_be_shown_does_not_end_the_service(rig: Rig) -> None:
    offered = asyncio.Event()

    class Clumsy(Serving):
        async def register(self, menu: Menu, admins: Sequence[str]) -> None:
            offered.set()
            raise ValueError

    here, _ = session(rig)
    async with handlers():
        serving = asyncio.create_task(serve(rig.app, here, {"fake": Clumsy()}))
        await offered.wait()
        os.kill(os.getpid(), signal.SIGTERM)
        assert await serving is ExitCode.DONE


async def test_settings_without_a_platform_open_none() -> None:
    async with open_adapters(Settings()) as chats:
        assert chats == Chats()
