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
def serve(
    socket: Annotated[
        Path | None, typer.Option(metavar="PATH", help="Unix socket to listen on; data/sandbox.sock else.")
    ] = None,
    socket_group: Annotated[
        str | None, typer.Option("--group", help="Group whose members may use the socket, too.")
    ] = None,
    host: Annotated[str, typer.Option(help="Address to listen on, with --port.")] = "127.0.0.1",
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="TCP instead of a socket; needs a token.")
    ] = None,
    token_file: Annotated[
        Path | None, typer.Option(help="File with the token that clients show; SANDBOX_TOKEN otherwise.")
    ] = None,
    idle: Annotated[
        float, typer.Option(min=1, max=86400, help="Seconds without a request that end a session.")
    ] = 600.0,
) -> None:
    """Run scripts for other processes, which then need no Docker. DECKHAND_DATA should be its own."""

    async def body(session: Session) -> ExitCode:
        from bot.sandboxserve import address_of, serve, token_of

        address = address_of(session.settings, socket, socket_group, host, port)
        token = token_of(session.settings, token_file, needed=port is not None)
        return await serve(session, address, token=token, idle=idle)

    raise typer.Exit(start(body))
