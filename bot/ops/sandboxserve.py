"""The sandbox service as a program: what it listens on, whom it lets in, and how it ends."""

import asyncio
import signal
from pathlib import Path

from bot.entry import ExitCode, Session
from bot.errors import SettingsError
from bot.policies import load_catalog, policies_in_force
from bot.sandboxes import proved_sandbox, rendering_in_force
from bot.settings import Settings
from sandbox.service.access import MIN_TOKEN, Access
from sandbox.service.app import service_app
from sandbox.service.listen import TcpAddress, UnixAddress, group_id, listening
from sandbox.service.sessions import ServiceLimits


def address_of(
    settings: Settings, socket: Path | None, group: str | None, host: str | None, port: int | None
) -> UnixAddress | TcpAddress:
    """Without a host a port is this machine's alone.

    Raises: SettingsError: both kinds are asked for, one only by half, or there is no such group.
    """
    if (socket is not None and port is not None) or (group is not None and socket is None):
        key = "serve-two-addresses"  # and nobody else gets into the data folder, where the usual socket is
        raise SettingsError(key)
    if port is not None:
        return TcpAddress(host=host or "127.0.0.1", port=port)
    if host is not None:
        key = "serve-no-port"
        raise SettingsError(key)
    try:
        gid = None if group is None else group_id(group)
    except LookupError:
        key = "serve-no-group"
        raise SettingsError(key, name=group or "") from None
    return UnixAddress(path=(socket or settings.data / "sandbox.sock").absolute(), group=gid)


def token_of(settings: Settings, file: Path | None, *, needed: bool) -> str | None:
    """Raises: SettingsError: it cannot be read, is short enough to be guessed, or is missing on TCP."""
    token = settings.sandbox_token.get_secret_value() if settings.sandbox_token else None
    if file is not None:
        try:
            token = file.read_text("utf-8").strip()
        except (OSError, UnicodeDecodeError) as fault:
            key = "serve-token-unreadable"
            raise SettingsError(key, file=str(file), reason=type(fault).__name__) from fault
    if token is None and not needed:
        return None
    if token is None or len(token) < MIN_TOKEN or not token.isascii() or not token.isprintable():
        key = "serve-token-missing"
        raise SettingsError(key, length=str(MIN_TOKEN))
    return token


async def serve(
    session: Session, address: UnixAddress | TcpAddress, *, token: str | None, idle: float
) -> ExitCode:
    """Serve until SIGTERM or Ctrl-C, then end every session and every container.

    Raises: SandboxError: there is no engine or no image, a policy is not valid, or the address is taken.
    """
    settings = session.settings
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    policies = policies_in_force(settings, load_catalog(settings))
    group = address.group if isinstance(address, UnixAddress) else None
    async with proved_sandbox(settings, policies) as sandbox:
        app = service_app(
            sandbox,
            {**policies, **await rendering_in_force(settings)},
            root=settings.data,
            access=Access(token=token, group=group),
            limits=ServiceLimits(idle=idle, input_bytes=settings.input_bytes),
        )
        async with listening(app, address) as taken:
            session.screen.say(session.t("serve-listening", address=str(taken)))
            await stop.wait()
    return ExitCode.DONE
