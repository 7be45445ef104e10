"""Starts a script in the sandbox image without our supervisor: the cache of fonts first, as that has it."""

import os
import shutil
import sys
from contextlib import suppress

if __name__ == "__main__":
    with suppress(OSError):
        shutil.copytree("/opt/mplcache", os.environ["MPLCONFIGDIR"], dirs_exist_ok=True)
    os.execv(sys.executable, [sys.executable, f"/workspace/code/{sys.argv[1]}"])  # noqa: S606  # no shell
