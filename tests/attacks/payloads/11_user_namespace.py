"""Root in a namespace of one's own has the whole of the kernel's attack surface."""

import os

from probing import denied, outcome, syscall, tell

CLONE_NEWUSER = 0x10000000


def write(path, text):
    with open(path, "w") as file:
        file.write(text)


tell(
    unshare=syscall(272, CLONE_NEWUSER),
    clone=syscall(56, CLONE_NEWUSER | 17, 0, 0, 0, 0),
    join=sorted(
        {outcome(os.open, f"/proc/1/ns/{kind}", os.O_RDONLY) for kind in ("user", "mnt", "pid", "net")}
    ),
    map=denied(write, "/proc/self/uid_map", "0 0 1"),
)
