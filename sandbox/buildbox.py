"""Containers that a build makes for a moment: removed afterwards, and by the next build if it was killed."""

# aiodocker leaves its keyword arguments untyped.
# pyright: reportUnknownMemberType=false

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import aiodocker
from aiodocker.containers import DockerContainer
from aiodocker.exceptions import DockerError

from sandbox.engine import CALL_SECONDS, deadline
from sandbox.tasks import undisturbed

LABEL = "deckhand.build"


@dataclass(frozen=True, slots=True)
class BuildBoxes:
    docker: aiodocker.Docker
    owner: str
    """Whose builds they serve. Only one of them is under way at a time: its lock is held around all this."""

    @asynccontextmanager
    async def box(self, config: Mapping[str, Any], doing: str) -> AsyncGenerator[DockerContainer]:
        """A container that has not been started. Raises: SandboxUnavailable; ImageMissing."""
        made: list[DockerContainer] = []

        async def make() -> None:
            labelled = {**config, "Labels": {LABEL: self.owner}}
            async with deadline(CALL_SECONDS, doing, image=config["Image"]):
                made.append(await self.docker.containers.create(labelled))

        try:
            await undisturbed(make())  # else a cancellation might leave one that nobody knows of
            yield made[0]
        finally:
            await undisturbed(_remove(made))

    async def sweep(self) -> None:
        """Remove what a build left that was killed."""
        filters = {"label": [f"{LABEL}={self.owner}"]}
        async with deadline(CALL_SECONDS, "listing containers"):
            left = await self.docker.containers.list(all=True, filters=filters)
        await _remove(left)


async def _remove(containers: list[DockerContainer]) -> None:
    for container in containers:
        async with deadline(CALL_SECONDS, "removing a container"):
            try:
                await container.delete(force=True, v=True)
            except DockerError as error:
                if error.status != 404:
                    raise
