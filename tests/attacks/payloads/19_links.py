"""Links in out/ that whoever reads out/ might follow: to the host's files, to PID 1's, up and around."""

import os
import sys

TARGETS = {
    "report.xlsx": "/etc/shadow", "canary.csv": sys.argv[2], "environment.txt": "/proc/1/environ",
    "folder": "/etc", "up": "../../../../..", "loop": "loop", "self": ".", "nowhere.csv": "/nowhere",
    "lease": "/workspace/input", "magic": "/proc/self/root",
}  # fmt: skip
for name, target in TARGETS.items():
    os.symlink(target, name)
os.makedirs("sub/inner")
os.symlink("/etc/passwd", "sub/inner/names.csv")
with open("real.csv", "w") as file:
    file.write("x")
