"""`deckhand sandbox`: what an operator does with the sandbox itself."""

from pathlib import Path
from typing import Annotated

import typer

from bot.entry import ExitCode, Session, start

sandbox = typer.Typer(help="The place where scripts run.", no_args_is_help=True)


@sandbox.callback()
def group() -> None:
    """The place where scripts run."""


@sandbox.command()
def selftest(
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Markdown report, with JSON beside it; data/selftest-<date>.md otherwise."
        ),
    ] = None,
) -> None:
    """Prove every promise of the policy inside a container, as a table and a report file.

    Exit code 0 when nothing is degraded that the policy does not list.
    """

    async def body(session: Session) -> ExitCode:
        from bot.selftest import run

        return await run(session, out)

    raise typer.Exit(start(body))
