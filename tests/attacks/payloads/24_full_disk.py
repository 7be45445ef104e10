"""Every byte of out/, or every inode."""

import os
import sys

if sys.argv[1] == "bytes":
    for part in range(100):
        with open(f"part{part}", "wb") as file:
            for _ in range(60):
                file.write(b"x" * (1 << 20))
for n in range(10**6):
    os.close(os.open(f"f{n}", os.O_CREAT | os.O_WRONLY))
