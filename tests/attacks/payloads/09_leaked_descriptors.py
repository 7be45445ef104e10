"""A descriptor of the host's that the runtime forgot to close is a way out; so is a writable runtime."""

import os

from probing import denied, outcome, tell

inside = []
for name in sorted(os.listdir("/proc/self/fd"), key=int):
    try:
        inside.append(os.readlink(f"/proc/self/fd/{name}").split(":")[0])
    except FileNotFoundError:  # the one that listed them
        continue
tell(
    open=inside,
    working_folder=os.getcwd(),
    above=sorted(os.listdir("../../../../../..")) == sorted(os.listdir("/")),
    pid_1=sorted(
        {
            outcome(open, f"/proc/1/{name}", "rb")
            for name in ("mem", "environ", "maps", "exe", "root/etc/passwd", "cwd/x")
        }
    ),
    descriptors_of_pid_1=outcome(os.listdir, "/proc/1/fd"),
    runtime=sorted(
        {
            denied(open, path, "r+b")
            for path in ("/proc/self/exe", "/opt/venv/bin/python", "/opt/guest/supervisor.py")
        }
    ),
)
