"""A chat as it is: its members, topics and messages, and what a test reads from it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from tests.fakes.botapi.messages import Post, Topic, Version

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from tests.fakes.botapi.files import StoredFile
    from tests.fakes.botapi.people import Person
    from tests.fakes.botapi.world import World

    T = TypeVar("T")


class Chat:
    """`bot_status` is Telegram's: member, administrator, left, kicked (in a private chat: blocked)."""

    def __init__(
        self, world: World, chat_id: int, kind: str, *, title: str = "", forum: bool = False
    ) -> None:
        self.world = world
        self.id = chat_id
        self.kind = kind
        """private, group (a basic one), supergroup, channel."""
        self.title = title
        self.forum = forum
        self.members: dict[int, Person] = {}
        self.admins: set[int] = set()
        self.bot_status = "member"
        self.deactivated = False
        """Private: the person's account is no more."""
        self.forbidden: set[str] = set()
        """Of text, documents, photos: what ordinary members, so the bot too, may not send."""
        self.general_closed = False
        self.migrated_to: int | None = None
        self.posts: dict[int, Post] = {}
        self.topics: dict[int, Topic] = {}
        self.last_id = 1
        """The first message of a supergroup tells of its creation: 1 is also the thread of General."""

    @property
    def private(self) -> bool:
        return self.kind == "private"

    @property
    def someone(self) -> Person:
        """The person of a private chat; of others the first member."""
        return next(iter(self.members.values()))

    def shown(self) -> dict[str, Any]:
        """The Chat object of the Bot API."""
        body: dict[str, Any] = {"id": self.id, "type": self.kind}
        if self.private:
            person = self.someone.shown()
            return body | {key: person[key] for key in ("first_name", "username") if key in person}
        return body | {"title": self.title} | ({"is_forum": True} if self.forum else {})

    def add(
        self, sender: Person | None, text: str = "", *, entities: Any = (), markup: Any = None, **facts: Any
    ) -> Post:
        """A new message; `facts` are Post's. Supergroups and channels count their own ids."""
        counter = self if self.kind in ("supergroup", "channel") else self.world
        counter.last_id += 1
        version = Version(text, list(entities), markup, facts.pop("rich", None), time.monotonic())
        post = Post(
            id=counter.last_id, chat=self, sender=sender, date=int(time.time()), versions=[version], **facts
        )
        replied = self.posts.get(post.reply_to or 0)
        if replied is not None and post.topic is None and self.kind == "supergroup":
            post.thread = replied.thread or replied.id
        self.posts[post.id] = post
        self.world.changed.fire()
        return post

    # What a test reads

    @property
    def messages(self) -> list[Post]:
        """Everything ever written here, deleted messages too, oldest first."""
        return list(self.posts.values())

    def visible(self) -> list[Post]:
        """What a person sees who opens the chat now."""
        return [post for post in self.messages if not post.deleted and not post.service]

    @property
    def answers(self) -> list[Post]:
        """The bot's visible messages."""
        return [post for post in self.visible() if post.by_bot]

    @property
    def documents(self) -> list[StoredFile]:
        """The bot's files, in the order of their messages."""
        return [file for post in self.answers for file in post.files if file.kind == "document"]

    @property
    def photos(self) -> list[StoredFile]:
        return [file for post in self.answers for file in post.files if file.kind == "photo"]

    def find(self, text: str) -> Post | None:
        """The bot's newest visible message that contains the text."""
        return next((post for post in reversed(self.answers) if text in post.text), None)

    def transcript(self) -> str:
        """For a failing test's reader."""
        return "\n".join(_line(post) for post in self.messages) or "(no messages)"

    async def until(self, holds: Callable[[Chat], T], seconds: float = 60) -> T:
        """What `holds` returned once it was true; it is asked at every change of the server.

        Raises:
            AssertionError: it was not in time; with the chat's transcript.
        """
        return await self.world.until(lambda: holds(self), seconds, self.transcript)

    async def answer(self, text: str, seconds: float = 60) -> Post:
        """Wait for a message of the bot that contains the text."""

        def found(chat: Chat) -> Post | None:
            return chat.find(text)

        post = await self.until(found, seconds)
        assert post is not None
        return post


def _line(post: Post) -> str:
    who = post.sender.name if post.sender else "(the chat)"
    gone = " deleted" if post.deleted else ""
    edits = f" edited {post.edits}x" if post.edits else ""
    files = "".join(f" [{file.kind} {file.name}]" for file in post.files)
    buttons = "".join(f" ({button.text})" for button in post.buttons)
    return f"{post.id} {who}{gone}{edits}: {post.text or post.service}{files}{buttons}"
