"""`deckhand sandbox`: what an operator does with the sandbox itself."""

from pathlib import Path
from typing import Annotated

import typer

from bot.entry import ExitCode, Session, start
from bot.policies import load_catalog, lock_of, operators_policies, rendering_as_written, with_skills
from sandbox.lease import install_name
from sandbox.names import clean_text

sandbox = typer.Typer(help="The sandbox that scripts run in.", no_args_is_help=True)


@sandbox.command()
def build(
    pin: Annotated[
        bool,
        typer.Option("--pin", help="Pin anew what there is now, instead of building what the lock holds."),
    ] = False,
    rendering: Annotated[
        bool, typer.Option("--rendering", help="The image in which results become pictures instead.")
    ] = False,
) -> None:
    """Build the images for the packages that policies and skills list, unless they are there."""

    async def body(session: Session) -> ExitCode:
        from sandbox.derive import ImageBuilder  # an HTTP client comes with it

        settings, t = session.settings, session.t
        builder = ImageBuilder(
            cache=settings.data / "packages",
            install=install_name(settings.data),
            say=lambda line: session.note(clean_text(line)),
        )
        if rendering:
            image = await builder.build(rendering_as_written(settings), None)
            session.screen.say(t("sandbox-build-done", image=image))
            return ExitCode.DONE
        catalog = load_catalog(settings)
        policies = operators_policies(settings)
        extended = {name: with_skills(policy, catalog) for name, policy in policies.items()}
        wanting = {name: policy for name, policy in extended.items() if policy.container.packages}
        for name, policy in wanting.items():
            image = await builder.build(policy, lock_of(name, policy, settings), pin=pin)
            session.screen.say(t("sandbox-build-done", image=image))
        if not wanting:
            session.screen.say(t("sandbox-build-needless"))
        return ExitCode.DONE

    raise typer.Exit(start(body))


@sandbox.command()
def selftest(
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Markdown report, with JSON beside it; data/selftest-<date>.md otherwise."
        ),
    ] = None,
) -> None:
    """Prove every promise of each policy inside a container, as a table and a report file.

    Exit code 0 when nothing is degraded that a policy does not list.
    """

    async def body(session: Session) -> ExitCode:
        from bot.ops.selftest import run

        return await run(session, out)

    raise typer.Exit(start(body))


@sandbox.command()
def serve(
    socket: Annotated[
        Path | None, typer.Option(metavar="PATH", help="Unix socket to listen on; data/sandbox.sock else.")
    ] = None,
    socket_group: Annotated[
        str | None, typer.Option("--group", help="Group whose members may use the socket, too.")
    ] = None,
    host: Annotated[
        str | None, typer.Option(help="Address to listen on, with --port; 127.0.0.1 otherwise.")
    ] = None,
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
        from bot.ops.sandboxserve import address_of, serve, token_of

        address = address_of(session.settings, socket, socket_group, host, port)
        token = token_of(session.settings, token_file, needed=port is not None)
        return await serve(session, address, token=token, idle=idle)

    raise typer.Exit(start(body))
