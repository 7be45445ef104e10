"""To stop instead of to end: itself, its watcher, or the watcher's attention."""

import os
import signal
import sys

if sys.argv[1] == "itself":
    os.kill(os.getpid(), signal.SIGSTOP)
for _ in range(100):
    os.kill(1, signal.SIGSTOP)
while True:
    os.kill(1, signal.SIGCHLD)
