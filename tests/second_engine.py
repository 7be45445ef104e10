"""A second Docker engine, which tests may kill, freeze and restart: the machine's own notices nothing."""

import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

import pytest

_PATH = f"{os.environ.get('PATH', '')}:/usr/local/sbin:/usr/sbin:/sbin"  # dockerd is not in everybody's PATH
_START_SECONDS = 60.0


class SecondEngine:
    """Has a network namespace, a data folder, a runtime folder and a socket of its own; no bridge.

    The network namespace is one without a name, which ends with its last process.
    """

    def __init__(self, *, runtimes: Mapping[str, Any] | None = None) -> None:
        if os.geteuid() != 0:
            pytest.fail("a second Docker engine needs root: run these tests as root, or leave out -m faults")
        if missing := [
            tool for tool in ("dockerd", "unshare", "umount") if shutil.which(tool, path=_PATH) is None
        ]:
            pytest.fail(f"{missing[0]} is not here: `make docker` installs the engine, util-linux the rest")
        # Not below the tests' folder: sockets have no long names, and 700 MB may not fit into memory.
        self._folder = Path(tempfile.mkdtemp(prefix="deckhand-", dir="/var/tmp"))
        self._log = self._folder / "log"
        (self._folder / "daemon.json").write_text(json.dumps({"runtimes": runtimes or {}}))
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    @property
    def socket(self) -> Path:
        return self._folder / "sock"

    @property
    def url(self) -> str:
        return f"unix://{self.socket}"

    @property
    def lives(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        """Returns when it answers."""
        # A killed containerd that nobody has reaped looks alive to the next engine.
        (self._folder / "exec-root/containerd/containerd.pid").unlink(missing_ok=True)
        command = [
            *("unshare", "--net", "dockerd", "--bridge=none", "--iptables=false", "--ip6tables=false"),
            *(f"--host={self.url}", f"--config-file={self._folder / 'daemon.json'}"),
            *(f"--{part}={self._folder / part}" for part in ("data-root", "exec-root", "pidfile")),
        ]
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                command, stdout=log, stderr=log, env={**os.environ, "PATH": _PATH}, start_new_session=True
            )
        deadline = time.monotonic() + _START_SECONDS
        while self._ask("version").returncode:
            if not self.lives or time.monotonic() > deadline:
                tail = self._log.read_text(errors="replace").splitlines()[-5:]
                pytest.fail("no second Docker engine can run here:\n" + "\n".join(tail))
            time.sleep(0.05)

    def load(self, image: str) -> None:
        """Bring an image over from the machine's engine."""
        with subprocess.Popen(["docker", "save", image], stdout=subprocess.PIPE) as saved:
            subprocess.run([*self._docker, "load", "--quiet"], stdin=saved.stdout, check=True, timeout=240)
        assert saved.returncode == 0

    def docker(self, *arguments: str) -> str:
        done = self._ask(*arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def containers(self) -> list[str]:
        return self.docker("ps", "--all", "--format", "{{.Names}}").split()

    def shims(self) -> list[int]:
        """The parent process of each container, also of those that the engine does not know any more."""
        found: list[int] = []
        for process in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):  # it has ended meanwhile
                command = (process / "cmdline").read_bytes()
                if b"shim" in command and bytes(self._folder) in command:
                    found.append(int(process.name))
        return found

    def kill(self) -> None:
        """As a crash does: its containers go on for the moment."""
        self._signal(signal.SIGKILL)
        assert self._process is not None
        self._process.wait()

    def restart(self) -> None:
        self.kill()
        self.start()

    def freeze(self) -> None:
        """It takes connections and never answers."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self._signal(signal.SIGCONT)

    @property
    def _docker(self) -> list[str]:
        return ["docker", "--host", self.url]

    def _ask(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*self._docker, *arguments], capture_output=True, text=True, timeout=60, check=False
        )

    def _signal(self, number: int) -> None:
        assert self._process is not None
        self._process.send_signal(number)

    def _end(self) -> None:
        if self.lives:
            self.kill()
        # What it leaves: the containers with their shims, which name the folder, and its mounts.
        for shim in self.shims():
            for child in (*Path(f"/proc/{shim}/task/{shim}/children").read_text().split(), shim):
                with suppress(ProcessLookupError):
                    os.kill(int(child), signal.SIGKILL)
        mounts = [line.split()[4] for line in Path("/proc/self/mountinfo").read_text().splitlines()]
        for mount in sorted(
            (mount for mount in mounts if Path(mount).is_relative_to(self._folder)), reverse=True
        ):
            subprocess.run(
                ["umount", "--lazy", mount], check=True, timeout=30, env={**os.environ, "PATH": _PATH}
            )
        shutil.rmtree(self._folder)
