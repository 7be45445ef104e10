"""Our own HTTP server, where DECKHAND_HTTP asks for one: health, metrics, and what an adapter needs."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import asdict
from typing import Final

from aiohttp import web
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from bot.errors import SettingsError
from bot.ops.health import Health
from bot.settings import Settings

_METRICS_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
_MAX_BODY: Final = 4 * 1024**2
"""Bytes; Telegram's updates have some kilobytes."""
_SHUTDOWN_SECONDS: Final = 5.0


@asynccontextmanager
async def open_web(
    settings: Settings, health: Callable[[], Awaitable[Health]], routes: Iterable[web.RouteDef] = ()
) -> AsyncGenerator[str | None]:
    """Serve inside the block, on the address of the settings and no other. Yields where, if anywhere.

    Raises: SettingsError: the address cannot be listened on.
    """
    if settings.deckhand_http is None:
        yield None
        return
    host, _, port = settings.deckhand_http.rpartition(":")
    runner = web.AppRunner(web_app(health, routes), access_log=None, shutdown_timeout=_SHUTDOWN_SECONDS)
    try:
        await runner.setup()
        try:
            site = web.TCPSite(runner, host.strip("[]"), int(port))
            await site.start()
        except (OSError, OverflowError) as fault:
            key = "http-taken"
            reason = getattr(fault, "strerror", None) or str(fault)
            raise SettingsError(key, address=settings.deckhand_http, reason=reason) from fault
        taken = runner.addresses[0]
        yield f"http://{host}:{taken[1]}"
    finally:
        await runner.cleanup()


def web_app(health: Callable[[], Awaitable[Health]], routes: Iterable[web.RouteDef] = ()) -> web.Application:
    async def show_health(request: web.Request) -> web.Response:
        del request
        found = await health()
        return web.json_response(report(found), status=503 if found.problems else 200)

    async def show_metrics(request: web.Request) -> web.Response:
        del request
        return web.Response(body=metrics(await health()), headers={"Content-Type": _METRICS_TYPE})

    app = web.Application(client_max_size=_MAX_BODY)
    app.add_routes([web.get("/health", show_health), web.get("/metrics", show_metrics), *routes])
    return app


def report(health: Health) -> dict[str, object]:
    """What `/health` says: words of ours and numbers, no secret and nothing that a person wrote."""
    return {
        "status": "failing" if health.problems else "ok",
        "problems": health.problems,
        "version": health.version,
        "silence_seconds": {name: round(seconds, 1) for name, seconds in health.silence.items()},
        "jobs": {state.value: count for state, count in health.jobs.items()},
        "inbox": None if health.tally is None else health.tally.inbox,
        "outbox": None if health.tally is None else health.tally.outbox,
        "disk_free_bytes": health.disk_free,
    }


def metrics(health: Health) -> bytes:
    """For Prometheus. Labels are parts, states and platforms, of which there are few."""
    registry = CollectorRegistry()
    registry.register(_Numbers(health))
    return generate_latest(registry)


class _Numbers(Collector):
    def __init__(self, health: Health) -> None:
        self._health = health

    def collect(self) -> Iterable[Metric]:
        health = self._health
        parts = {"database": 1.0, "sandbox": 1.0, "disk": 1.0} | dict.fromkeys(health.silence, 1.0)
        yield _gauge("up", "1: well.", "part", parts | dict.fromkeys(health.problems, 0.0))
        yield _gauge("version", "Always 1.", "version", {health.version: 1})
        yield _gauge("jobs", "Runs now.", "state", {s.value: n for s, n in health.jobs.items()})
        yield _gauge("platform_silence_seconds", "Platform silence.", "platform", health.silence)
        yield GaugeMetricFamily("deckhand_disk_free_bytes", "Free disk.", value=health.disk_free)
        if health.tally is not None:
            yield _gauge("runs", "Runs recorded.", "status", health.tally.runs)
            yield GaugeMetricFamily("deckhand_tokens", "Tokens used.", value=health.tally.tokens)
            yield GaugeMetricFamily("deckhand_inbox", "Messages waiting.", value=health.tally.inbox)
            yield GaugeMetricFamily("deckhand_outbox", "Parts unsent.", value=health.tally.outbox)
        if health.stats is not None:
            yield _gauge("sandbox", "Sandbox numbers.", "what", asdict(health.stats))


def _gauge(name: str, text: str, label: str, values: Mapping[str, float]) -> GaugeMetricFamily:
    family = GaugeMetricFamily(f"deckhand_{name}", text, labels=[label])
    for value, number in values.items():
        family.add_metric([value], number)
    return family
