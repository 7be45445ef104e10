"""Which sandbox the bot works with: this machine's engine, a sandbox service, or E2B's machines."""

import os
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager

from bot.errors import SettingsError
from bot.policies import policies_in_force, rendering_policy
from bot.settings import Settings
from bot.telemetry import bind
from sandbox.errors import ImageMissing
from sandbox.images import image_tag
from sandbox.lease import install_name
from sandbox.policy import DEFAULT_NAME, RENDER_NAME, Policy
from sandbox.session import Sandbox
from skills.catalog import SkillCatalog

_E2B = "e2b:"

Offer = tuple[Sandbox, tuple[str, ...]]
"""A sandbox, and the suffixes of scripts that it runs beside Python's."""


@asynccontextmanager
async def open_sandbox(settings: Settings, catalog: SkillCatalog) -> AsyncGenerator[Offer]:
    """What SANDBOX_URL names, or else the engine of this machine.

    Raises:
        SandboxError: there is no service, no engine or no image, a policy is not valid, or this host breaks
            a promise of one.
        SettingsError: there is no key for E2B's machines.
    """
    url = settings.sandbox_url
    if url is not None and not is_e2b(settings):
        async with _service(settings, catalog, url) as offer:
            yield offer
        return
    policies = policies_in_force(settings, catalog)
    suffixes = policies[DEFAULT_NAME].container.suffixes[1:]
    own = proved_sandbox(settings, policies) if url is None else _machines(settings, policies, url)
    async with own as sandbox:
        yield sandbox, suffixes


def is_e2b(settings: Settings) -> bool:
    return settings.sandbox_url is not None and settings.sandbox_url.startswith(_E2B)


@asynccontextmanager
async def _service(settings: Settings, catalog: SkillCatalog, url: str) -> AsyncGenerator[Offer]:
    from sandbox.client import (
        SandboxClient,
    )  # it brings an HTTP client, which `deckhand runs` need not wait for

    token = settings.sandbox_token.get_secret_value() if settings.sandbox_token else None
    async with SandboxClient(url, token=token) as client:
        offers = await client.policies()  # a person should hear now that nobody answers
        weaker = {offer.name: offer.exceptions for offer in offers}
        settings.deckhand_policy_rules.check(weaker, catalog.names)
        _name(weaker)
        yield client, next((offer.suffixes[1:] for offer in offers if offer.name == DEFAULT_NAME), ())


@asynccontextmanager
async def _machines(settings: Settings, policies: Mapping[str, Policy], url: str) -> AsyncGenerator[Sandbox]:
    from sandbox.e2b.machine import Account  # for the same reason
    from sandbox.e2b.provider import E2BSandbox

    key = settings.e2b_api_key.get_secret_value() if settings.e2b_api_key else None
    if not (key or os.environ.get("E2B_API_KEY")):
        missing = "sandbox-e2b-keyless"
        raise SettingsError(missing, url=url)
    account = Account(template=url.removeprefix(_E2B) or None, api_key=key)
    async with E2BSandbox(policies, account=account) as sandbox:
        yield sandbox


@asynccontextmanager
async def proved_sandbox(settings: Settings, policies: Mapping[str, Policy]) -> AsyncGenerator[Sandbox]:
    """The engine of this machine, where it keeps what the policies promise.

    It renders too, where there is an image for that. Of that policy nothing is proved at a start, since its
    containers have the flags of the default one's: `deckhand doctor` proves it.

    Raises: SandboxError: there is no engine or no image, or a promise is broken.
    """
    from sandbox.probe.prove import assure

    _name({name: policy.exceptions for name, policy in policies.items()})
    rendering = await rendering_in_force(settings)
    async with local_sandbox(settings, {**policies, **rendering}) as sandbox:
        await assure(sandbox, policies, root=settings.data)
        yield sandbox


async def rendering_in_force(settings: Settings) -> Mapping[str, Policy]:
    """The policy for pictures of results by its name, or nothing where its image has not been built.

    Raises: SandboxError: no engine answers, or the policy is not valid.
    """
    policy = rendering_policy(settings)
    try:
        await check_image(policy)
    except ImageMissing:
        return {}
    return {RENDER_NAME: policy}


def _name(weaker: Mapping[str, Sequence[str]]) -> None:
    """What policies give up stands in every line of the log from here on, also of tasks that begin now."""
    if exceptions := [f"{policy}: {key}" for policy, keys in weaker.items() for key in keys]:
        bind(policy_exceptions=exceptions)


@asynccontextmanager
async def local_sandbox(settings: Settings, policies: Mapping[str, Policy]) -> AsyncGenerator[Sandbox]:
    """The engine of this machine. Raises: SandboxError: there is none, or no image."""
    from sandbox.docker import DockerSandbox

    for policy in policies.values():
        await check_image(policy)
    async with DockerSandbox(policies, root=settings.data, install=install_name(settings.data)) as sandbox:
        yield sandbox


async def check_image(policy: Policy) -> str:
    """The image that runs will use. A person should hear that it is missing before anything is begun.

    Raises:
        ImageMissing: it has not been built.
        SandboxUnavailable: no engine answers.
    """
    from sandbox.engine import Engine  # for the same reason as above: it brings an HTTP client

    image = policy.container.image or image_tag()
    async with Engine() as engine:
        await engine.image_id(image)
    return image
