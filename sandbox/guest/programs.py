"""The programs that the policy lets scripts start, as files of this container.

Depth, not the boundary: who may map memory can still run what no path leads to (memfd_create and execve), and
the loader starts whatever it is given to read. The mounts, seccomp and the missing network hold all the same.
"""

# os throughout, as for descriptors

import glob
import os
from collections.abc import Sequence

from .page import FORBIDDEN, UNLISTED

_FOLDERS = ("/opt/venv/bin", "/usr/local/bin", "/usr/bin", "/usr/local/sbin", "/usr/sbin")
_LOADERS = ("/lib*/ld-linux*.so.*", "/lib/ld-musl-*.so.*")
"""What the kernel opens, with the right to execute, beside each program."""


class Programs:
    def __init__(
        self, allow: Sequence[str] = (), deny: Sequence[str] = (), interpreters: Sequence[str] = ()
    ) -> None:
        """`allow` and `deny` are names, `interpreters` whole paths, which are allowed too."""
        self._denied = frozenset(deny)
        self._allowed: frozenset[str] | None = None
        self.executable: tuple[str, ...] | None = None
        """Real paths of all that may be executed; None for no restriction."""
        if allow:
            named = (f"{folder}/{name}" for name in allow for folder in _FOLDERS)
            self._allowed = frozenset(
                os.path.realpath(path) for path in (*named, *interpreters) if os.path.exists(path)
            )
            loaders = {os.path.realpath(path) for pattern in _LOADERS for path in glob.glob(pattern)}
            self.executable = tuple(sorted(self._allowed | loaders))

    def verdict(self, program: str) -> str:
        """What is to be told of a script that starts it: `page.FORBIDDEN`, `page.UNLISTED` or nothing."""
        path = program if "/" in program else _found(program)
        real = os.path.realpath(path)
        if {os.path.basename(path), os.path.basename(real)} & self._denied:
            return FORBIDDEN
        return UNLISTED if self._allowed is not None and real not in self._allowed else ""


def _found(name: str) -> str:
    paths = (f"{folder}/{name}" for folder in _FOLDERS)
    return next((path for path in paths if os.path.exists(path)), name)
