"""A kill in the middle of an upload: one answer, no file twice, and the chat reads of the doubt."""

import asyncio
from pathlib import Path

import pytest

from tests.e2e.telegram import TelegramBot
from tests.fakes.botapi import BotApi, Call, LiveChat

TITANIC = Path("examples/titanic/titanic.csv").absolute()


def files(chat: LiveChat) -> list[bytes]:
    return [file.data for file in (*chat.photos, *chat.documents)]


@pytest.mark.docker
@pytest.mark.usefixtures("docker_policy")
async def test_a_kill_in_the_middle_of_an_upload_doubles_no_file(tmp_path: Path) -> None:
    async with BotApi() as server:
        chat = server.private(server.person(7, "Ann", language_code="en"))
        bot = TelegramBot(tmp_path, server)
        await bot.admit(7)
        process = await bot.start()

        def kill(call: Call) -> None:
            del call
            undo()
            process.kill()

        undo = server.on("sendMediaGroup", kill)  # Telegram gets it nevertheless
        data = await asyncio.to_thread(TITANIC.read_bytes)
        await chat.send(
            [(TITANIC.name, data, "text/csv")],
            "Explore this data and make a deck: who survived?",
        )
        await asyncio.wait_for(process.wait(), 120)
        before = files(chat)
        await bot.start()
        await chat.until(
            lambda chat: any("The connection broke off" in post.text for post in chat.answers), seconds=60
        )
        assert await bot.stop() == 0
        after = files(chat)
        assert before
        assert after[: len(before)] == before
        assert len(after) == len(set(after))
        assert sum(len(post.text) > 200 for post in chat.answers) == 1
        assert not [post for post in chat.answers if post.text == "Your answer is ready."]
        assert server.token not in bot.log
