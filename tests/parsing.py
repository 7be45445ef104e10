"""Python sources as trees."""

import ast
from contextlib import suppress


def tree_of(source: str) -> ast.Module:
    """`ast.parse`, again where CPython 3.11 says that it has miscounted its own depth."""
    for _ in range(5):
        with suppress(SystemError):
            return ast.parse(source)
    return ast.parse(source)
