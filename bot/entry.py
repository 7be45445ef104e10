"""What every command shares: settings, log, screen, and the exit code that its end becomes."""

import asyncio
import os
import signal
import sys
from collections.abc import Callable, Coroutine, Generator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from enum import IntEnum
from io import TextIOWrapper
from pathlib import Path
from typing import Any

from agent.events import FailureReason, RunFinished
from bot.app import App
from bot.chat import Message, MessageKind
from bot.errors import Refused, SettingsError
from bot.home import make_private
from bot.screen import Screen, open_console
from bot.settings import Settings, read_settings
from bot.snapshot import Outcome
from bot.telemetry import note_fault, open_log
from bot.texts import Language, Texts, texts
from sandbox.errors import BuildFailed, Degraded, ImageMissing, PolicyError, SandboxUnavailable
from skills.catalog import SkillError
from storage.errors import NoSuchRun, StorageError


class ExitCode(IntEnum):
    """What a script can rely on. `deckhand --help` lists them."""

    DONE = 0
    FAILED = 1
    USAGE = 2
    SANDBOX = 3
    MODEL = 4
    BUDGET = 5
    CANCELLED = 130


_OF_FAILURE = {
    FailureReason.SANDBOX: ExitCode.SANDBOX,
    FailureReason.MODEL: ExitCode.MODEL,
    FailureReason.BUDGET: ExitCode.BUDGET,
    FailureReason.CANCELLED: ExitCode.CANCELLED,
    FailureReason.STORAGE: ExitCode.FAILED,
    FailureReason.INTERNAL: ExitCode.FAILED,
    FailureReason.UPDATED: ExitCode.FAILED,
}

RECORDING = 5.0
"""Seconds that leaving at once waits for a cancel to be on record, which mostly takes milliseconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One start of the program."""

    settings: Settings
    screen: Screen
    t: Texts

    def note(self, text: str) -> None:
        """Beside the answers, so that a script does not read it."""
        self.screen.show("", Message(text=text))


def exit_code(outcome: Outcome | None) -> ExitCode:
    """None stands for a run that ended elsewhere, or not yet."""
    if outcome is None:
        return ExitCode.FAILED
    return ExitCode.DONE if isinstance(outcome, RunFinished) else _OF_FAILURE[outcome.reason]


def start(
    body: Callable[[Session], Coroutine[Any, Any, ExitCode]], language: Language | None = None
) -> ExitCode:
    """Carry out a command. Whatever happens, the person gets a sentence, and never a traceback.

    What `body` does before it returns its coroutine may block: Ctrl-C ends it.
    """
    if sys.stdout is None or sys.stderr is None:  # pyright: ignore[reportUnnecessaryComparison]  # as after >&-
        return ExitCode.FAILED
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
    screen = Screen(open_console(sys.stdout), open_console(sys.stderr))
    t = texts(language or Language.ENGLISH)
    log = Path("deckhand.log")
    try:
        settings = read_settings()
        t = texts(language or settings.deckhand_language)
        log = settings.data / "deckhand.log"
        with _log(settings, log):
            code = _carry_out(body, Session(settings=settings, screen=screen, t=t), log)
    except SettingsError as fault:
        text, code = explain(fault, t, log)
        screen.show("", Message(kind=MessageKind.FAILURE, text=text))
    return code


def explain(fault: Exception, t: Texts, log: Path) -> tuple[str, ExitCode]:
    """The sentence and the exit code for what ended a command."""
    match fault:
        case SettingsError() | Refused():
            return t(fault.key, **fault.facts), ExitCode.USAGE
        case NoSuchRun():
            return t("run-missing", run=fault.key), ExitCode.USAGE
        case StorageError():
            return t("storage-unavailable", reason=str(fault)), ExitCode.USAGE
        case PolicyError():
            return t("policy-invalid", reason=str(fault)), ExitCode.USAGE
        case SkillError():
            return t("skills-invalid", reason=str(fault)), ExitCode.USAGE
        case ImageMissing():
            return t("sandbox-image-missing", command=fault.command), ExitCode.SANDBOX
        case BuildFailed():
            return t("sandbox-build-failed", reason=str(fault)), ExitCode.SANDBOX
        case Degraded():
            return t("sandbox-degraded", reason="\n".join(fault.reasons)), ExitCode.SANDBOX
        case SandboxUnavailable():
            return t("sandbox-unavailable", reason=str(fault)), ExitCode.SANDBOX
        case _:
            return t("unexpected", file=str(log), id=note_fault(fault)), ExitCode.FAILED


@contextmanager
def interruptible(app: App, session: Session, die: Callable[[int], object] = os._exit) -> Generator[None]:
    """Ctrl-C cancels what runs and keeps what it made; one while that is going on, or nothing runs, leaves.

    SIGTERM leaves too, but runs are then gone on with at the next start, except those that were cancelled.
    When nobody reads our output any more, everything is cancelled.
    """
    loop = asyncio.get_running_loop()
    main = asyncio.current_task()
    dying: asyncio.Task[None] | None = None

    def leave() -> None:
        if main is not None:
            main.cancel()

    def interrupt() -> None:
        nonlocal dying
        before = app.dispatcher.standings()
        stopped = [app.dispatcher.cancel(standing.run.id) for standing in before]
        if dying is not None:
            die(ExitCode.CANCELLED)
        elif any(standing.cancelled for standing in before):
            dying = loop.create_task(leave_at_once())
        elif any(stopped):
            session.note(session.t("cancel-first"))
        else:
            leave()

    async def leave_at_once() -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(RECORDING):
                await app.dispatcher.recorded()
        session.screen.close()
        die(ExitCode.CANCELLED)

    def terminate() -> None:
        app.stopping.set()
        leave()

    loop.add_signal_handler(signal.SIGINT, interrupt)
    loop.add_signal_handler(signal.SIGTERM, terminate)
    try:
        with _heard(app, session.screen, leave):
            yield
    finally:
        loop.remove_signal_handler(signal.SIGINT)
        loop.remove_signal_handler(signal.SIGTERM)


@contextmanager
def _heard(app: App, screen: Screen, leave: Callable[[], object]) -> Generator[None]:
    """Cancel everything and leave once nobody reads our output any more."""
    loop = asyncio.get_running_loop()

    def stop() -> None:
        for standing in app.dispatcher.standings():
            app.dispatcher.cancel(standing.run.id)
        leave()

    screen.on_closed = lambda: loop.call_soon(stop)
    if screen.closed:
        screen.on_closed()
    try:
        yield
    finally:
        screen.on_closed = None


def _carry_out(
    body: Callable[[Session], Coroutine[Any, Any, ExitCode]], session: Session, log: Path
) -> ExitCode:
    try:
        code = asyncio.run(body(session))
    except (KeyboardInterrupt, asyncio.CancelledError):
        code = ExitCode.CANCELLED
    except Exception as fault:
        text, code = explain(fault, session.t, log)
        session.screen.show("", Message(kind=MessageKind.FAILURE, text=text))
    finally:
        session.screen.close()
    return ExitCode.FAILED if session.screen.closed else code


@contextmanager
def _log(settings: Settings, log: Path) -> Generator[None]:
    with ExitStack() as stack:
        try:
            make_private(settings.data)
            stack.enter_context(open_log(log, level=settings.deckhand_log_level, hide=settings.secrets))
        except OSError as fault:
            key = "log-unwritable"
            raise SettingsError(key, file=str(log), reason=fault.strerror or "") from fault
        yield
