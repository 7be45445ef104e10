"""Numbers for Prometheus. Labels are policies, statuses and codes, of which there are few; never a name."""

from collections.abc import Iterable, Sized

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from sandbox.session import RunResult, Sandbox

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_BUCKETS = (0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300)


class Metrics:
    """One service's numbers, in a registry of their own."""

    def __init__(self, sandbox: Sandbox, sessions: Sized) -> None:
        registry = CollectorRegistry()
        registry.register(_Now(sandbox, sessions))
        self._registry = registry
        self._sessions = Counter(
            "deckhand_sandbox_sessions", "Sessions created.", ["policy"], registry=registry
        )
        self._runs = Counter(
            "deckhand_sandbox_runs", "Scripts that ran.", ["policy", "status"], registry=registry
        )
        self._seconds = Histogram(
            "deckhand_sandbox_run_seconds",
            "Wall seconds of a script.",
            ["policy"],
            buckets=_BUCKETS,
            registry=registry,
        )
        self._cpu = Counter(
            "deckhand_sandbox_cpu_seconds", "Processor seconds of scripts.", ["policy"], registry=registry
        )
        self._alerts = Counter(
            "deckhand_sandbox_alerts", "Alerts, by code and threat.", ["code", "threat"], registry=registry
        )
        self._requests = Counter(
            "deckhand_sandbox_requests", "Requests answered.", ["route", "status"], registry=registry
        )

    def created(self, policy: str) -> None:
        self._sessions.labels(policy).inc()

    def ran(self, policy: str, result: RunResult) -> None:
        self._runs.labels(policy, result.status.value).inc()
        self._seconds.labels(policy).observe(result.seconds)
        self._cpu.labels(policy).inc(result.cpu_seconds)
        for alert in result.alerts:
            self._alerts.labels(alert.code.value, str(alert.threat)).inc()

    def answered(self, route: str, status: int) -> None:
        """`route` is a template, as in `/v1/sessions/{id}`."""
        self._requests.labels(route, str(status)).inc()

    def text(self) -> bytes:
        return generate_latest(self._registry)


class _Now(Collector):
    """What is asked for when somebody looks."""

    def __init__(self, sandbox: Sandbox, sessions: Sized) -> None:
        self._sandbox = sandbox
        self._open = sessions

    def collect(self) -> Iterable[Metric]:
        stats = self._sandbox.stats()
        containers = GaugeMetricFamily("deckhand_sandbox_containers", "Containers now.", labels=["state"])
        for state in ("ready", "starting", "leased"):
            containers.add_metric([state], getattr(stats, state))
        yield containers
        yield GaugeMetricFamily("deckhand_sandbox_limit", "Containers at once.", value=stats.limit)
        yield GaugeMetricFamily("deckhand_sandbox_waiting", "Leases in line.", value=stats.waiting)
        yield GaugeMetricFamily("deckhand_sandbox_leases", "Leases begun.", value=stats.leases)
        yield GaugeMetricFamily(
            "deckhand_sandbox_warm_leases", "Leases that found a ready container.", value=stats.warm_leases
        )
        yield GaugeMetricFamily(
            "deckhand_sandbox_failed_starts", "Containers that failed to start.", value=stats.failed_starts
        )
        yield GaugeMetricFamily("deckhand_sandbox_open_sessions", "Sessions open now.", value=len(self._open))
