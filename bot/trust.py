"""How we reach endpoints of others for a look: with the operator's certificates and proxy."""

import ssl
from pathlib import Path

import httpx

from bot.settings import Settings

PATIENCE = 10.0
"""Seconds for an endpoint to answer."""


def trust(ca_file: Path | None) -> ssl.SSLContext:
    """The usual certificates and, besides, those of `ca_file`: what a run trusts too.

    Raises:
        OSError: `ca_file` cannot be read, or holds no certificate.
    """
    context = ssl.create_default_context()
    if ca_file is not None:
        context.load_verify_locations(ca_file)
    return context


def outward(
    settings: Settings, transport: httpx.AsyncBaseTransport | None = None, *, environment: bool = True
) -> httpx.AsyncClient:
    """Follows no redirect. `transport` replaces the network in tests. Raises: OSError: as `trust`.

    `environment`: whether proxies that stand there count, as they do for models and not for chats.
    """
    return httpx.AsyncClient(
        transport=transport,
        verify=trust(settings.deckhand_ca_file),
        proxy=settings.deckhand_proxy,
        trust_env=environment,
        timeout=PATIENCE,
    )
