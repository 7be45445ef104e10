"""Swap beside the memory is memory that no limit counts."""

import os

from probing import tell

CGROUP = "/sys/fs/cgroup"


def read(*paths):
    for path in paths:
        if os.path.exists(f"{CGROUP}/{path}"):
            with open(f"{CGROUP}/{path}") as file:
                return file.read().strip()
    return None


memory = read("memory.max", "memory/memory.limit_in_bytes")
more = read("memory.swap.max", "memory/memory.memsw.limit_in_bytes")
tell(limited=memory.isdigit() and int(memory) < 1 << 40, no_swap=more is None or more in ("0", memory))
