"""Who may ask: a peer on the Unix socket by uid or group, anybody with the token where there is one."""

import hmac
import os
import socket
import struct
from asyncio import BaseTransport
from dataclasses import dataclass

from sandbox.service.errors import Refused
from sandbox.service.wire import ErrorCode

MIN_TOKEN = 16
"""Characters."""
_PEER_GROUPS = 59
"""SO_PEERGROUPS, which Python does not name."""
_MAX_GROUPS = 1024
"""Bytes, as many as Python reads. Who is in more than 256 groups is known by the first one only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """`group` is the gid whose members may use the Unix socket beside our own uid and root."""

    token: str | None = None
    group: int | None = None

    def check(self, authorization: str | None, transport: BaseTransport | None) -> None:
        """Raises: Refused: the token is missing or wrong, or the peer is somebody else."""
        if not (self._token_fits(authorization) and self._peer_fits(transport)):
            message = "a valid token is needed: Authorization: Bearer TOKEN"
            raise Refused(ErrorCode.UNAUTHORIZED, message)

    def _token_fits(self, authorization: str | None) -> bool:
        if self.token is None:
            return True
        scheme, _, given = (authorization or "").partition(" ")
        right = hmac.compare_digest(given.strip().encode("utf-8", "replace"), self.token.encode())
        return scheme.lower() == "bearer" and right

    def _peer_fits(self, transport: BaseTransport | None) -> bool:
        connection = transport.get_extra_info("socket") if transport is not None else None
        if connection is None:  # it has hung up
            return False
        if connection.family != socket.AF_UNIX:
            return self.token is not None
        size = struct.calcsize("3i")
        _, uid, gid = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size))
        if uid in (0, os.geteuid()):
            return True
        return self.group is not None and self.group in (gid, *_peer_groups(connection))


def _peer_groups(connection: socket.socket) -> tuple[int, ...]:
    try:
        raw = connection.getsockopt(socket.SOL_SOCKET, _PEER_GROUPS, _MAX_GROUPS)
    except OSError:
        return ()
    return struct.unpack(f"{len(raw) // 4}I", raw)
