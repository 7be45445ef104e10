"""What people do in a chat, as a test says it: each act tells the bot what Telegram would tell it."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from aiogram.types import ChatMemberAdministrator

from tests.fakes.botapi.chats import Chat
from tests.fakes.botapi.files import Sent
from tests.fakes.botapi.limits import ALBUM, TEXT, dimensions
from tests.fakes.botapi.markup import Entities, units
from tests.fakes.botapi.messages import Post, Topic, Version
from tests.fakes.botapi.people import ANONYMOUS, Person, marks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.fakes.botapi.world import World

FileToSend = Sent | tuple[str, bytes, str]
"""Or its name, bytes and type."""


@dataclass(slots=True, eq=False)
class Press:
    """A press on a button, and what the bot answered to it."""

    id: str
    by: Person
    post: Post
    data: str
    world: World
    answers: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    expired: bool = False
    """Set it, and an answer comes too late."""

    async def answered(self, seconds: float = 30) -> str:
        """The toast that the person saw; empty where only the spinner stopped."""
        await self.world.until(lambda: self.answers, seconds, lambda: f"no answer to the press {self.data!r}")
        return str(self.answers[0].get("text") or "")


class LiveChat(Chat):
    """`by` is who acts: by default the chat's person, or its first member. Files go as `Sent` or a tuple."""

    async def say(
        self,
        text: str,
        *,
        by: Person | None = None,
        reply_to: Post | None = None,
        entities: Entities | None = None,
        topic: Topic | None = None,
        anonymous: bool = False,
    ) -> Post:
        """A text of at most 4096 units. Commands, mentions and links become entities, as they do there.

        `anonymous`: an admin writes as the group itself.
        """
        assert 0 < units(text) <= TEXT, "a client of Telegram would not send this text as one message"
        found = marks(text) if entities is None else entities
        post = self.add(
            self._author(by, anonymous=anonymous),
            text,
            entities=found,
            reply_to=reply_to.id if reply_to else None,
            topic=topic or (reply_to.topic if reply_to else None),
        )
        self._tell(post)
        return post

    async def paste(self, text: str, *, by: Person | None = None, topic: Topic | None = None) -> list[Post]:
        """A text of any length: a client of Telegram cuts it into messages of 4096 units."""
        pieces, piece = list[str](), ""
        for letter in text:
            if units(piece) + units(letter) > TEXT:
                pieces, piece = [*pieces, piece], ""
            piece += letter
        return [await self.say(piece, by=by, topic=topic) for piece in [*pieces, piece]]

    async def send(
        self,
        files: Sequence[FileToSend],
        caption: str = "",
        *,
        by: Person | None = None,
        album: bool | None = None,
        kind: str = "document",
        reply_to: Post | None = None,
        topic: Topic | None = None,
    ) -> list[Post]:
        """A message per file, the caption on the first. `album` is true for several files unless you say no.

        `kind`: document, photo, voice, audio, video, video_note, animation or sticker.
        """
        together = len(files) > 1 if album is None else album
        assert not together or len(files) <= ALBUM[-1], "a client of Telegram would send two albums"
        group = str(13_000_000_000 + self.world.number()) if together else ""
        posts: list[Post] = []
        for place, item in enumerate(files):
            sent = item if isinstance(item, Sent) else Sent(name=item[0], data=item[1], mime=item[2])
            width, height = dimensions(sent.data)
            text = caption if place == 0 else ""
            post = self.add(
                self._author(by),
                text,
                entities=marks(text),
                reply_to=reply_to.id if reply_to else None,
                topic=topic or (reply_to.topic if reply_to else None),
                files=(self.world.files.add(sent, kind, width=width, height=height),),
                album=group,
            )
            self._tell(post)
            posts.append(post)
        return posts

    async def edit(self, post: Post, text: str) -> None:
        """A person changes the text, or the caption, of an own message."""
        post.versions.append(Version(text, marks(text), None, None, time.monotonic()))
        post.edit_date = int(time.time())
        self._tell(post, "edited_")
        self.world.changed.fire()

    async def forward(self, post: Post, *, by: Person | None = None, topic: Topic | None = None) -> Post:
        """A message from anywhere is forwarded into this chat."""
        origin: dict[str, Any] = {"date": post.date}
        if post.sender is None:
            origin |= {"type": "channel", "chat": post.chat.shown(), "message_id": post.id}
        else:
            origin |= {"type": "user", "sender_user": post.sender.shown()}
        copy = self.add(
            self._author(by),
            post.text,
            entities=post.entities,
            files=post.files,
            forward=origin,
            topic=topic,
        )
        self._tell(copy)
        return copy

    async def press(
        self, post: Post, button: str, *, by: Person | None = None, anyway: bool = False
    ) -> Press:
        """Press the button with this text or data. `anyway`: with data that no button of the message has.

        Anybody can: an old client shows old buttons, a hostile one sends what it likes.
        """
        found = post.button(button)
        assert anyway or (found is not None and found.data), f"no button {button!r} in {post.buttons}"
        data = found.data if found is not None else button
        who = by or self.someone
        press = Press(f"{4_382_000_000 + self.world.number()}", who, post, data, self.world)
        self.world.presses[press.id] = press
        message = post.shown()
        if post.deleted:
            message = {"chat": self.shown(), "message_id": post.id, "date": 0}
        facts = {"id": press.id, "from": who.shown(), "message": message, "data": data}
        self.world.updates.put("callback_query", facts | {"chat_instance": str(self.id)})
        return press

    async def delete(self, post: Post) -> None:
        """A person deletes a message for everyone. No bot is told."""
        post.deleted = True
        self.world.changed.fire()

    # The bot comes and goes

    async def add_bot(self, by: Person | None = None, *, admin: bool = False) -> None:
        await self._set_status("administrator" if admin else "member", by)
        if not self.private and self.kind != "channel":
            self._tell(self.add(self._author(by), service={"new_chat_members": [self.world.bot.shown()]}))

    async def kick_bot(self, by: Person | None = None) -> None:
        await self._set_status("kicked", by)

    async def block(self) -> None:
        """The person of a private chat blocks the bot."""
        await self._set_status("kicked", None)

    async def unblock(self) -> None:
        await self._set_status("member", None)

    async def _set_status(self, status: str, by: Person | None) -> None:
        old, self.bot_status = self.bot_status, status
        self.tell_status(old, by or self.someone)

    def tell_status(self, old: str, by: Person) -> None:
        """my_chat_member, which comes even from a chat that the bot has just lost."""
        facts: dict[str, Any] = {"chat": self.shown(), "from": by.shown(), "date": int(time.time())}
        facts["old_chat_member"] = member(self.world.bot, old)
        facts["new_chat_member"] = member(self.world.bot, self.bot_status)
        self.world.updates.put("my_chat_member", facts)

    # The chat changes

    async def topic(self, name: str, *, by: Person | None = None) -> Topic:
        """A new topic of a forum, or of a private chat with topics."""
        assert self.forum, "this chat has no topics"
        color = {"forum_topic_created": {"name": name, "icon_color": 7322096}}
        post = self.add(self._author(by), service=color)
        post.topic = self.topics[post.id] = Topic(post.id, name)
        self._tell(post)
        return post.topic

    async def close_topic(self, topic: Topic | None = None) -> None:
        """The one given, or General. Only admins write there from now on."""
        if topic is None:
            self.general_closed = True
        else:
            topic.closed = True
        self._tell(self.add(self.someone, topic=topic, service={"forum_topic_closed": {}}))

    async def delete_topic(self, topic: Topic) -> None:
        """With all its messages. No bot is told."""
        topic.deleted = True
        for post in self.posts.values():
            post.deleted = post.deleted or post.topic is topic

    def restrict(self, *, text: bool = True, documents: bool = True, photos: bool = True) -> None:
        """What ordinary members may send from now on."""
        rights = {"text": text, "documents": documents, "photos": photos}
        self.forbidden = {name for name, given in rights.items() if not given}

    async def migrate(self) -> LiveChat:
        """A basic group becomes a supergroup: another chat with another id and new ids of messages."""
        assert self.kind == "group", "only a basic group becomes a supergroup"
        new = self.world.add_chat("supergroup", self.title, list(self.members.values()))
        new.admins, new.bot_status = set(self.admins), self.bot_status
        self._tell(self.add(self.someone, service={"migrate_to_chat_id": new.id}))
        self.migrated_to = new.id
        new._tell(new.add(ANONYMOUS, service={"migrate_from_chat_id": self.id}))
        return new

    def _author(self, by: Person | None, *, anonymous: bool = False) -> Person | None:
        if self.kind == "channel":
            return None
        return ANONYMOUS if anonymous else by or self.someone

    def _tell(self, post: Post, edited: str = "") -> None:
        """An update for the bot, if it is here and may read this."""
        if self.bot_status not in ("member", "administrator", "creator") or not self._readable(post):
            return
        kind = "channel_post" if self.kind == "channel" else "message"
        self.world.updates.put(edited + kind, post.shown())

    def _readable(self, post: Post) -> bool:
        """In a group, privacy mode keeps from the bot what is not meant for it."""
        if not self.world.privacy or self.private or self.bot_status == "administrator" or post.service:
            return True
        replied = self.posts.get(post.reply_to or 0)
        if replied is not None and replied.by_bot:
            return True
        named = f"@{self.world.bot.username}".lower() in post.text.lower()
        return named or any(entity["type"] == "bot_command" for entity in post.entities)


def member(person: Person, status: str) -> dict[str, Any]:
    """A ChatMember object."""
    facts: dict[str, Any] = {"status": status, "user": person.shown()}
    match status:
        case "kicked":
            return facts | {"until_date": 0}
        case "creator":
            return facts | {"is_anonymous": False}
        case "administrator":
            rights = ChatMemberAdministrator.model_fields.items()
            needed = {name for name, field in rights if field.is_required()} - {"user"}
            return dict.fromkeys(needed, False) | facts
        case _:
            return facts
