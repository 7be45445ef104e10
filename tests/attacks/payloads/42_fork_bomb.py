"""Processes that make processes, or threads that make threads: the limit holds, only the clock ends it."""

import os
import sys
import threading
import time

if sys.argv[1] == "threads":
    while True:
        try:
            threading.Thread(target=time.sleep, args=(999,), daemon=True).start()
        except RuntimeError:
            time.sleep(0.01)
while True:
    try:
        # Most of them sleep, so that the limit is met also where the processor is shared with others.
        if os.fork() == 0 and os.getpid() % 8:
            time.sleep(999)
    except OSError:
        pass
