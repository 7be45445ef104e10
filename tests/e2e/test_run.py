"""`deckhand run` as a person starts it, with a Bot API server of our own in Telegram's place."""

import asyncio
import json
import re
import signal
from asyncio.subprocess import Process
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import aiohttp
import pytest

from tests.e2e.product import Product, free_port
from tests.e2e.test_crash import Model, of_todos
from tests.endpoint import serve
from tests.fakes.botapi import BotApi

pytestmark = [pytest.mark.docker, pytest.mark.usefixtures("docker_policy")]


@dataclass
class Running:
    process: Process
    printed: list[str] = field(default_factory=list[str])

    async def line(self, pattern: str) -> str:
        """The first line with it, which may yet come."""
        assert self.process.stdout is not None
        async with asyncio.timeout(60):
            while not (found := [line for line in self.printed if re.search(pattern, line)]):
                read = (await self.process.stdout.readline()).decode()
                assert read, self.printed
                self.printed.append(read)
        return found[0]

    async def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        await asyncio.wait_for(self.process.communicate(), 60)
        return self.process.returncode or 0


@asynccontextmanager
async def running(product: Product, server: BotApi, **settings: str) -> AsyncGenerator[Running]:
    telegram = {"TELEGRAM_BOT_TOKEN": server.token, "TELEGRAM_API_URL": server.url}
    process = await product.start("run", **(telegram | settings))
    try:
        yield Running(process)
    finally:
        if process.returncode is None:
            process.kill()
            await process.communicate()


async def test_a_bot_greets_pairs_and_ends_with_0_when_it_is_told_to(tmp_path: Path) -> None:
    async with BotApi() as server:
        address = f"127.0.0.1:{free_port()}"
        async with running(Product(tmp_path), server, DECKHAND_HTTP=address) as bot:
            assert "@deckhand_bot" in await bot.line("Serving")
            code = re.findall(r"/start \S+", await bot.line("/start"))[0]
            chat = server.private(server.person(7, "Ann"))
            await chat.say(code)
            await chat.until(lambda found: found.answers, seconds=30)
            async with aiohttp.ClientSession() as client, client.get(f"http://{address}/health") as answer:
                assert (answer.status, json.loads(await answer.text())["problems"]) == (200, [])
            assert await bot.stop() == 0
        assert not server.updates.pending, "a message was left unconfirmed"


async def test_a_wrong_token_ends_with_a_sentence_and_code_2(tmp_path: Path) -> None:
    async with BotApi() as server:
        async with running(Product(tmp_path), server, TELEGRAM_BOT_TOKEN="42:" + "B" * 35) as bot:
            printed = b"".join(await asyncio.wait_for(bot.process.communicate(), 60)).decode()
        assert (bot.process.returncode, "Telegram does not know this bot" in printed) == (2, True)
        assert "BBBBBB" not in printed


async def test_an_upgrade_with_a_run_in_flight_ends_in_one_answer(tmp_path: Path) -> None:
    """Stopped in a script's turn and started again: nobody has to ask a second time."""
    model = Model(hang_at=("two", 0))
    async with BotApi() as server, serve(model.respond) as endpoint:
        product = Product(tmp_path, endpoint.url)
        chat = server.private(server.person(7, "Ann"))
        async with running(product, server) as bot:
            await chat.say(re.findall(r"/start \S+", await bot.line("/start"))[0])
            await chat.until(lambda found: found.answers, seconds=30)
            await chat.say("What is the figure?")
            await asyncio.wait_for(model.reached.wait(), 60)
            assert await bot.stop() == 0
        assert not [post for post in chat.answers if "The figure is 42" in post.text]

        model.hang_at = None
        async with running(product, server) as bot:
            await chat.until(
                lambda found: [post for post in found.answers if "The figure is 42" in post.text], seconds=90
            )
            assert await bot.stop() == 0
        assert sum("The figure is 42" in post.text for post in chat.answers) == 1
        assert of_todos(product) == ["quick.py", "slow.py"]
        assert product.containers() == []
