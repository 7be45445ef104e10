"""`deckhand sandbox`: what an operator does with the sandbox itself."""

from typing import Annotated

import typer

from bot.app import install_name
from bot.entry import ExitCode, Session, start
from bot.policies import load_catalog, lock_of, with_skills
from sandbox.names import clean_text
from sandbox.policyfile import DEFAULT, load_policy

sandbox = typer.Typer(help="The sandbox that scripts run in.", no_args_is_help=True)


@sandbox.command()
def build(
    pin: Annotated[
        bool,
        typer.Option("--pin", help="Pin anew what there is now, instead of building what the lock holds."),
    ] = False,
) -> None:
    """Build the image for the packages that the policy and the skills list, unless it is there."""

    async def body(session: Session) -> ExitCode:
        from sandbox.derive import (
            ImageBuilder,
        )  # it brings an HTTP client, which other commands need not wait for

        settings, t = session.settings, session.t
        policy = with_skills(load_policy(settings.sandbox_policy or DEFAULT), load_catalog(settings))
        if not policy.container.packages:
            session.screen.say(t("sandbox-build-needless"))
            return ExitCode.DONE
        builder = ImageBuilder(
            cache=settings.data / "packages",
            install=install_name(settings.data),
            say=lambda line: session.note(clean_text(line)),
        )
        image = await builder.build(policy, lock_of(policy, settings), pin=pin)
        session.screen.say(t("sandbox-build-done", image=image))
        return ExitCode.DONE

    raise typer.Exit(start(body))
