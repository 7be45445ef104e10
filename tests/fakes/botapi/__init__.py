"""A strict Telegram Bot API server for tests: real HTTP on loopback, and people who write to the bot.

    async with BotApi() as server:
        ann = server.person(7, "Ann", language_code="en")
        chat = server.private(ann)
        # start the product with server.token and server.url, in this process or as a child
        await chat.say("/start")
        hello = await chat.answer("Hello")
        assert not hello.silent and not server.refused()

Three parts. `World` (world.py) is what Telegram knows: people, chats, files, updates. `LiveChat` (acting.py,
chats.py) is how a test acts as a person and reads what the person sees. `BotApi` (server.py) is the world
with its HTTP door: it checks each request against aiogram's models (wire.py), then against the rules of the
API in Telegram's own words (limits.py, markup.py, sending.py, editing.py), and breaks what a test tells it to
break (faults.py).

A rule of ours that is stricter than Telegram's says so where it stands.
"""

from tests.fakes.botapi.acting import LiveChat, Press
from tests.fakes.botapi.chats import Chat
from tests.fakes.botapi.errors import ApiError
from tests.fakes.botapi.faults import SERVER_ERROR, Cut, Fault, Flood, Hang, HtmlPage, Moment, Refusal, Slow
from tests.fakes.botapi.files import Sent, StoredFile
from tests.fakes.botapi.messages import Button, Post, Topic, Version
from tests.fakes.botapi.people import Person
from tests.fakes.botapi.server import TOKEN, BotApi
from tests.fakes.botapi.world import Call

__all__ = [
    "SERVER_ERROR",
    "TOKEN",
    "ApiError",
    "BotApi",
    "Button",
    "Call",
    "Chat",
    "Cut",
    "Fault",
    "Flood",
    "Hang",
    "HtmlPage",
    "LiveChat",
    "Moment",
    "Person",
    "Post",
    "Press",
    "Refusal",
    "Sent",
    "Slow",
    "StoredFile",
    "Topic",
    "Version",
]
