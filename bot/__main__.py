"""The command line: `deckhand run | ask | chat | resume | runs | show | skills | doctor`."""

import sys
from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from bot.app import App, open_app, open_store
from bot.chat import ChatRef, Incoming, Message, MessageKind
from bot.dispatch import stored_outcome
from bot.entry import ExitCode, Session, exit_code, interruptible, start
from bot.errors import SettingsError
from bot.owner import is_alive, this_process
from bot.prompt import lines
from bot.render import clip
from bot.request import check_out, read_words
from bot.terminal import PLATFORM, Terminal, attachment
from bot.texts import Language, language_of
from storage.records import Run, RunId, new_id, utc_now

EXIT_CODES = """Exit codes: 0 done, 1 the run failed, 2 usage or configuration, 3 no sandbox, 4 the model,
5 a budget, 130 cancelled."""

cli = typer.Typer(
    name="deckhand",
    help=f"An analyst on your own machine: a file and a request in, checked results out.\n\n{EXIT_CODES}",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
skills = typer.Typer(help="The instructions that the agent can read.", no_args_is_help=True)
cli.add_typer(skills, name="skills")

LanguageOption = Annotated[
    Language | None, typer.Option(help="Language of the answer; otherwise that of the request.")
]


@cli.command(epilog=EXIT_CODES)
def ask(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar='[FILE]... "REQUEST"', help="Files, then the request in quotes; - reads it from stdin."
        ),
    ],
    out: Annotated[Path | None, typer.Option(help="Folder to copy the results to.")] = None,
    language: LanguageOption = None,
    yes: Annotated[
        bool,
        typer.Option("--yes", "-y", help="Replace files of the same name in --out instead of numbering."),
    ] = False,
) -> None:
    """One request, one answer; progress goes to stderr."""

    def body(session: Session) -> Coroutine[Any, Any, ExitCode]:
        asked = read_words(words, sys.stdin)
        terminal = _terminal(session, "ask", language=language, out=out, replace=yes)
        return _ask(
            session, terminal, terminal.incoming(asked.text, [attachment(file) for file in asked.files])
        )

    raise typer.Exit(start(body, language or language_of(words[-1] if " " in words[-1] else "")))


@cli.command(epilog=EXIT_CODES)
def chat(
    out: Annotated[Path | None, typer.Option(help="Folder to copy results to.")] = None,
    language: LanguageOption = None,
) -> None:
    """A conversation in the terminal, which keeps its files."""

    async def body(session: Session) -> ExitCode:
        terminal = _terminal(session, "chat", language=language, out=out)
        async with open_app(session.settings, {PLATFORM: terminal}) as app:
            await _notes(app, session)
            with interruptible(app, session):
                await _serve(app, terminal)
        return ExitCode.DONE

    raise typer.Exit(start(body, language))


@cli.command(epilog=EXIT_CODES)
def run() -> None:
    """Finish interrupted runs, then serve every chat."""

    async def body(session: Session) -> ExitCode:
        terminal = _terminal(session, "chat")
        async with open_app(session.settings, {PLATFORM: terminal}) as app:
            with interruptible(app, session):
                taken = await _recover(app, session)
                if sys.stdin.isatty():
                    await _serve(app, terminal)
                elif not taken:
                    key = "serve-nothing"
                    raise SettingsError(key)
        return ExitCode.DONE

    raise typer.Exit(start(body))


@cli.command(epilog=EXIT_CODES)
def resume(out: Annotated[Path | None, typer.Option(help="Folder to copy results to.")] = None) -> None:
    """Finish what a crash or a restart interrupted, and show what had ended without being shown."""

    async def body(session: Session) -> ExitCode:
        async with open_app(session.settings, {PLATFORM: _terminal(session, "resume", out=out)}) as app:
            with interruptible(app, session):
                return await _resume(app, session)

    raise typer.Exit(start(body))


@cli.command(name="runs")
def list_runs(
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many, newest first.")] = 20,
) -> None:
    """List the runs."""
    from bot.report import run_table

    async def body(session: Session) -> ExitCode:
        async with open_store(session.settings) as store:
            found = await store.runs.list(limit)
        if not found:
            session.screen.say(session.t("runs-none"))
            return ExitCode.DONE
        session.screen.out.print(run_table(found, _interrupted(found), session.t, utc_now()))
        session.note(session.t("runs-hint", command="deckhand show RUN"))
        return ExitCode.DONE

    raise typer.Exit(start(body))


@cli.command()
def show(run_id: Annotated[str, typer.Argument(metavar="RUN")]) -> None:
    """What a run was asked, its files, its cost by phase, its answer."""
    from bot.report import phase_table, phases, run_facts

    async def body(session: Session) -> ExitCode:
        async with open_store(session.settings) as store:
            found = await store.runs.get(RunId(run_id))
            made = await store.artifacts.of_run(found.id)
        folder = session.settings.data / "runs" / found.id
        trace = folder / "trace.jsonl"
        rows = phases(trace.read_text("utf-8", "replace").splitlines() if trace.exists() else ())
        session.screen.say(run_facts(found, _interrupted([found]), made, folder, session.t))
        session.screen.out.print(phase_table(rows, session.settings.llm_prices, session.t))
        if found.answer:
            session.screen.say("")
            session.screen.show("", Message(kind=MessageKind.ANSWER, text=found.answer))
        return ExitCode.DONE

    raise typer.Exit(start(body))


@skills.command(name="list")
def list_skills() -> None:
    """Name and purpose of every skill, those of SKILLS_DIR included."""
    from bot.report import skill_table
    from skills.catalog import SkillCatalog

    async def body(session: Session) -> ExitCode:
        folder = session.settings.skills_dir
        catalog = SkillCatalog.load(*([folder] if folder else []))
        session.screen.out.print(skill_table(catalog.skills, session.t))
        return ExitCode.DONE

    raise typer.Exit(start(body))


@skills.command(name="check")
def check_skills(folder: Annotated[Path, typer.Argument(metavar="DIR")]) -> None:
    """Whether a skill, or every skill in a folder of skills, is valid. Exit code 2 when one is not."""
    from skills.catalog import check_folder

    async def body(session: Session) -> ExitCode:
        problems = check_folder(folder)
        for problem in problems:
            session.screen.say(problem)
        if not problems:
            session.screen.say(session.t("skills-fine", folder=str(folder)))
        return ExitCode.USAGE if problems else ExitCode.DONE

    raise typer.Exit(start(body))


@cli.command(epilog=EXIT_CODES)
def doctor() -> None:
    """What is missing on this machine, and how to mend it."""
    from bot.doctor import check_table, examine, summary

    async def body(session: Session) -> ExitCode:
        checks = [check async for check in examine(session.settings)]
        session.screen.out.print(check_table(checks, session.t))
        text, code = summary(checks, session.t)
        session.screen.say(text)
        return code

    raise typer.Exit(start(body))


def main() -> None:
    try:
        cli()
    except KeyboardInterrupt:
        sys.exit(ExitCode.CANCELLED)


async def _ask(session: Session, terminal: Terminal, incoming: Incoming) -> ExitCode:
    async with open_app(session.settings, {PLATFORM: terminal}) as app:
        await _notes(app, session)
        with interruptible(app, session):
            return await _told(app, session, await app.gateway.accept(incoming))


async def _told(app: App, session: Session, run: Run) -> ExitCode:
    """Wait for the run's end, which the person has then seen, or is told why not."""
    outcome = await app.dispatcher.outcome(run.id)
    if outcome is None:
        session.note(session.t("run-elsewhere"))
    elif (await app.store.runs.get(run.id)).delivered_at is None:
        session.note(session.t("outcome-untold"))
    return exit_code(outcome)


def _terminal(
    session: Session,
    kind: str,
    *,
    language: Language | None = None,
    out: Path | None = None,
    replace: bool = False,
) -> Terminal:
    """A terminal that begins a conversation of its own."""
    return Terminal(
        session.screen,
        session.t,
        ChatRef(PLATFORM, new_id(f"{kind}-", utc_now())),
        language=language,
        typed=lines(sys.stdin.fileno()) if kind == "chat" else None,
        out=None if out is None else check_out(out),
        replace=replace,
    )


async def _serve(app: App, terminal: Terminal) -> None:
    """One request at a time: two live displays and a prompt would be too much for one terminal."""

    async def receive(incoming: Incoming) -> None:
        await app.gateway.receive(incoming)
        await app.dispatcher.idle()

    await terminal.serve(receive)


async def _resume(app: App, session: Session) -> ExitCode:
    """The code of the first run that was not shown with an answer."""
    taken = await _recover(app, session)
    if not taken:
        session.note(session.t("resume-none"))
    ended = [await app.store.runs.get(run.id) for run in taken]
    told = [stored_outcome(run) if run.delivered_at else None for run in ended]
    return next((code for code in map(exit_code, told) if code is not ExitCode.DONE), ExitCode.DONE)


async def _recover(app: App, session: Session) -> tuple[Run, ...]:
    taken = await app.dispatcher.recover()
    for run in taken:
        if run.status.is_final:
            session.note(session.t("resume-telling", request=clip(run.request, 60)))
    if going_on := sum(not run.status.is_final for run in taken):
        session.note(session.t("resume-going-on", count=going_on))
    await app.dispatcher.idle()
    return taken


async def _notes(app: App, session: Session) -> None:
    """What a person should know before anything runs."""
    if session.settings.llm_base_url is None and session.settings.llm_api_key is None:
        session.note(session.t("offline-note"))
    if waiting := await app.dispatcher.interrupted():
        session.note(session.t("interrupted-runs", count=len(waiting)))


def _interrupted(runs: Sequence[Run]) -> frozenset[str]:
    here = this_process()
    return frozenset(
        run.id for run in runs if not run.status.is_final and not (run.owner and is_alive(run.owner, here))
    )


if __name__ == "__main__":
    main()
