"""A client in a process of its own, killed at the worst moments."""

import asyncio
import sys

from tests.fakes.botapi import BotApi, Call, LiveChat

CLIENT = """
import json, sys
from urllib.parse import urlencode
from urllib.request import urlopen

def call(method, **fields):
    token, url = sys.argv[1:]
    with urlopen(f"{url}/bot{token}/{method}", data=urlencode(fields).encode()) as answer:
        return json.load(answer)["result"]

offset = 0
while True:
    for update in call("getUpdates", offset=offset, timeout=20):
        call("sendMessage", chat_id=7, text="heard " + update["message"]["text"])
        offset = update["update_id"] + 1
"""


async def client(server: BotApi) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(sys.executable, "-c", CLIENT, server.token, server.url)


async def test_what_a_killed_client_did_not_confirm_comes_again(server: BotApi, chat: LiveChat) -> None:
    """It was killed after its answer took effect and before it knew: so the answer comes twice."""
    first = await client(server)

    def kill(call: Call) -> None:
        first.kill()

    undo = server.on("sendMessage", kill, after=True)
    await chat.say("hello")
    assert await first.wait() == -9
    undo()
    assert [update["message"]["text"] for update in server.updates.pending] == ["hello"]
    second = await client(server)
    await chat.until(lambda chat: len(chat.answers) == 2, 30)
    await server.until(lambda: not server.updates.pending, 30)
    assert [post.text for post in chat.answers] == ["heard hello", "heard hello"]
    second.kill()
    await second.wait()
