"""Files in memory: all that the folders take, then memory for the rest, so that PID 1 is next; or files without
a folder, from a process that has offered itself less than PID 1."""

import os
import sys

if sys.argv[1] == "nameless":
    try:
        with open("/proc/self/oom_score_adj", "w") as file:
            file.write("500")
    except OSError as error:
        print(error.errno, flush=True)
    fill = "import os\nblock = bytes(1 << 20)\nwhile True:\n    held = os.memfd_create('m')\n    for _ in range(200):\n        os.write(held, block)"
    os.execv(sys.executable, [sys.executable, "-I", "-S", "-c", fill])
for base, names in (("/workspace/out", 0), ("/tmp", 10**6), ("/dev/shm", 10**6)):
    try:
        for n in range(names):
            os.close(os.open(f"{base}/{n}", os.O_CREAT))
    except OSError:
        os.unlink(f"{base}/0")
    try:
        with open(f"{base}/big", "wb") as file:
            while True:
                file.write(bytes(1 << 20))
    except OSError:
        pass
b = []
while True:
    b.append(bytearray(16 << 20))
