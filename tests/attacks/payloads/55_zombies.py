"""Processes that nobody waits for: the script's own, and orphans, which are PID 1's to reap."""

import os
import time


def processes():
    return len([name for name in os.listdir("/proc") if name.isdigit()])


for _ in range(4):  # more in all than there may be at once
    for _ in range(50):
        pid = os.fork()
        if pid == 0:
            if os.fork() == 0:
                os._exit(0)
            os._exit(0)
        os.waitpid(pid, 0)
    while processes() > 2:
        time.sleep(0.005)
for _ in range(20):
    if os.fork() == 0:
        os._exit(0)
print("left")
