"""Holes cost nothing here and everything where they are filled: one giant, or `many` within the limit each."""

import sys

if sys.argv[1] == "many":
    for n in range(5):
        with open(f"hole{n}", "wb") as file:
            file.truncate(100 << 20)
else:
    with open("hole", "wb") as file:
        file.truncate(15 << 40)
