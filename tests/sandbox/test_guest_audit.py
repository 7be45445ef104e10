"""What a script is seen to reach for, noted in a process of its own: an audit hook cannot be taken away."""

# ruff: noqa: S602, S605, S606  # starting programs is what is watched here

import os
import random
import socket
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.guest import audit
from sandbox.guest.page import FORBIDDEN, SOCKET, UNLISTED, Page
from sandbox.guest.programs import Programs

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the guest is Linux")
NONE = "/none"


def _noted(work: Callable[[], object], programs: Programs | None = None) -> list[tuple[str, str]]:
    page = Page()
    pid = os.fork()
    if pid == 0:
        audit.install(
            page, programs or Programs(allow=("none",), deny=("curl",), interpreters=(sys.executable,))
        )
        with suppress(OSError):
            work()
        os._exit(0)
    os.waitpid(pid, 0)
    return page.noted()


def _system(command: str) -> int:
    return os.system(command)  # pyright: ignore[reportDeprecated]  # scripts use it


def test_sockets_of_the_container_itself_are_nobodys_business() -> None:
    def work() -> None:
        first, second = socket.socketpair()
        socket.socket(fileno=first.detach()).close()
        second.close()
        with socket.socket(socket.AF_UNIX) as sock, suppress(OSError):
            sock.connect(NONE)

    assert _noted(work) == []


@pytest.mark.parametrize(
    ("work", "detail"),
    [
        (lambda: socket.socket(), "AF_INET"),
        (lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW), "AF_NETLINK"),
        (lambda: socket.socket(77), "address family 77"),
        (lambda: socket.getaddrinfo("host.invalid", 80), "host.invalid:80"),
        (lambda: socket.create_connection(("host.invalid", 443)), "host.invalid:443"),
        (lambda: socket.getaddrinfo(None, "x"), ":x"),
    ],
)
def test_a_socket_that_leads_out_is_noted_with_its_first_place(
    work: Callable[[], object], detail: str
) -> None:
    assert _noted(work) == [(SOCKET, detail)]


@pytest.mark.parametrize(
    ("work", "noted"),
    [
        (lambda: subprocess.run([sys.executable, "-c", "pass"], check=False), []),
        (lambda: subprocess.run(["nothing-like-it"], check=False), [(UNLISTED, "nothing-like-it")]),
        (lambda: subprocess.run([b"/none/curl"], check=False), [(FORBIDDEN, "/none/curl")]),
        (lambda: subprocess.run([Path("/none/x")], check=False), [(UNLISTED, "/none/x")]),
        (
            lambda: subprocess.run("curl x", shell=True, check=False, capture_output=True),
            [(FORBIDDEN, "curl"), (UNLISTED, "/bin/sh")],
        ),
        (lambda: _system("/x/curl >/dev/null 2>&1"), [(FORBIDDEN, "/x/curl"), (UNLISTED, "sh")]),
        (lambda: os.execv("/none/a", ["a"]), [(UNLISTED, "/none/a")]),
        (lambda: os.posix_spawn("/none/b", ["b"], {}), [(UNLISTED, "/none/b")]),
    ],
)
def test_a_program_is_noted_when_it_is_denied_or_not_allowed(
    work: Callable[[], object], noted: list[tuple[str, str]]
) -> None:
    assert _noted(work) == noted


def test_with_nothing_allowed_by_name_everything_is_that_is_not_denied() -> None:
    programs = Programs(deny=("curl",))
    assert programs.executable is None
    assert (programs.verdict("true"), programs.verdict("curl")) == ("", FORBIDDEN)


def test_a_link_to_a_denied_program_is_denied_too(tmp_path: Path) -> None:
    (tmp_path / "curl").touch()
    (tmp_path / "other").symlink_to("curl")
    assert Programs(deny=("curl",)).verdict(f"{tmp_path}/other") == FORBIDDEN


def test_the_programs_that_may_be_executed_are_files_with_their_loader() -> None:
    executable = Programs(allow=("none",), interpreters=(sys.executable,)).executable
    assert executable is not None
    assert os.path.realpath(sys.executable) in executable
    assert all(Path(path).is_file() and not Path(path).is_symlink() for path in executable)
    assert any("/ld-" in path for path in executable)


def test_a_child_of_the_script_is_seen_too() -> None:
    def work() -> None:
        if (pid := os.fork()) == 0:
            with suppress(OSError):
                os.execv("/none/c", ["c"])
            os._exit(0)
        os.waitpid(pid, 0)

    assert _noted(work) == [(UNLISTED, "/none/c")]


def test_the_first_detail_of_a_code_stays_and_is_bounded() -> None:
    page = Page()
    page.note(SOCKET, "ж" * 1000)
    page.note(SOCKET, "second")
    page.note(UNLISTED, "\udcff\x00")
    page.cause = 2
    assert page.noted() == [(SOCKET, "ж" * 100), (UNLISTED, "?\x00")]
    page.clear()
    assert (page.noted(), page.cause) == ([], 0)


@given(st.integers(0, 2**32))
def test_whatever_a_script_writes_into_the_page_is_few_and_short(seed: int) -> None:
    page = Page()
    page._memory[:] = random.Random(seed).randbytes(len(page._memory))  # noqa: S311  # any bytes will do
    noted = page.noted()
    assert [code for code, _ in noted] == sorted(
        {code for code, _ in noted}, key=[SOCKET, FORBIDDEN, UNLISTED].index
    )
    assert all(len(detail) <= 200 for _, detail in noted)
