"""The few calls to the Docker engine: each has a deadline, which aiodocker lacks, and our errors."""

# aiodocker leaves its keyword arguments untyped.
# pyright: reportUnknownMemberType=false

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import Any, Self

import aiodocker
import aiohttp
from aiodocker.exceptions import DockerError
from aiodocker.stream import Stream

from sandbox.errors import SandboxUnavailable
from sandbox.failure import engine_error
from sandbox.hardening import INSTALL_LABEL, KIND, KIND_LABEL, ROOT_LABEL
from sandbox.names import clean_text

CALL_SECONDS = 30.0
_STDERR_KEPT = 2000


@asynccontextmanager
async def deadline(seconds: float, doing: str, *, image: str = "") -> AsyncGenerator[None]:
    """Raises: SandboxUnavailable: the block took longer, or the engine failed in it."""
    try:
        async with asyncio.timeout(seconds):
            yield
    # aiodocker asserts what a closed connection breaks, and lets some of aiohttp's errors through.
    except (TimeoutError, DockerError, aiohttp.ClientError, OSError, AssertionError, RuntimeError) as error:
        raise engine_error(error, doing, image=image) from error


class AttachedStream:
    """stdin and stdout of a container. stderr is PID 1's own trouble and becomes the error message."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self.stderr = b""

    async def read(self) -> bytes:
        while (message := await self._stream.read_out()) is not None:
            if message.stream == 1:
                return message.data
            self.stderr = (self.stderr + message.data)[-_STDERR_KEPT:]
        if self.stderr:
            message = (
                f"the sandbox container failed: {clean_text(self.stderr.decode('utf-8', 'replace')).strip()}"
            )
            raise SandboxUnavailable(message)
        return b""

    async def write(self, data: bytes) -> None:
        try:
            await self._stream.write_in(data)
        except (AssertionError, RuntimeError, ConnectionError) as error:
            message = "the sandbox container ended"
            raise SandboxUnavailable(message) from error

    async def close(self) -> None:
        with suppress(AssertionError, OSError, RuntimeError):  # the other end may have closed first
            await self._stream.close()


class Engine:
    """Opened by `async with`; whether an engine answers is only known after the first call."""

    def __init__(self) -> None:
        self._stack = AsyncExitStack()
        self._client: aiodocker.Docker | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self._client = None
        await self._stack.aclose()

    async def image_id(self, image: str) -> str:
        """Raises: ImageMissing: it is not here; nothing is ever pulled."""
        docker = await self._docker()
        async with deadline(CALL_SECONDS, "looking for the image", image=image):
            return (await docker.images.inspect(image))["Id"]

    async def create(self, name: str, config: dict[str, Any]) -> str:
        """The container's id, which every other method takes as well as its name.

        Raises: NameTaken: a container of that name exists.
        """
        docker = await self._docker()
        async with deadline(CALL_SECONDS, "creating a container"):
            try:
                return (await docker.containers.create(config, name=name)).id
            except DockerError as error:
                if error.status == 409:
                    raise NameTaken(name) from error
                raise

    async def rename(self, container: str, name: str) -> None:
        """Raises: NameTaken: another container of that name exists."""
        docker = await self._docker()
        async with deadline(CALL_SECONDS, "renaming a container"):
            try:
                await docker.containers.container(container).rename(name)
            except DockerError as error:
                if error.status == 409:
                    raise NameTaken(name) from error
                raise

    async def attach(self, name: str) -> AttachedStream:
        docker = await self._docker()
        async with deadline(CALL_SECONDS, "attaching to a container"):
            stream = docker.containers.container(name).attach(
                stdin=True, stdout=True, stderr=True, logs=False
            )
            await stream.__aenter__()
        return AttachedStream(stream)

    async def start(self, name: str) -> None:
        docker = await self._docker()
        async with deadline(CALL_SECONDS, "starting a container"):
            await docker.containers.container(name).start()

    async def remove(self, name: str) -> None:
        """Kill and remove; returns when the container is gone, also when it was gone before."""
        docker = await self._docker()
        container = docker.containers.container(name)
        async with deadline(CALL_SECONDS, "removing a container"):
            while True:
                try:
                    await container.delete(force=True, v=True)
                    await container.show()
                except DockerError as error:
                    if error.status == 404:
                        return
                    if error.status != 409:  # 409: it is being removed already
                        raise
                await asyncio.sleep(0.02)

    async def describe_end(self, name: str) -> str:
        """Why a container is not running any more, for a message; empty when it is gone."""
        docker = await self._docker()
        with suppress(SandboxUnavailable):
            async with deadline(CALL_SECONDS, "inspecting a container"):
                state = (await docker.containers.container(name).show())["State"]
                return (
                    f"{state['Status']}, exit code {state['ExitCode']}, out of memory: {state['OOMKilled']}"
                )
        return ""

    async def containers(self, install: str, root: str) -> list[str]:
        """Names of the containers of this install and data folder (`lease.identity`), running or not."""
        docker = await self._docker()
        labels = {INSTALL_LABEL: install, ROOT_LABEL: root, KIND_LABEL: KIND}
        filters = {"label": [f"{label}={value}" for label, value in labels.items()]}
        async with deadline(CALL_SECONDS, "listing containers"):
            found = await docker.containers.list(all=True, filters=filters)
        return [name.removeprefix("/") for container in found for name in container["Names"][:1]]

    async def _docker(self) -> aiodocker.Docker:
        if self._client is None:
            try:
                client = await self._stack.enter_async_context(aiodocker.Docker())
            except AssertionError as error:  # aiodocker's way to say that it found no socket
                message = "there is no Docker engine: no socket was found and DOCKER_HOST is not set"
                raise SandboxUnavailable(message) from error
            # Every attached stream holds one of the connector's 100 connections.
            client.connector._limit = 0  # pyright: ignore[reportPrivateUsage]  # there is no public way
            self._client = client
        return self._client


class NameTaken(SandboxUnavailable):
    """Another container has the name, so this one did not get it."""

    def __init__(self, name: str) -> None:
        super().__init__(f"a container named {name} exists already")
