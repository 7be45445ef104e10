"""The command line: `deckhand run | ask | chat | resume | backup | restore | runs | show | …`."""

import asyncio
import sys
from collections.abc import Coroutine
from pathlib import Path
from typing import Annotated, Any

import typer

from bot import service
from bot.app import open_app
from bot.chat import ChatRef, Message, MessageKind
from bot.entry import ExitCode, Session, interruptible, start
from bot.errors import SettingsError
from bot.ops.lock import alone
from bot.ops.sandboxcli import sandbox
from bot.prompt import lines
from bot.request import check_out, read_words
from bot.stores import open_store
from bot.terminal import PLATFORM, Terminal, attachment
from bot.texts import Language, language_of
from storage.records import RunId, new_id, utc_now

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
cli.add_typer(sandbox, name="sandbox")

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
        return service.ask(
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
            await service.notes(app, session)
            with interruptible(app, session):
                await service.serve(app, terminal)
        return ExitCode.DONE

    raise typer.Exit(start(body, language))


@cli.command(epilog=EXIT_CODES)
def run() -> None:
    """Go on with interrupted runs and serve every chat, until SIGTERM; without a platform, this terminal."""

    async def body(session: Session) -> ExitCode:
        from bot.adapters import open_adapters
        from bot.serve import serve_chats

        with alone(session.settings.data):
            async with open_adapters(session.settings) as chats:
                return await (serve_chats(session, chats) if chats.adapters else _serve_terminal(session))

    raise typer.Exit(start(body))


async def _serve_terminal(session: Session) -> ExitCode:
    terminal = _terminal(session, "chat")
    stopping = asyncio.Event()
    try:
        async with open_app(session.settings, {PLATFORM: terminal}) as app:
            stopping = app.stopping
            with interruptible(app, session):
                taken = await service.recover(app, session)
                if sys.stdin.isatty():
                    await service.serve(app, terminal)
                elif not taken:
                    key = "serve-nothing"
                    raise SettingsError(key)
    except asyncio.CancelledError:
        if not stopping.is_set():
            raise
    return ExitCode.DONE


@cli.command(epilog=EXIT_CODES)
def resume(out: Annotated[Path | None, typer.Option(help="Folder to copy results to.")] = None) -> None:
    """Finish what a crash or a restart interrupted, and show what had ended without being shown."""

    async def body(session: Session) -> ExitCode:
        async with open_app(session.settings, {PLATFORM: _terminal(session, "resume", out=out)}) as app:
            with interruptible(app, session):
                return await service.resume(app, session)

    raise typer.Exit(start(body))


@cli.command(name="backup")
def make_backup(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="To write: .tar, or .tar.gz for a smaller one.")
    ],
) -> None:
    """Everything that is kept, in one file; the bot may work on meanwhile."""

    async def body(session: Session) -> ExitCode:
        from bot.ops.backup import backup

        return await backup(session, file)

    raise typer.Exit(start(body))


@cli.command()
def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE")],
    force: Annotated[bool, typer.Option("--force", help="Move aside what is in the data folder.")] = False,
) -> None:
    """Put a backup into an empty data folder, after a look at every byte of it."""

    async def body(session: Session) -> ExitCode:
        from bot.ops.backup import restore

        return await restore(session, file, force=force)

    raise typer.Exit(start(body))


@cli.command(name="runs")
def list_runs(
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many, newest first.")] = 20,
) -> None:
    """List the runs."""
    from bot.ops.report import run_table

    async def body(session: Session) -> ExitCode:
        async with open_store(session.settings) as store:
            found = await store.runs.list(limit)
        if not found:
            session.screen.say(session.t("runs-none"))
            return ExitCode.DONE
        session.screen.out.print(run_table(found, service.interrupted(found), session.t, utc_now()))
        session.note(session.t("runs-hint", command="deckhand show RUN"))
        return ExitCode.DONE

    raise typer.Exit(start(body))


@cli.command()
def show(run_id: Annotated[str, typer.Argument(metavar="RUN")]) -> None:
    """What a run was asked, its files, its cost by phase, its answer."""
    from bot.ops.report import alert_table, phase_table, phases, run_facts

    async def body(session: Session) -> ExitCode:
        async with open_store(session.settings) as store:
            found = await store.runs.get(RunId(run_id))
            made = await store.artifacts.of_run(found.id)
        folder = session.settings.data / "runs" / found.id
        file = folder / "trace.jsonl"
        trace = file.read_text("utf-8", "replace").splitlines() if file.exists() else ()
        session.screen.say(run_facts(found, service.interrupted([found]), made, folder, session.t))
        session.screen.out.print(phase_table(phases(trace), session.settings.llm_prices, session.t))
        if (alerts := alert_table(trace, session.t)) is not None:
            session.screen.say(session.t("show-alerts"))
            session.screen.out.print(alerts)
        if found.answer:
            session.screen.say("")
            session.screen.show("", Message(kind=MessageKind.ANSWER, text=found.answer))
        return ExitCode.DONE

    raise typer.Exit(start(body))


@skills.command(name="list")
def list_skills() -> None:
    """Name and purpose of every skill, those of SKILLS_DIR included."""
    from bot.ops.report import skill_table
    from bot.policies import load_catalog

    async def body(session: Session) -> ExitCode:
        catalog = load_catalog(session.settings)
        session.screen.out.print(skill_table(catalog.skills, session.t))
        return ExitCode.DONE

    raise typer.Exit(start(body))


@skills.command(name="check")
def check_skills(folder: Annotated[Path, typer.Argument(metavar="DIR")]) -> None:
    """Whether a skill, or every skill in a folder of skills, is valid. Exit code 2 when one is not."""
    from bot.ops.doctor import replaced_skills
    from skills.catalog import check_folder

    async def body(session: Session) -> ExitCode:
        problems = check_folder(folder)
        for problem in problems:
            session.screen.say(problem)
        if not problems:
            session.screen.say(session.t("skills-fine", folder=str(folder)))
        if names := replaced_skills(folder):
            session.screen.say(session.t("skills-replaced", names=", ".join(names)))
        return ExitCode.USAGE if problems else ExitCode.DONE

    raise typer.Exit(start(body))


@cli.command(epilog=EXIT_CODES)
def doctor() -> None:
    """What is missing on this machine, and how to mend it."""
    from bot.ops.doctor import check_table, examine, summary

    async def body(session: Session) -> ExitCode:
        checks = [check async for check in examine(session.settings)]
        session.screen.out.print(check_table(checks, session.t))
        text, code = summary(checks, session.t)
        session.screen.say(text)
        return code

    raise typer.Exit(start(body))


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
        prompting=kind == "chat" and sys.stdin.isatty(),
    )
