"""A script that ignores every signal it may, in every thread."""

import signal
import threading

for number in signal.valid_signals():
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        continue
signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
for _ in range(4):
    threading.Thread(target=lambda: [None for _ in iter(int, 1)]).start()
