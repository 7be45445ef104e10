"""Removes this install's containers and lease folders whose owner is dead or whose time is over.

Also a program of its own, `python -m sandbox.reaper --root DIR`, needs no living bot.
"""

import argparse
import asyncio
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sandbox.engine import Engine
from sandbox.errors import SandboxUnavailable
from sandbox.lease import LeaseFolder, LeaseRecord, identity, install_name, lease_folders

LEASES = "leases"
_UNRECORDED_SECONDS = 300.0
"""A folder without a record is being made, unless it is older than this."""


@dataclass(frozen=True, slots=True)
class Reaped:
    containers: tuple[str, ...] = ()
    folders: tuple[Path, ...] = ()


async def reap(engine: Engine, root: Path, install: str, *, now: float) -> Reaped:
    """One pass. There are no volumes to remove: out/ is a tmpfs of its container.

    Containers are listed before records are read. A record is written before its container exists, and says
    a container's next name before it is renamed: so one without a record is an orphan, and never one that is
    just being made or leased.

    Raises: SandboxUnavailable.
    """
    containers = await engine.containers(install, await asyncio.to_thread(identity, root))
    folders = await asyncio.to_thread(_folders, root)
    doomed = orphans(containers, folders.values(), now)
    left: dict[str, SandboxUnavailable] = {}
    for name in doomed:
        try:
            await engine.remove(name)
        except SandboxUnavailable as error:  # one that is stuck keeps no other from going
            left[name] = error
    removed = [
        folder
        for folder, record in folders.items()
        if _is_over(folder, record, install, now)
        and not (record is not None and left.keys() & set(record.containers))
    ]
    for folder in removed:
        await asyncio.to_thread(folder.remove)
    if left:
        raise next(iter(left.values()))
    return Reaped(doomed, tuple(folder.path for folder in removed))


def orphans(containers: Sequence[str], records: Iterable[LeaseRecord | None], now: float) -> tuple[str, ...]:
    """The containers that no living process owns within its time."""
    owned = {
        name
        for record in records
        if record is not None and not _expired(record, now)
        for name in record.containers
    }
    return tuple(name for name in containers if name not in owned)


def _folders(root: Path) -> Mapping[LeaseFolder, LeaseRecord | None]:
    return {folder: folder.record() for folder in lease_folders(root / LEASES)}


def _is_over(folder: LeaseFolder, record: LeaseRecord | None, install: str, now: float) -> bool:
    if record is None:
        return folder.age() > _UNRECORDED_SECONDS
    return record.install == install and _expired(record, now)


def _expired(record: LeaseRecord, now: float) -> bool:
    return now > record.deadline or not record.owner_lives


async def _once(root: Path, install: str) -> Reaped:
    async with Engine() as engine:
        return await reap(engine, root, install, now=time.time())


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m sandbox.reaper", description="Remove orphans once.")
    parser.add_argument("--root", type=Path, required=True, help="the data folder of the install")
    parser.add_argument("--install", help="the install's name, if it is not the one of the bot's data folder")
    options = parser.parse_args(arguments)
    root = options.root.resolve()
    try:
        reaped = asyncio.run(_once(root, options.install or install_name(root)))
    except SandboxUnavailable as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stdout.write(f"removed {len(reaped.containers)} containers and {len(reaped.folders)} folders\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
