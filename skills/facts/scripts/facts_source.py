"""Python sources as syntax trees."""

import ast
import contextlib

TRIES = 5


def tree(source, mode="exec"):
    """`ast.parse`, again where CPython 3.11 says that it has miscounted its own depth, which is none of the
    script's doing. Raises what `ast.parse` raises, but never that."""
    for _ in range(TRIES):
        with contextlib.suppress(SystemError):
            return ast.parse(source, mode=mode)
    raise RecursionError("Python could not count its own depth")
