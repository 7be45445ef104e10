"""What a person can say besides a request: a few words that never wait behind a run."""

import re
from enum import StrEnum


class Command(StrEnum):
    HELP = "help"
    STATUS = "status"
    PLAN = "plan"
    CANCEL = "cancel"
    FILES = "files"
    NEW = "new"
    UNKNOWN = "unknown"


_SHAPE = re.compile(r"/([A-Za-z_]{1,32})(?:@\w+)?(?=\s|$)")
_ALIASES = {"start": Command.HELP}


def parse(text: str) -> Command | None:
    """The command that `text` begins with, if it does; a platform may append `@name-of-the-bot`."""
    found = _SHAPE.match(text.strip())
    if found is None:
        return None
    name = found[1].lower()
    if name in _ALIASES:
        return _ALIASES[name]
    return next((command for command in Command if command == name), Command.UNKNOWN)
