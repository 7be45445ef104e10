"""What a program of a build printed, as it may be shown: by pip, apt or dpkg."""

import re

from sandbox.names import clean_text

LINES = 15
"""Of a failed program's output, for a message."""
_PASSWORD = re.compile(r"://[^/\s]+@")


def last_lines(printed: bytes) -> tuple[str, ...]:
    """The end of what a program printed, without passwords of addresses in it."""
    text = _PASSWORD.sub("://", clean_text(printed.decode("utf-8", "replace")))
    return tuple(line.rstrip() for line in text.splitlines() if line.strip())[-LINES:]
