"""The container sees all processors of the host, so libraries would start a thread for each."""

import os

from probing import tell

NAMES = ("OMP", "OPENBLAS", "MKL", "NUMEXPR")
tell(
    threads=sorted(
        {os.environ[f"{name}_NUM_THREADS"] for name in NAMES}
        | {os.environ["POLARS_MAX_THREADS"], os.environ["LOKY_MAX_CPU_COUNT"]}
    ),
    own=len(os.listdir("/proc/self/task")),
)
