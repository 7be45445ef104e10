"""A uid of its own for every live container of a data folder: those that share one can starve each other.

Two data folders on one host know nothing of each other: give their policies ranges that do not overlap.
"""

import asyncio
import random
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from sandbox.errors import SandboxUnavailable
from sandbox.lease import lease_folders
from sandbox.uidrange import UidRange


class Uids:
    def __init__(self, leases: Path) -> None:
        self._leases = leases
        self._taken: set[int] = set()

    @asynccontextmanager
    async def one_of(self, span: UidRange) -> AsyncGenerator[int]:
        """One that no container of this data folder has, whichever process leads it.

        Raises: SandboxUnavailable: all are in use.
        """
        recorded = await asyncio.to_thread(self._recorded)
        count = len(span)
        start = random.randrange(count)  # noqa: S311  # only spreads installs that share a host
        for step in range(count):
            uid = span.first + (start + step) % count
            if uid not in self._taken and uid not in recorded:
                break
        else:
            message = f"all {count} uids of the policy are in use"
            raise SandboxUnavailable(message)
        self._taken.add(uid)
        try:
            yield uid
        finally:
            self._taken.discard(uid)

    def _recorded(self) -> set[int]:
        records = (folder.record() for folder in lease_folders(self._leases))
        return {record.uid for record in records if record is not None}
