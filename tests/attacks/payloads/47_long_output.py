"""More output than is kept and less than is forbidden: head and tail stay, and the cut is told."""

import sys

for stream in (sys.stdout, sys.stderr):
    print("first", file=stream)
    print("x" * 300_000, file=stream)
    print("last", file=stream)
