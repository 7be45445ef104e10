"""What a file carries beside its bytes, and names that differ in case only."""

import os

for name in ("A.csv", "a.csv"):
    with open(name, "w") as file:
        file.write(name)
os.utime("A.csv", (0, 2**33))
os.utime("a.csv", (-1, -1))
for name, value in (("user.note", b"x" * 100), ("system.posix_acl_access", b"\2\0\0\0")):
    try:
        os.setxattr("a.csv", name, value)
    except OSError:  # some kernels keep none in memory
        continue
