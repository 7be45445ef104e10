"""Many sessions at once: scripts per second, how long each waited and ran, and the host's memory."""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from tests.bench.sandbox.approach import TROUBLE, Approach, Failed
from tests.bench.sandbox.figures import Target, markdown, percentile
from tests.bench.sandbox.workloads import FIVE

Tell = Callable[[str], None]
_POLL_SECONDS = 0.2


@dataclass
class Load:
    """What so many sessions at once did."""

    approach: str
    sessions: int
    seconds: float = 0.0
    """From the first lease asked for to the last script's end."""
    waits: list[float] = field(default_factory=list[float])
    runs: list[float] = field(default_factory=list[float])
    failures: list[str] = field(default_factory=list[str])
    memory: int = 0
    """Bytes by which the host's available memory fell at most, since before the first container."""

    @property
    def rate(self) -> float:
        """Scripts per second."""
        return len(self.runs) / self.seconds if self.seconds else 0.0


async def measure(name: str, sessions: Sequence[Approach], *, available: int) -> Load:
    """`available`: bytes of memory before any container of these sessions was there."""
    load = Load(name, len(sessions))
    for session in sessions:
        await session.prepare()
    watch = asyncio.create_task(_watch_memory(load, available))
    started = time.perf_counter()
    await asyncio.gather(*(_session(session, load) for session in sessions))
    load.seconds = time.perf_counter() - started
    watch.cancel()
    with suppress(asyncio.CancelledError):
        await watch
    closed = await asyncio.gather(*(session.close() for session in sessions), return_exceptions=True)
    load.failures += [str(error) for error in closed if error is not None]
    return load


def available_memory() -> int:
    """Bytes."""
    for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) << 10
    message = "this kernel does not tell how much memory is available"
    raise Failed(message)


async def _session(session: Approach, load: Load) -> None:
    try:
        load.waits.append(await session.lease())
        for kind in FIVE:
            load.runs.append(await session.run(kind))
    except TROUBLE as error:
        load.failures.append(str(error))


async def _watch_memory(load: Load, available: int) -> None:
    while True:
        load.memory = max(load.memory, available - available_memory())
        await asyncio.sleep(_POLL_SECONDS)


def load_table(loads: Sequence[Load]) -> str:
    header = [
        "approach",
        "sessions at once",
        "failures",
        "scripts/s",
        "wait p50 ms",
        "wait p99 ms",
        "run p50 ms",
        "run p99 ms",
        "memory MiB",
    ]
    rows = [
        [load.approach, str(load.sessions), str(len(load.failures)), f"{load.rate:.2f}"]
        + [
            f"{percentile(values, percent) * 1e3:,.0f}" if values else "–"
            for values in (load.waits, load.runs)
            for percent in (50, 99)
        ]
        + [f"{load.memory >> 20:,}"]
        for load in loads
    ]
    return markdown(header, rows)


def load_targets(loads: Mapping[tuple[str, int], Load], container_memory: int) -> list[Target]:
    """`container_memory`: bytes that the policy gives to one container."""

    def ratio(over: tuple[str, int], under: tuple[str, int]) -> float | None:
        if over not in loads or under not in loads or not loads[under].rate:
            return None
        return loads[over].rate / loads[under].rate

    ours = [load for load in loads.values() if load.approach == "ours-warm"]
    targets = [
        Target(
            "failures of our sessions at once",
            float(sum(len(load.failures) for load in ours)),
            0,
            at_most=True,
            unit="",
        ),
        Target("scripts per second, 100 sessions over 8", ratio(("ours-warm", 100), ("ours-warm", 8)), 0.9),
        Target(
            "scripts per second, ours over llm-sandbox, 8", ratio(("ours-warm", 8), ("llm-sandbox", 8)), 4
        ),
        Target("scripts per second, ours at 100 over exec at 8", ratio(("ours-warm", 100), ("exec", 8)), 2.3),
    ]
    targets += [
        Target(
            f"host memory of {load.sessions} sessions over their limits",
            load.memory / (load.sessions * container_memory),
            1,
            at_most=True,
        )
        for load in ours
    ]
    return targets
