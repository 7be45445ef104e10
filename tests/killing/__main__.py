"""`python -m tests.killing run`: the product, except that it kills itself at one phase.

FAULT_AT is a phase's number and `before` or `after`, as in `13:after`. The product itself knows nothing of
this: its methods are wrapped here. A file named by FAULT_MARK is written first, so that a test can tell a
kill that happened from a phase that was never reached.
"""

import asyncio
import importlib
import os
import signal
from functools import wraps
from pathlib import Path
from typing import Any

from tests.killing.phases import POINTS, Phase, Point


def main() -> None:
    phase, _, moment = os.environ["FAULT_AT"].partition(":")
    _wrap(POINTS[Phase(int(phase))], moment)
    from bot.__main__ import main as product

    product()


def _wrap(point: Point, moment: str) -> None:
    module, _, path = point.where.partition(":")
    kind, _, method = path.partition(".")
    owner: Any = getattr(importlib.import_module(module), kind)
    call = getattr(owner, method)

    @wraps(call)
    async def killing(*arguments: Any, **named: Any) -> Any:
        if not point.meant(*arguments, **named):
            return await call(*arguments, **named)
        if moment == "before":
            _die()
        if moment == "during":
            asyncio.get_running_loop().call_later(0.1, _die)
        result = await call(*arguments, **named)
        _die()
        return result

    setattr(owner, method, killing)


def _die() -> None:
    Path(os.environ["FAULT_MARK"]).touch()
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    main()
