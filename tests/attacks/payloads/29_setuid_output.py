"""The bits that make a program run as its owner, on a file that is meant for the host."""

import os

os.mkdir("folder")
for name, mode in (("tool", 0o6777), ("folder/tool", 0o4755), ("sticky", 0o1777)):
    with open(name, "w") as file:
        file.write("#!/bin/sh\n")
    os.chmod(name, mode)
os.chmod("folder", 0o7777)
