"""The clock of the host, and times that lie."""

import os
import time

from probing import denied, outcome, syscall, tell

with open("late.csv", "w") as file:
    file.write("x")
os.utime("late.csv", (2**32, 2**32))
tell(
    set=outcome(time.clock_settime, time.CLOCK_REALTIME, 0.0),
    calls=[syscall(number, 0, 0) for number in (164, 159, 305, 227)],
    namespace=denied(open, "/proc/self/timens_offsets", "w"),
)
