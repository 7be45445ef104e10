"""`deckhand sandbox serve` as a process of its own, and a client in another that has no Docker."""

import os
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bot.errors import SettingsError
from bot.ops.sandboxserve import address_of, token_of
from bot.settings import Settings
from sandbox.lease import install_name
from sandbox.service.listen import TcpAddress, UnixAddress
from tests.conftest import containers

CLIENT = """
import asyncio, sys
from pathlib import Path
from sandbox.client import SandboxClient
from sandbox.session import Workspace

async def main(url, folder, forever):
    workspace = Workspace(owner="away-1", code=folder / "code", out=folder / "out")
    async with SandboxClient(url) as client, client.lease(workspace) as session:
        if forever:
            print("leased", flush=True)
            await asyncio.sleep(600)
        await session.write("a.py", "print(6 * 7); open('a.txt', 'w').write('here')")
        print((await session.run("a.py")).stdout.strip(), (folder / "out/a.txt").read_text())

asyncio.run(main(sys.argv[1], Path(sys.argv[2]), len(sys.argv) > 3))
print("aiodocker" in sys.modules)
"""


@contextmanager
def serving(data: Path, socket: Path) -> Generator[subprocess.Popen[str]]:
    """The program, which has said that it listens."""
    command = [sys.executable, "-m", "bot", "sandbox", "serve", "--socket", str(socket)]
    environment = {**os.environ, "DECKHAND_DATA": str(data)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        try:
            assert process.stdout is not None
            assert str(socket) in process.stdout.readline()
            yield process
        finally:
            process.kill()


def client(socket: Path, folder: Path, *more: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "DOCKER_HOST": f"unix://{folder}/no.sock", "PYTHONPATH": str(Path.cwd())}
    command = [sys.executable, "-c", CLIENT, f"unix://{socket}", str(folder), *more]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)


@pytest.mark.docker
@pytest.mark.usefixtures("docker_policy")
def test_a_process_without_docker_runs_code_through_one_that_has_it(tmp_path: Path) -> None:
    data, socket = tmp_path / "data", tmp_path / "socket"
    with serving(data, socket) as service:
        with client(socket, tmp_path) as asking:
            shown, _ = asking.communicate(timeout=120)
        assert (asking.returncode, shown.split()) == (0, ["42", "here", "False"])
        service.send_signal(signal.SIGTERM)
        assert service.wait(30) == 0
    assert containers(install_name(data)) == []
    assert not socket.exists()
    assert [*(data / "spool").iterdir(), *(data / "leases").iterdir()] == []


@pytest.mark.docker
@pytest.mark.usefixtures("docker_policy")
def test_a_killed_service_leaves_nothing_after_its_next_start(tmp_path: Path) -> None:
    data, socket = tmp_path / "data", tmp_path / "socket"
    with serving(data, socket) as service, client(socket, tmp_path, "forever") as asking:
        assert asking.stdout is not None
        assert asking.stdout.readline() == "leased\n"
        assert containers(install_name(data)) != []
        service.kill()
        service.wait(30)
        asking.kill()
    assert len([*(data / "spool").iterdir()]) == 1
    with serving(data, socket) as service:
        service.send_signal(signal.SIGTERM)
        assert service.wait(30) == 0
    assert containers(install_name(data)) == []
    assert [*(data / "spool").iterdir(), *(data / "leases").iterdir()] == []


def test_without_a_word_it_listens_in_the_data_folder() -> None:
    settings = Settings(deckhand_data=Path("/srv/deckhand"))
    path = Path("/srv/deckhand/sandbox.sock")
    assert address_of(settings, None, None, None, None) == UnixAddress(path=path)
    assert address_of(settings, Path("/run/s"), "0", None, None) == UnixAddress(path=Path("/run/s"), group=0)
    assert address_of(settings, None, None, None, 80) == TcpAddress(host="127.0.0.1", port=80)
    assert address_of(settings, None, None, "::1", 80) == TcpAddress(host="::1", port=80)
    assert str(TcpAddress(host="::1", port=80)) == "http://[::1]:80"
    for socket, group, host, port in (
        (Path("/run/s"), None, None, 80),
        (None, "0", None, 80),
        (None, "0", None, None),
        (Path("/run/s"), "no-such-group", None, None),
        (None, None, "0.0.0.0", None),  # noqa: S104  # refused
        (Path("/run/s"), None, "::1", None),
    ):
        with pytest.raises(SettingsError):
            address_of(settings, socket, group, host, port)


def test_a_token_comes_from_a_file_or_the_environment_and_is_no_short_one(tmp_path: Path) -> None:
    long = "0123456789abcdef"
    (tmp_path / "token").write_text(f"{long}\n")
    chosen = Settings.model_validate({"sandbox_token": f"{long}-too"})
    assert token_of(chosen, tmp_path / "token", needed=True) == long
    assert token_of(chosen, None, needed=False) == f"{long}-too"
    assert token_of(Settings(), None, needed=False) is None
    assert chosen.secrets == (f"{long}-too",)
    short = Settings.model_validate({"sandbox_token": "short"})
    for settings, file in ((Settings(), None), (short, None), (chosen, tmp_path / "none")):
        with pytest.raises(SettingsError):
            token_of(settings, file, needed=True)
