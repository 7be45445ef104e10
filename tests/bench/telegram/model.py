"""A recorded model in a process of its own, so that its work does not stand in the way of the clock."""

import asyncio
import sys

from tests.replay.player import play
from tests.replay.replay import recordings


async def main(name: str) -> None:
    (recording,) = [found for found in recordings() if found.name == name]
    async with play(recording.exchanges, strict=False) as player:
        assert player.endpoint is not None
        sys.stdout.write(f"{player.endpoint.url}\n")
        sys.stdout.flush()
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
