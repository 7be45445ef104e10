"""`make bench-profile`: a profile beside what pandas needs to read and describe that file; and a large one.

BENCH_N is the number of measurements of each, 15 unless it is set; BENCH_MB the size of the large file, 500.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import pandas as pd

from tests.bench.profile.shop import ROWS, swell, write
from tests.skills.guest import SKILLS, guest_module

TARGET = Path(__file__).parents[3] / "build" / "bench"
RATIO, SECONDS, MIB = 1.5, 60.0, 1024.0
"""The ratio is of processor time: both use one thread, and what else the machine does is not in it."""
LARGE = """
import json, resource, sys, time
from pathlib import Path
began = time.perf_counter()
import table_profile
file = table_profile.profile_file(sys.argv[1], Path(sys.argv[2]))
text = table_profile.profile_text([file])
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
seconds, line = time.perf_counter() - began, text.splitlines()[0]
print(json.dumps({"seconds": seconds, "peak_mib": peak, "first_line": line}))
"""


def describe(path: Path) -> None:
    frame = pd.read_csv(path)
    frame.describe(include="all")
    frame.isna().sum()
    frame.duplicated().sum()


def profiled(path: Path) -> None:
    table_profile = guest_module("eda", "table_profile")
    table_profile.profile_text([table_profile.profile_file(path.name, path.parent)])


def timed(work: Callable[[Path], None], path: Path) -> tuple[float, float]:
    """(seconds, processor seconds) of one go."""
    wall, cpu = time.perf_counter(), time.process_time()
    work(path)
    return time.perf_counter() - wall, time.process_time() - cpu


def beside(path: Path, times: int) -> dict[str, float]:
    """Medians in milliseconds of both, measured in turns, and their ratios."""
    describe(path)
    profiled(path)
    pairs = [(timed(describe, path), timed(profiled, path)) for _ in range(times)]
    found: dict[str, float] = {}
    for place, clock in enumerate(("wall", "cpu")):
        pandas, ours = (median(pair[who][place] for pair in pairs) * 1000 for who in (0, 1))
        found |= {f"pandas_{clock}_ms": pandas, f"profile_{clock}_ms": ours, f"ratio_{clock}": ours / pandas}
    return found


def large(path: Path) -> dict[str, object]:
    """One profile in a process of its own, from its start on."""
    done = subprocess.run(
        [sys.executable, "-c", LARGE, path.name, str(path.parent)],
        env={**os.environ, "PYTHONPATH": str(SKILLS / "eda" / "scripts")},
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def main() -> int:
    times, size = int(os.environ.get("BENCH_N", "15")), int(os.environ.get("BENCH_MB", "500"))
    with tempfile.TemporaryDirectory() as room:
        path = write(Path(room) / "shop.csv")
        figures = {"rows": ROWS, "n": times, **beside(path, times)}
        whole = large(swell(path, Path(room) / "whole.csv", 75 << 20))
        sampled = large(swell(path, Path(room) / "large.csv", size << 20))
    record = {"beside_pandas": figures, "75 MiB": whole, f"{size} MiB": sampled}
    TARGET.mkdir(parents=True, exist_ok=True)
    (TARGET / "profile.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    missed = [
        target
        for target, met in {
            f"at most {RATIO} times pandas": figures["ratio_cpu"] <= RATIO,
            f"within {SECONDS:.0f} s": float(str(sampled["seconds"])) <= SECONDS,
            f"within {MIB:.0f} MiB": max(float(str(it["peak_mib"])) for it in (whole, sampled)) <= MIB,
            "the sample is said": "a sample of" in str(sampled["first_line"]),
        }.items()
        if not met
    ]
    said = "missed: " + "; ".join(missed) if missed else "all targets met"
    sys.stdout.write(f"{json.dumps(record, indent=1)}\n{said}\n")
    return len(missed)


if __name__ == "__main__":
    sys.exit(main())
