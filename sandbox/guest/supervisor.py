"""The container's command: starts PID 1's loop, with its own modules on the path only meanwhile."""

import sys
from importlib import import_module
from pathlib import Path

if __name__ == "__main__":
    # python -I leaves the script's folder off the path, and no script may find our modules on it later.
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    loop = import_module("guest.loop")
    del sys.path[0]
    loop.main()
