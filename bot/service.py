"""What the commands that answer requests do with an open app."""

from collections.abc import Sequence

from bot.app import App, open_app
from bot.chat import Incoming
from bot.dispatch import stored_outcome
from bot.entry import ExitCode, Session, exit_code, interruptible
from bot.owner import is_alive, this_process
from bot.render import clip
from bot.terminal import PLATFORM, Terminal
from bot.workshop import model_host, model_settings
from storage.records import Run


async def ask(session: Session, terminal: Terminal, incoming: Incoming) -> ExitCode:
    async with open_app(session.settings, {PLATFORM: terminal}) as app:
        await notes(app, session)
        with interruptible(app, session):
            return await told(app, session, await app.gateway.accept(incoming))


async def told(app: App, session: Session, run: Run) -> ExitCode:
    """Wait for the run's end, which the person has then seen, or is told why not."""
    outcome = await app.dispatcher.outcome(run.id)
    if outcome is None:
        session.note(session.t("run-elsewhere"))
    elif (await app.store.runs.get(run.id)).delivered_at is None:
        session.note(session.t("outcome-untold"))
    return exit_code(outcome)


async def serve(app: App, terminal: Terminal) -> None:
    """Commands are answered while a run works, and a further request waits for its turn."""
    await terminal.serve(app.gateway.receive)
    await app.dispatcher.idle()


async def resume(app: App, session: Session) -> ExitCode:
    """The code of the first run that was not shown with an answer."""
    taken = await recover(app, session)
    if not taken:
        session.note(session.t("resume-none"))
    ended = [await app.store.runs.get(run.id) for run in taken]
    seen = [stored_outcome(run) if run.delivered_at else None for run in ended]
    return next((code for code in map(exit_code, seen) if code is not ExitCode.DONE), ExitCode.DONE)


async def recover(app: App, session: Session) -> tuple[Run, ...]:
    """Take up what was interrupted, and wait for its end."""
    taken = await take_up(app, session)
    await app.dispatcher.idle()
    return taken


async def take_up(app: App, session: Session) -> tuple[Run, ...]:
    """Have what was interrupted go on, which takes its time."""
    taken = await app.dispatcher.recover()
    await app.worker.recover()
    await app.intake.recover()
    for run in taken:
        if run.status.is_final:
            session.note(session.t("resume-telling", request=clip(run.request, 60)))
    if going_on := sum(not run.status.is_final for run in taken):
        session.note(session.t("resume-going-on", count=going_on))
    return taken


async def notes(app: App, session: Session, *, resumable: bool = True) -> None:
    """What a person should know before anything runs. `resumable`: interrupted runs wait for a command."""
    if session.settings.llm_base_url is None and session.settings.llm_api_key is None:
        session.note(session.t("offline-note"))
    else:
        session.note(
            session.t(
                "model-note",
                model=model_settings(session.settings).model,
                host=model_host(session.settings),
            )
        )
    if resumable and (waiting := await app.dispatcher.interrupted()):
        session.note(session.t("interrupted-runs", count=len(waiting)))


def interrupted(runs: Sequence[Run]) -> frozenset[str]:
    here = this_process()
    return frozenset(
        run.id for run in runs if not run.status.is_final and not (run.owner and is_alive(run.owner, here))
    )
