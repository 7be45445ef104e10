"""One message of a chat with all its versions, and what Telegram tells a bot about it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.fakes.botapi.chats import Chat
    from tests.fakes.botapi.files import StoredFile
    from tests.fakes.botapi.markup import Entities
    from tests.fakes.botapi.people import Person


@dataclass(slots=True)
class Topic:
    """Of a forum. Its id is the id of the service message that created it."""

    id: int
    name: str
    closed: bool = False
    deleted: bool = False


@dataclass(frozen=True, slots=True)
class Button:
    text: str
    data: str
    """Empty for one that is no callback: a link, say."""
    raw: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Version:
    text: str
    """Or the caption."""
    entities: Entities
    markup: dict[str, Any] | None
    rich: dict[str, Any] | None
    at: float
    """On the clock of `time.monotonic`."""

    def same(self, other: Version) -> bool:
        return (self.text, self.entities, self.markup, self.rich) == (
            other.text,
            other.entities,
            other.markup,
            other.rich,
        )

    @property
    def buttons(self) -> list[Button]:
        rows = (self.markup or {}).get("inline_keyboard", [])
        found = [button for row in rows for button in row] + _rich_buttons(self.rich)
        return [Button(str(raw["text"]), str(raw.get("callback_data", "")), raw) for raw in found]


@dataclass(slots=True, kw_only=True, eq=False)
class Post:
    """A message as the server keeps it. Its facts are those of the last version."""

    id: int
    chat: Chat
    sender: Person | None
    """None: the channel, or the group itself."""
    date: int
    versions: list[Version]
    silent: bool = False
    reply_to: int | None = None
    topic: Topic | None = None
    thread: int | None = None
    """The first message of a chain of replies in a supergroup: such a message_thread_id is no topic."""
    files: tuple[StoredFile, ...] = ()
    album: str = ""
    service: dict[str, Any] = field(default_factory=dict[str, Any])
    """Fields of a message that nobody wrote: somebody joined, a topic was made, …"""
    forward: dict[str, Any] | None = None
    edit_date: int | None = None
    deleted: bool = False
    by_bot: bool = False

    @property
    def text(self) -> str:
        return self.versions[-1].text

    @property
    def entities(self) -> Entities:
        return self.versions[-1].entities

    @property
    def buttons(self) -> list[Button]:
        return self.versions[-1].buttons

    @property
    def rich(self) -> dict[str, Any] | None:
        """The rich message as it was sent, uploads replaced by the ids of files."""
        return self.versions[-1].rich

    @property
    def at(self) -> float:
        return self.versions[0].at

    @property
    def edits(self) -> int:
        return len(self.versions) - 1

    @property
    def file(self) -> StoredFile | None:
        return self.files[0] if self.files else None

    def button(self, name: str) -> Button | None:
        """By its text or its data."""
        return next((button for button in self.buttons if name in (button.text, button.data)), None)

    def shown(self, *, with_reply: bool = True) -> dict[str, Any]:
        """The Message object of the Bot API."""
        body: dict[str, Any] = {"message_id": self.id, "date": self.date, "chat": self.chat.shown()}
        if self.sender is not None:
            body["from"] = self.sender.shown()
        if self.sender is None or self.sender.username == "GroupAnonymousBot":
            body["sender_chat"] = self.chat.shown()
        if self.topic is not None:
            body |= {"message_thread_id": self.topic.id, "is_topic_message": True}
        elif self.thread is not None:
            body["message_thread_id"] = self.thread
        if with_reply and (replied := self._replied()) is not None:
            body["reply_to_message"] = replied.shown(with_reply=False)
        body |= self._content()
        facts = {"media_group_id": self.album, "forward_origin": self.forward, "edit_date": self.edit_date}
        return body | {name: fact for name, fact in facts.items() if fact} | self.service

    def _replied(self) -> Post | None:
        """In a topic, a message that replies to nothing is told as a reply to the topic's first one."""
        named = self.reply_to if self.reply_to is not None else self.topic and self.topic.id
        found = self.chat.posts.get(named) if named is not None else None
        return found if found is not None and not found.deleted and found is not self else None

    def _content(self) -> dict[str, Any]:
        now, body = self.versions[-1], dict[str, Any]()
        if now.rich is not None:
            body["rich_message"] = {"blocks": [{"type": "paragraph", "text": now.text}]}
        elif self.file is not None:
            body |= media_of(self.file)
            body |= {"caption": now.text} if now.text else {}
            body |= {"caption_entities": now.entities} if now.entities else {}
        else:
            body |= {"text": now.text} if now.text else {}
            body |= {"entities": now.entities} if now.entities else {}
        if now.markup and "inline_keyboard" in now.markup:
            body["reply_markup"] = now.markup
        return body


def media_of(file: StoredFile) -> dict[str, Any]:
    """The field of a Message that carries this file."""
    ids = {"file_id": file.id, "file_unique_id": file.unique_id, "file_size": file.size}
    sides = {"width": file.width or 640, "height": file.height or 480}
    named = ids | {"file_name": file.name, "mime_type": file.mime}
    match file.kind:
        case "photo":
            small = ids | {"file_id": f"{file.id}s", "file_unique_id": f"{file.unique_id}s", "file_size": 1}
            return {"photo": [small | {"width": 90, "height": 90}, ids | sides]}
        case "voice":
            return {"voice": ids | {"duration": 1, "mime_type": file.mime}}
        case "audio":
            return {"audio": named | {"duration": 1}}
        case "video":
            return {"video": named | sides | {"duration": 1}}
        case "video_note":
            return {"video_note": ids | {"duration": 1, "length": 240}}
        case "sticker":
            kind = {"type": "regular", "is_animated": False, "is_video": False}
            return {"sticker": ids | {"width": 512, "height": 512} | kind}
        case "animation":
            return {"animation": named | sides | {"duration": 1}, "document": named}
        case _:
            return {"document": named}


def _rich_buttons(value: Any) -> list[dict[str, Any]]:
    """The buttons inside a rich message's blocks."""
    if isinstance(value, dict):
        own = [value] if "callback_data" in value and "text" in value else []
        return own + [button for item in value.values() for button in _rich_buttons(item)]
    if isinstance(value, list):
        return [button for item in value for button in _rich_buttons(item)]
    return []
