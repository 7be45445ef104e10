"""Children of every kind that would outlive a timeout."""

import os
import signal
import subprocess
import sys
import time

for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGXCPU):
    signal.signal(number, signal.SIG_IGN)
for _ in range(5):
    if os.fork() == 0:
        os.setsid()
        if os.fork():
            os._exit(0)
        time.sleep(999)
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(999)"], start_new_session=True)
print("begun", flush=True)
time.sleep(999)
