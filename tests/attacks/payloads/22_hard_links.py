"""A second name for a file that is not the script's, or many for one of its own."""

import os

from probing import outcome, tell

with open("good.csv", "w") as file:
    file.write("x")
os.link("good.csv", "twin.csv")
foreign = (
    "/etc/passwd",
    "/opt/guest/loop.py",
    "/workspace/code/probing.py",
    "/proc/self/status",
    "/dev/null",
)
tell(results=sorted({outcome(os.link, path, f"stolen{n}") for n, path in enumerate(foreign)}))
