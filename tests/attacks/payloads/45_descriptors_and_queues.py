"""Things that are counted per process or per user: descriptors, locked memory, message queues."""

import ctypes
import mmap
import os
import resource

from probing import denied, outcome, syscall, tell

libc = ctypes.CDLL(None, use_errno=True)
held = []
while (descriptor := libc.dup(0)) >= 0:
    held.append(descriptor)
exhausted = len(held)
for descriptor in held:
    os.close(descriptor)


def lock(size):
    area = mmap.mmap(-1, size)
    if libc.mlock(ctypes.c_void_p(ctypes.addressof(ctypes.c_char.from_buffer(area))), ctypes.c_size_t(size)):
        raise OSError(ctypes.get_errno(), "mlock")


def more_descriptors():
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))
    except ValueError:
        raise PermissionError(1, "nofile") from None


tell(
    exhausted=exhausted <= 1024,
    raised=outcome(more_descriptors),
    locked=outcome(lock, 16 << 20),
    queue=[
        syscall(240, 0, 0o100, 0o600, 0),
        denied(open, "/dev/mqueue/x", "w"),
        resource.getrlimit(resource.RLIMIT_MSGQUEUE)[1],
    ],
    shared=[syscall(29, 0, 4096, 0o1600), syscall(64, 0, 1, 0o1600), syscall(68, 0, 0o1600)],
)
