"""An engine that answers, but not sense: whatever it says and wherever, it is unavailable, nothing else."""

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from sandbox.docker import DockerSandbox
from sandbox.engine import Deadlines, Engine
from sandbox.errors import SandboxUnavailable
from sandbox.policy import DEFAULT_NAME, Policy
from tests.conftest import changed, fresh_workspace

# One start at a time: of two, the one that hears of the other's end would fail for another reason.
POLICIES = {DEFAULT_NAME: changed(changed(Policy(), "container", image="an-image"), "pool", size=0)}
HASTY = Deadlines(call=0.2, start=0.2, copy=0.2, aside=0.2)


def answer(status: str, body: bytes) -> bytes:
    return (
        f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode()
        + body
    )


def sense(value: object, status: str = "200 OK") -> bytes:
    return answer(status, json.dumps(value).encode())


def stream(channel: int, data: bytes) -> bytes:
    """A piece of a container's output, as it comes over an attached connection."""
    return bytes([channel, 0, 0, 0]) + len(data).to_bytes(4, "big") + data


UPGRADE = b"HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n"
GONE = sense({"message": "No such container"}, "404 Not Found")
CONTAINER = {"Config": {"Tty": False}, "State": {"Status": "exited", "ExitCode": 3, "OOMKilled": False}}
SENSE = {
    "GET version": sense({"ApiVersion": "1.41"}),
    "GET images": sense({"Id": "sha256:1"}),
    "GET containers/json": sense([]),
    "POST create": sense({"Id": "c1", "Warnings": []}, "201 Created"),
    "POST attach": UPGRADE,
    "POST start": answer("204 No Content", b""),
    "GET container": sense(CONTAINER),
    "DELETE container": answer("204 No Content", b""),
}
"""Answers of an engine whose containers say nothing."""

NONSENSE = {
    "an error": sense({"message": "boom"}, "500 Internal Server Error"),
    "an error without words": answer("500 Internal Server Error", b""),
    "an error in another form": sense([{"message": 3}], "503 Service Unavailable"),
    "an error page": b"HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/html\r\nContent-Length: 1\r\n\r\n<",
    "no JSON": answer("200 OK", b"{"),
    "no Unicode": answer("200 OK", b'{"Id": "\xff"}'),
    "another type": sense(17),
    "another shape": sense({"Id": None, "Names": 1}),
    "a list of strangers": sense([3, {"Names": None}, None]),
    "nothing": sense(None),
    "half an answer": b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{",
    "no HTTP": b"\x00\xff SSH-2.0-engine\r\n\r\n",
    "a header without an end": b"HTTP/1.1 200 OK\r\nX: " + b"x" * (1 << 20),
    "the end": b"",
}
CHATTER = {
    "no frame": UPGRADE + stream(1, b"hello, I am a container\n"),
    "a huge frame": UPGRADE + stream(1, b"J\xff\xff\xff\xff"),
    "a frame of nothing": UPGRADE + stream(1, b"J\0\0\0\0"),
    "an unknown channel": UPGRADE + stream(77, b"x"),
    "half a piece": UPGRADE + stream(1, b"J\0\0\0\x09{")[:-3],
    "trouble": UPGRADE + stream(2, b"python: not found\n"),
}


@asynccontextmanager
async def an_engine(socket: Path, wrong: Mapping[str, bytes]) -> AsyncGenerator[str]:
    """A server that gives each kind of question its one answer. After a wrong one it hangs up."""
    answers = {**SENSE, **wrong}
    deleted = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                for line in head.lower().split(b"\r\n"):
                    if line.startswith(b"content-length:"):
                        await reader.readexactly(int(line.partition(b":")[2]))
                asked = kind(head)
                after = asked == "GET container" and deleted.is_set() and asked not in wrong
                writer.write(GONE if after else answers[asked])
                if asked == "DELETE container":
                    deleted.set()
                await writer.drain()
                if asked in wrong:
                    break
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # the client has hung up
        finally:
            writer.close()

    server = await asyncio.start_unix_server(serve, str(socket))
    async with server:
        yield f"unix://{socket}"


def kind(head: bytes) -> str:
    method, target, _ = head.decode("latin-1").split(" ", 2)
    parts = target.partition("?")[0].strip("/").split("/")
    if parts == ["version"]:
        return "GET version"
    match method, parts[1:]:
        case "GET", ["images", *_]:
            return "GET images"
        case "GET", ["containers", "json"]:
            return "GET containers/json"
        case "GET", _:
            return "GET container"
        case "DELETE", _:
            return "DELETE container"
        case _:
            return f"POST {parts[-1]}"


async def check_unavailable(
    folder: Path, wrong: Mapping[str, bytes], deadlines: Deadlines = HASTY
) -> SandboxUnavailable:
    async with an_engine(folder / "sock", wrong) as url:
        engine = Engine(url, deadlines=deadlines)
        async with (
            asyncio.timeout(5),
            DockerSandbox(POLICIES, root=folder, install="x", engine=engine) as sandbox,
        ):
            with pytest.raises(SandboxUnavailable) as caught:
                async with sandbox.lease(fresh_workspace(folder)):
                    pytest.fail("it should not come this far")
            assert sandbox.stats().leased == 0
    return caught.value


@pytest.mark.parametrize("step", SENSE)
@pytest.mark.parametrize("said", NONSENSE)
async def test_whatever_an_engine_answers_wherever_it_is_unavailable(
    tmp_path: Path, step: str, said: str
) -> None:
    await check_unavailable(tmp_path, {step: NONSENSE[said]})


@pytest.mark.parametrize("said", CHATTER)
async def test_whatever_a_container_says_first_it_is_unavailable(tmp_path: Path, said: str) -> None:
    await check_unavailable(tmp_path, {"POST attach": CHATTER[said]})


async def test_what_a_container_complains_of_is_told(tmp_path: Path) -> None:
    error = await check_unavailable(tmp_path, {"POST attach": CHATTER["trouble"]}, Deadlines())
    assert "python: not found" in str(error)


@pytest.mark.parametrize("url", ["nowhere", "ftp://x", "unix://", "tcp://127.0.0.1:1", "unix:///dev/null"])
async def test_an_address_without_an_engine_is_unavailable(tmp_path: Path, url: str) -> None:
    engine = Engine(url, deadlines=HASTY)
    async with DockerSandbox(POLICIES, root=tmp_path, install="x", engine=engine) as sandbox:
        with pytest.raises(SandboxUnavailable):
            async with sandbox.lease(fresh_workspace(tmp_path)):
                pytest.fail("it should not come this far")
