"""`deckhand run`: serve chats until somebody stops us, and stop so that nothing is lost."""

import asyncio
import os
import signal
from collections.abc import Callable, Coroutine, Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final, Protocol, runtime_checkable

import structlog

from bot import service
from bot.adapters import Chats
from bot.app import App, open_app
from bot.chat import ChatAdapter
from bot.commands.menu import Menu, worded
from bot.dispatch import JobState
from bot.entry import ExitCode, Session
from bot.errors import ChatError
from bot.ops.health import Checkup, sandbox_answers
from bot.ops.version import version
from bot.ops.web import open_web
from bot.telemetry import note_fault
from storage.errors import StorageError

DELIVERING: Final = 10.0
"""Seconds that answers on their way have to arrive. Cut off, a file may have arrived or not."""
LEAVING: Final = 20.0
"""Seconds from a SIGTERM to the end, whatever then still hangs: all that matters is stored as it happens.

Docker and systemd kill what has not ended in time: deploy/ gives more than this.
"""


MENU_SECONDS: Final = 30.0
"""Between two looks at who is an admin."""

_log = structlog.stdlib.get_logger(__name__)


@runtime_checkable
class Offers(Protocol):
    """An adapter whose platform shows commands while a person types."""

    async def register(self, menu: Menu, admins: Sequence[str]) -> None:
        """`admins`: ids of people. Raises: ChatError: people may see an older menu."""
        ...


async def serve_chats(session: Session, chats: Chats) -> ExitCode:
    """All of `deckhand run`. Raises: as `open_app`, `open_web` and `serve` do."""
    settings = session.settings
    async with open_app(settings, chats.adapters) as app:
        checkup = Checkup(
            version=version(),
            data=settings.data,
            database=app.store.database,
            sandbox=lambda: sandbox_answers(settings),
            standings=app.dispatcher.standings,
            adapters=chats.adapters,
        )
        async with open_web(settings, checkup, chats.routes) as address:
            await service.notes(app, session, resumable=False)
            if address is not None:
                session.note(session.t("run-http", address=address))
            await greet(app, session, chats)
            return await serve(app, session, chats.adapters)


async def greet(app: App, session: Session, chats: Chats) -> None:
    """Who we are on each platform and, where nobody is an admin yet, the code that makes somebody one."""
    for platform in chats.adapters:
        name = chats.names.get(platform, platform.capitalize())
        key = "run-serving" if platform in chats.names else "run-unreachable"
        session.screen.say(session.t(key, platform=platform.capitalize(), name=name))
        if (code := await app.access.pairing_code(platform)) is not None:
            session.screen.say(session.t("run-pairing", name=name, code=code))


async def serve(app: App, session: Session, adapters: Mapping[str, ChatAdapter]) -> ExitCode:
    """Serve until SIGTERM or Ctrl-C. Interrupted runs go on meanwhile, and go on at the next start.

    A store that fails meanwhile ends it too, with FAILED: events cannot be kept, so none is taken. It worked
    at the start and is no wrong setting, so whoever watches us should start us again.

    Raises: what an adapter raises.
    """
    stop = asyncio.Event()
    code = ExitCode.DONE
    with stoppable(stop):
        try:
            await service.take_up(app, session)
            serving = [adapter.serve(app.intake.receive) for adapter in adapters.values()]
            menus = [
                keep_offering(adapter, app, platform)
                for platform, adapter in adapters.items()
                if isinstance(adapter, Offers)
            ]
            await until_stopped([*serving, *menus, app.housekeeping.work()], stop)
        except StorageError as fault:
            session.note(session.t("storage-unavailable", reason=str(fault)))
            code = ExitCode.FAILED
        finally:
            app.stopping.set()  # whatever ended it: nobody has cancelled the runs
        session.note(session.t("run-stopping"))
        await _delivered(app)
    return code


async def keep_offering(adapter: Offers, app: App, platform: str) -> None:
    """Show the menu of commands, and to those who become admins theirs, until cancelled."""
    known: tuple[str, ...] | None = None
    while True:
        try:
            admins = tuple(person.id for person in await app.access.admins(platform))
            if admins != known:
                await adapter.register(worded(), admins)
                known = admins
        except (ChatError, StorageError) as fault:
            _log.info("menu_not_shown", reason=repr(fault))
        except Exception as fault:  # no menu is worth the service
            note_fault(fault, platform=platform)
        await asyncio.sleep(MENU_SECONDS)


async def until_stopped(chats: Sequence[Coroutine[Any, Any, None]], stop: asyncio.Event) -> None:
    """Run all until `stop` is set or one of them ends; none goes on afterwards.

    Raises: what one of them raises.
    """
    serving = [asyncio.create_task(chat, name="serve") for chat in chats]
    halt = asyncio.create_task(stop.wait(), name="halt")
    try:
        await asyncio.wait([halt, *serving], return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in (halt, *serving):
            task.cancel()
        await asyncio.wait([halt, *serving])
    for task in serving:
        if not task.cancelled() and (fault := task.exception()) is not None:
            raise fault


@contextmanager
def stoppable(stop: asyncio.Event, die: Callable[[int], object] = os._exit) -> Generator[None]:
    """The first SIGTERM or Ctrl-C sets `stop`; leaving then has `LEAVING` seconds. A second one leaves now.

    The handlers stay: until the process has ended, a second signal means now.
    """
    loop = asyncio.get_running_loop()
    late: list[asyncio.TimerHandle] = []

    def leave() -> None:
        if stop.is_set():
            die(ExitCode.CANCELLED)
        stop.set()
        late.append(loop.call_later(LEAVING, die, ExitCode.FAILED))

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, leave)
    yield


async def _delivered(app: App) -> None:
    """Wait, within bounds, for the answers that are on their way."""
    ends = asyncio.get_running_loop().time() + DELIVERING
    while asyncio.get_running_loop().time() < ends and (  # noqa: ASYNC110  # nobody announces it
        app.worker.is_resending
        or any(standing.state is JobState.DELIVERING for standing in app.dispatcher.standings())
    ):
        await asyncio.sleep(0.05)
