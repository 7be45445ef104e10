"""Processes that nobody waits for: the script's own, and orphans, which are PID 1's to reap."""

import os
import time

for _ in range(200):  # more than there may be at once
    while True:
        try:
            pid = os.fork()
            break
        except BlockingIOError:
            time.sleep(0.005)
    if pid == 0:
        if os.fork() == 0:
            os._exit(0)
        os._exit(0)
    os.waitpid(pid, 0)
for _ in range(20):
    if os.fork() == 0:
        os._exit(0)
print("left")
