"""What a script reaches for beyond its container, as far as Python itself tells it.

It observes and does not protect: native code, another interpreter and ctypes pass it by, and a script that
looks for it can silence it. What holds a script are seccomp, Landlock, the mounts and the missing network.
"""

# os throughout, as for descriptors

import os
import socket
import sys
from collections.abc import Sequence
from typing import Any

from .page import FORBIDDEN, SOCKET, Page
from .programs import Programs

_SOCKETS = frozenset({"socket.__new__", "socket.connect", "socket.getaddrinfo"})
_PROGRAMS = frozenset({"subprocess.Popen", "os.exec", "os.posix_spawn", "os.system"})
_WATCHED = _SOCKETS | _PROGRAMS
_INSIDE = (socket.AF_UNIX, -1)
"""Families that stay in the container; -1 stands for that of a descriptor that is there already."""


def install(page: Page, programs: Programs) -> None:
    """From now on this process and its forks note in `page` what they reach for. It cannot be taken back.

    Every import and every opened file comes by here, so the usual event costs one look into a set.
    """
    watched = _WATCHED

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event in watched:
            try:
                _see(event, arguments, page, programs)
            except Exception:  # an error here would become the script's own
                return

    sys.addaudithook(hook)


def _see(event: str, arguments: tuple[Any, ...], page: Page, programs: Programs) -> None:
    if event in _SOCKETS:
        if detail := _place(event, arguments):
            page.note(SOCKET, detail)
        return
    program, *behind_a_shell = _asked_for(event, arguments)
    for name in behind_a_shell:
        if programs.verdict(name) == FORBIDDEN:
            page.note(FORBIDDEN, name)
    if verdict := programs.verdict(program):
        page.note(verdict, program)


def _place(event: str, arguments: tuple[Any, ...]) -> str:
    """Where a socket would lead; empty when not out of the container."""
    match event, arguments:
        case "socket.__new__", (_, family, *_) if family not in _INSIDE:
            return _family(family)
        case "socket.connect", (sock, address) if sock.family not in _INSIDE:
            return _internet(address) if isinstance(address, tuple) else _family(sock.family)
        case "socket.getaddrinfo", (host, port, *_):
            return _internet((host, port))
        case _:
            return ""


def _internet(address: Any) -> str:
    host, port, *_ = address
    return f"{_text(host or '')}:{_text(port or '')}"


def _family(family: int) -> str:
    try:
        return socket.AddressFamily(family).name
    except ValueError:
        return f"address family {family}"


def _asked_for(event: str, arguments: tuple[Any, ...]) -> Sequence[str]:
    """The program, and what a shell is to start first."""
    if event == "os.system":
        return ["sh", *_text(arguments[0]).split()[:1]]
    program, argv = arguments[0], arguments[1]
    command = argv[2] if len(argv) > 2 and argv[1] == "-c" else ""
    return [_text(program), *_text(command).split()[:1]]


def _text(value: Any) -> str:
    return os.fsdecode(value) if isinstance(value, bytes) else str(value)
