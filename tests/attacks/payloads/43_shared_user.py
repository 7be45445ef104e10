"""A limit that the kernel counts per user of the host, and things that it shares out per user."""

import ctypes
import resource
import sys

from probing import tell

libc = ctypes.CDLL(None, use_errno=True)
queues = 0
if sys.argv[1] == "starve":
    while libc.inotify_init1(0) >= 0:  # the limit of descriptors or of instances, which is per user
        queues += 1
tell(processes=resource.getrlimit(resource.RLIMIT_NPROC)[0] == 128, queues=queues > 100)
