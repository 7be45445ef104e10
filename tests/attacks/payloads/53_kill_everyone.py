"""Every signal for everyone: PID 1 lives; what dies with `-1` is the script."""

import os
import signal
import sys

for number in signal.valid_signals():
    for _ in range(50):
        os.kill(1, number)
if sys.argv[1] == "all":
    if os.fork() == 0:
        os.kill(-1, signal.SIGKILL)
    signal.pause()
print("sent")
