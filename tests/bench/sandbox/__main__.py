"""`make bench-sandbox`: sessions one by one, then many at once. `latency` or `load` as argument for one half.

BENCH_N is the number of sessions of each approach, 15 unless it is set.
"""

import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path

import aiodocker

from sandbox.images import image_tag
from tests.bench.sandbox import latency, load
from tests.bench.sandbox.approach import Approach, Failed
from tests.bench.sandbox.figures import medians
from tests.bench.sandbox.flags import MEMORY
from tests.bench.sandbox.kit import Kit, make_fonts, make_kit, sweep
from tests.bench.sandbox.machine import describe
from tests.bench.sandbox.ours import Ours, bench_policy, open_sandbox, until_ready
from tests.bench.sandbox.peers import WITHOUT, Peer
from tests.bench.sandbox.plain import BareFork, DockerRun, Exec, Place
from tests.bench.sandbox.report import Report
from tests.bench.sandbox.workloads import TABLE, table

ROOT = Path(__file__).parents[3]
TARGET = Path("build/bench")
CHECKED = "ours-warm, checked"
SESSIONS = (8, 32, 100)
PEER_SESSIONS = 8


async def bench(parts: Sequence[str], rounds: int) -> Report:
    started = time.monotonic()

    def tell(words: str) -> None:
        sys.stdout.write(f"{time.monotonic() - started:6.0f} s  {words}\n")
        sys.stdout.flush()

    target, image = ROOT / TARGET, image_tag()
    tell("making what the peers need (a minute or two the first time)")
    kit = await make_kit(image, target, python=sys.executable)
    report = Report(rounds, CHECKED, facts=await describe(image, kit), container_memory=MEMORY)
    with tempfile.TemporaryDirectory(prefix="deckhand-") as folder:
        root = Path(folder)
        await asyncio.to_thread(_lay_out, root)
        place = Place(image, root, await make_fonts(image, root))
        async with AsyncExitStack() as stack:
            stack.push_async_callback(sweep)
            engine = await stack.enter_async_context(aiodocker.Docker())
            if "latency" in parts:
                async with AsyncExitStack() as own:
                    approaches = await _approaches(own, engine, place, kit, target)
                    samples, report.failures = await latency.measure(approaches, rounds, tell)
                report.rows = {name: medians(found) for name, found in samples.items()}
                report.without = {approach.name: approach.without for approach in approaches}
            if "load" in parts:
                report.loads = await _loads(engine, place, kit, target, tell)
    return report


def _lay_out(root: Path) -> None:
    root.chmod(0o755)  # guests of several users have folders below it
    (root / TABLE).write_text(table(), encoding="utf-8")


async def _approaches(
    stack: AsyncExitStack, engine: aiodocker.Docker, place: Place, kit: Kit, target: Path
) -> list[Approach]:
    # One container: the pool is refilled between sessions, not beside the scripts of one.
    pooled = bench_policy(size=1, limit=1)
    warm = await stack.enter_async_context(open_sandbox(pooled, place.root, "warm"))
    cold = await stack.enter_async_context(open_sandbox(bench_policy(size=0, limit=1), place.root, "cold"))
    floor = BareFork(engine, place)
    peers = [Peer(name, place, kit, target / "peers.log") for name in WITHOUT]
    for ending in (floor, *peers):
        stack.push_async_callback(ending.end)
    return [
        Ours("ours-warm", warm, place.root, warm=1),
        Ours("ours-cold", cold, place.root),
        Ours(CHECKED, warm, place.root, warm=1, checked=True),
        floor,
        DockerRun(place),
        Exec(engine, place),
        *peers,
    ]


async def _loads(
    engine: aiodocker.Docker, place: Place, kit: Kit, target: Path, tell: load.Tell
) -> list[load.Load]:
    loads: list[load.Load] = []
    for count in SESSIONS:
        available = load.available_memory()
        async with open_sandbox(bench_policy(size=count, limit=count), place.root, f"{count}") as sandbox:
            await until_ready(sandbox, count)
            tell(f"the pool has {count} containers")
            sessions = [Ours("ours-warm", sandbox, place.root) for _ in range(count)]
            loads.append(await load.measure("ours-warm", sessions, available=available))
    available = load.available_memory()
    plain = [Exec(engine, place) for _ in range(PEER_SESSIONS)]
    tell(f"exec, {PEER_SESSIONS} at once")
    loads.append(await load.measure("exec", plain, available=available))
    available = load.available_memory()
    peers = [Peer("llm-sandbox", place, kit, target / "peers.log") for _ in range(PEER_SESSIONS)]
    tell(f"llm-sandbox, {PEER_SESSIONS} at once")
    loads.append(await load.measure("llm-sandbox", peers, available=available))
    await asyncio.gather(*(peer.end() for peer in peers))
    return loads


def main() -> None:
    parts = sys.argv[1:] or ["latency", "load"]
    rounds = int(os.environ.get("BENCH_N", "15"))
    if unknown := {*parts} - {"latency", "load"}:
        sys.exit(f"there is no {', '.join(sorted(unknown))}: say latency, load, or nothing for both")
    (ROOT / TARGET).mkdir(parents=True, exist_ok=True)
    try:
        report = asyncio.run(bench(parts, rounds))
    except Failed as error:
        sys.exit(str(error))
    sys.stdout.write(f"\n{report.text()}")
    if report.rows:
        report.write(ROOT / TARGET)
        sys.stdout.write(f"\nwritten to {TARGET}: sandbox.json, sandbox.md, sandbox.png\n")
    if "ours-warm" in report.failures or "ours-cold" in report.failures:
        sys.exit("our own sandbox failed")


if __name__ == "__main__":
    main()
