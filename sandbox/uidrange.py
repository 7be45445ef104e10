"""A range of uids, as a policy's `user` writes it."""

import re
from dataclasses import dataclass

_UIDS = re.compile(r"([0-9]{1,10})([-:])([0-9]{1,10})", re.ASCII)
_LOWEST_UID, _HIGHEST_UID = 1000, 2**31


@dataclass(frozen=True, slots=True)
class UidRange:
    """Uids, each used as the gid too, both ends included. No two live containers share one."""

    first: int
    last: int

    def __len__(self) -> int:
        return self.last - self.first + 1


def parse_uids(user: str) -> UidRange:
    """Raises: ValueError: it has no group, which would be root's, or an id that is not for guests."""
    if user.isascii() and user.isdigit():
        message = f"user: {user} has no group and would get root's; write {user}:{user} or a range"
        raise ValueError(message)
    match = _UIDS.fullmatch(user)
    if match is None:
        message = f"user: {user!r} is neither a range like 20000-29999 nor uid:gid"
        raise ValueError(message)
    first, last = int(match[1]), int(match[3])
    if min(first, last) < _LOWEST_UID or max(first, last) > _HIGHEST_UID:
        message = f"user: ids lie between {_LOWEST_UID} and {_HIGHEST_UID}; lower ones belong to the system"
        raise ValueError(message)
    if match[2] == ":" and first != last:
        message = f"user: {user} has two ids; a container's uid and gid are one number, which no other has"
        raise ValueError(message)
    if last < first:
        message = f"user: {user} ends before it begins"
        raise ValueError(message)
    return UidRange(first, last)
