"""How much memory a process and its children hold."""

import asyncio
import os
from contextlib import suppress
from pathlib import Path

EVERY = 0.5
"""Seconds between two looks."""
_PAGE = os.sysconf("SC_PAGE_SIZE")


def resident(pid: int) -> int:
    """Bytes in memory of a process and all below it; pages that they share count for each."""
    total = 0
    with suppress(OSError):  # it may end while we look
        total += int(Path(f"/proc/{pid}/statm").read_text("ascii").split()[1]) * _PAGE
        for task in Path(f"/proc/{pid}/task").iterdir():
            children = (task / "children").read_text("ascii").split()
            total += sum(resident(int(child)) for child in children)
    return total


async def watch(pid: int, held: list[int]) -> None:
    """Append the memory to `held`, every half a second, until cancelled."""
    while True:
        held.append(resident(pid))
        await asyncio.sleep(EVERY)
