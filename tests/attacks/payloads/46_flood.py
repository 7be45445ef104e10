"""Two gigabytes of output: with lines, as `one_line`, or on stderr."""

import os
import sys

block = (b"x" * 99 + b"\n") * 10000 if sys.argv[1] == "lines" else b"x" * (1 << 20)
for _ in range(2048):
    os.write(2 if sys.argv[1] == "stderr" else 1, block)
