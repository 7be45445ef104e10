"""A tree whose path nobody can name and whose depth kills who descends by recursion."""

import os
import sys

for base in ("/workspace/out", "/tmp", "/dev/shm"):
    os.chdir(base)
    for _ in range(int(sys.argv[1])):
        os.mkdir("d" * 200)
        os.chdir("d" * 200)
    with open("leaf", "w") as file:
        file.write("x")
    if base != "/workspace/out":
        os.chmod(".", 0)
