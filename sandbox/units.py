"""Sizes and numbers as operators write them, parsed strictly."""

import re
from typing import Annotated

from pydantic import BeforeValidator

_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def _size(value: object) -> object:
    """`512M` and `1G` with a capital letter and nothing else, or a whole number of bytes."""
    if isinstance(value, str) and value[:-1].isascii() and value[:-1].isdigit() and value[-1:] in _UNITS:
        return int(value[:-1]) * _UNITS[value[-1]]
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    message = f"{value!r} is no size; write bytes, or 64K, 512M, 1G"
    raise ValueError(message)


def _number(value: object) -> object:
    """`0.5`, or `"0.5"`: people quote what other tools want quoted."""
    if isinstance(value, str) and re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", value, re.ASCII):
        return float(value)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value)
    message = f"{value!r} is no number; write 2 or 0.5"
    raise ValueError(message)


Size = Annotated[int, BeforeValidator(_size)]
"""Bytes."""
Number = Annotated[float, BeforeValidator(_number)]
