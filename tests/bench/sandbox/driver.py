"""One peer, driven by JSON lines over stdin and stdout: {"do": "prepare"}, "lease", "run", "close" or "end".

It runs in the peers' own environment and measures there, so that the lines cost the peers nothing.
"""

# None of these libraries is in the project's environment.
# pyright: reportMissingImports=false, reportMissingModuleSource=false

import asyncio
import json
import logging
import os
import secrets
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

Place = dict[str, Any]
"""image, shell_image, kernel, flags, and the mounts of this session."""


class Peer(Protocol):
    def lease(self, place: Place) -> None: ...

    def run(self, source: str) -> tuple[int, str]: ...

    def close(self) -> None: ...


class LlmSandbox:
    def lease(self, place: Place) -> None:
        from llm_sandbox import SandboxSession

        self.session = SandboxSession(
            lang="python",
            image=place["shell_image"],
            workdir="/workspace/out",
            skip_environment_setup=True,  # it would install pip from the network
            keep_template=True,
            runtime_configs=_llm_flags(place),
        )
        self.session.open()

    def run(self, source: str) -> tuple[int, str]:
        result = self.session.run(source)
        return result.exit_code, result.stdout + result.stderr

    def close(self) -> None:
        self.session.close()


class LlmSandboxPool:
    def __init__(self) -> None:
        self.pool: Any = None

    def prepare(self, place: Place) -> None:
        if self.pool is not None:
            return
        from llm_sandbox.pool import PoolConfig, create_pool_manager

        self.pool = create_pool_manager(
            backend="docker",
            config=PoolConfig(min_pool_size=1, max_pool_size=1),
            lang="python",
            image=place["shell_image"],
            workdir="/workspace/out",
            keep_template=True,
            # Its environment within the environment does not see the image's libraries by itself.
            runtime_configs=_llm_flags(place, environment={"PYTHONPATH": place["libraries"]}),
        )
        end = time.monotonic() + 120
        while self.pool.get_stats()["state_counts"].get("idle", 0) < 1:
            if time.monotonic() > end:
                message = f"its pool did not fill: {self.pool.get_stats()}"
                raise TimeoutError(message)
            time.sleep(0.1)

    def lease(self, place: Place) -> None:
        from llm_sandbox import SandboxSession

        self.session = SandboxSession(
            lang="python", pool=self.pool, workdir="/workspace/out", keep_template=True
        )
        self.session.open()

    def run(self, source: str) -> tuple[int, str]:
        result = self.session.run(source)
        return result.exit_code, result.stdout + result.stderr

    def close(self) -> None:
        self.session.close()

    def end(self) -> None:
        if self.pool is not None:
            self.pool.close()


class JupyterKernel:
    """No network is needed: the kernel listens on sockets in a folder that both sides see."""

    def lease(self, place: Place) -> None:
        import docker
        from jupyter_client import BlockingKernelClient

        folder = Path(place["session"]) / "kernel"
        folder.mkdir()
        folder.chmod(0o777)
        connection = {
            "transport": "ipc",
            "ip": "/run/kernel/socket",
            "key": secrets.token_hex(16),
            "signature_scheme": "hmac-sha256",
        }
        connection |= {
            f"{channel}_port": number
            for number, channel in enumerate(("shell", "iopub", "stdin", "control", "hb"), 1)
        }
        (folder / "connection.json").write_text(json.dumps(connection))
        mounts = {
            **place["mounts"],
            str(folder): {"bind": "/run/kernel", "mode": "rw"},
            place["kernel"]: {"bind": "/kernel", "mode": "ro"},
        }
        self.container = docker.from_env().containers.run(
            place["image"],
            ["/opt/venv/bin/python", "-m", "ipykernel_launcher", "-f", "/run/kernel/connection.json"],
            environment={"PYTHONPATH": "/kernel"},
            volumes=mounts,
            detach=True,
            **place["flags"],
        )
        self.client = BlockingKernelClient()
        # A socket's path is short: a folder deep in the tree would not fit.
        near = Path("/proc/self/fd") / str(os.open(folder, os.O_PATH | os.O_DIRECTORY))
        self.client.load_connection_info({**connection, "ip": str(near / "socket")})
        end = time.monotonic() + 60
        while not (folder / "socket-1").exists() and time.monotonic() < end:
            time.sleep(0.003)
        self.client.start_channels()
        self.client.wait_for_ready(timeout=60)

    def run(self, source: str) -> tuple[int, str]:
        output: list[str] = []

        def hear(message: dict[str, Any]) -> None:
            if message["msg_type"] == "stream":
                output.append(message["content"]["text"])
            elif message["msg_type"] == "error":
                output.extend(message["content"]["traceback"])

        reply = self.client.execute_interactive(source, output_hook=hear, allow_stdin=False, timeout=60)
        return int(reply["content"]["status"] != "ok"), "".join(output)

    def close(self) -> None:
        self.client.stop_channels()
        self.container.remove(force=True)


class Smolagents:
    def lease(self, place: Place) -> None:
        from smolagents.monitoring import AgentLogger, LogLevel
        from smolagents.remote_executors import DockerExecutor

        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        flags = {key: value for key, value in place["flags"].items() if key != "network_mode"}
        command = ["/opt/venv/bin/python", "-m", "kernel_gateway", "--KernelGatewayApp.ip=0.0.0.0"]
        self.executor = DockerExecutor(
            [],
            AgentLogger(level=LogLevel.OFF),
            image_name=place["image"],
            build_new_image=False,
            port=port,
            container_run_kwargs={
                **flags,
                "command": [*command, "--KernelGatewayApp.port=8888"],
                "environment": {"PYTHONPATH": "/kernel", "JUPYTER_PATH": "/kernel/share/jupyter"},
                "volumes": {**place["mounts"], place["kernel"]: {"bind": "/kernel", "mode": "ro"}},
                "init": True,
            },
        )

    def run(self, source: str) -> tuple[int, str]:
        try:
            return 0, self.executor(source).logs
        except Exception as error:
            return 1, str(error)

    def close(self) -> None:
        self.executor.container.kill()  # its own way waits up to ten seconds
        self.executor.cleanup()


class AutoGen:
    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()

    def lease(self, place: Place) -> None:
        from autogen_ext.code_executors.docker import DockerCommandLineCodeExecutor

        code = Path(place["session"]) / "autogen"
        mounts = {
            source: mount for source, mount in place["mounts"].items() if mount["bind"] != "/workspace/code"
        }
        self.executor = DockerCommandLineCodeExecutor(
            image=place["shell_image"],
            container_name=f"bench-autogen-{secrets.token_hex(4)}",
            work_dir=code,
            extra_volumes=mounts,
        )
        self.loop.run_until_complete(self.executor.start())

    def run(self, source: str) -> tuple[int, str]:
        from autogen_core import CancellationToken
        from autogen_core.code_executor import CodeBlock

        block = CodeBlock(code=source, language="python")
        result = self.loop.run_until_complete(self.executor.execute_code_blocks([block], CancellationToken()))
        return result.exit_code, result.output

    def close(self) -> None:
        # Its own way waits ten seconds: a shell as PID 1 does not hear SIGTERM.
        subprocess.run(["docker", "kill", self.executor.container_name], capture_output=True, check=False)
        self.loop.run_until_complete(self.executor.stop())


def _llm_flags(place: Place, **more: Any) -> dict[str, Any]:
    """It puts each script into the container as root's own file that nobody else may read."""
    stay = {"command": ["sleep", "infinity"], "init": True}
    return {**place["flags"], "user": "root", "volumes": place["mounts"], **stay, **more}


PEERS: dict[str, Callable[[], Any]] = {
    "llm-sandbox": LlmSandbox,
    "llm-sandbox-pool": LlmSandboxPool,
    "jupyter-kernel": JupyterKernel,
    "smolagents": Smolagents,
    "autogen": AutoGen,
}


def main() -> None:
    logging.disable(logging.CRITICAL)
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a library prints is no answer
    peer = PEERS[sys.argv[1]]()
    for line in sys.stdin:
        request = json.loads(line)
        started = time.perf_counter()
        code, output = 0, ""
        try:
            match request["do"]:
                case "run":
                    code, output = peer.run(request["source"])
                case "prepare" | "lease" as step:
                    if hasattr(peer, step):
                        getattr(peer, step)(request["place"])
                case step:
                    if hasattr(peer, step):
                        getattr(peer, step)()
        except BaseException as error:
            code, output = 1, f"{type(error).__name__}: {error}"
        seconds = time.perf_counter() - started
        answers.write(json.dumps({"seconds": seconds, "code": code, "output": output}) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
