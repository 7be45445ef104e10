"""The terminal as a chat platform: `deckhand ask` and `deckhand chat`."""

import asyncio
import itertools
import shutil
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from pathlib import Path

from bot.chat import (
    Attachment,
    ChatRef,
    Delivered,
    Incoming,
    Message,
    MessageRef,
    OnEvent,
    Pace,
    Press,
    Sender,
)
from bot.delivery.deliverables import numbered
from bot.errors import FileRefused
from bot.prompt import read_line
from bot.screen import Screen
from bot.texts import Language, Texts

CHUNK = 1024 * 1024
PLATFORM = "terminal"
SENDER = Sender(id="local")
"""Whoever can start the program may use it."""
_WITH_FILES = ("/again", "/brand")
"""Commands that take the files that were named before them."""


class Terminal:
    """One person before one terminal, or a script in their place."""

    platform = PLATFORM
    lasting = False

    def __init__(
        self,
        screen: Screen,
        t: Texts,
        chat: ChatRef,
        *,
        language: Language | None = None,
        typed: AsyncGenerator[str] | None = None,
        out: Path | None = None,
        replace: bool = False,
        prompting: bool = False,
    ) -> None:
        """`typed`: the lines of a chat. `out`: where files are copied to, over older ones if `replace`.

        `prompting`: lines come from a keyboard, whose echo the display has to reckon with.
        """
        self._screen = screen
        self._t = t
        self._chat = chat
        self._language = language
        self._typed = typed
        self._out = out
        self._replace = replace
        self._prompting = prompting
        self._ids = itertools.count(1)

    def pace(self, chat: ChatRef) -> Pace:
        """A live display costs nothing, but a new frame hides a half-typed line; a log holds changes only."""
        del chat
        if self._prompting and self._screen.is_live:
            return Pace(gap=1.0, heartbeat=5.0)
        return Pace(gap=0.1, heartbeat=1.0) if self._screen.is_live else Pace(gap=0.0, heartbeat=None)

    async def serve(self, on_event: OnEvent) -> None:
        pending: list[Attachment] = []
        self._screen.say(self._t("chat-welcome"))
        self._ask()
        async for typed in self._typed or _nothing():
            if self._prompting:
                self._screen.asked(typed)
            line = read_line(typed)
            if line.missing is not None:
                self._screen.say(self._t("file-missing", name=line.missing))
            pending += [attachment(path) for path in line.files]
            if line.text:
                await on_event(self.incoming(line.text, pending))
                if not line.text.startswith("/") or line.text.startswith(_WITH_FILES):
                    pending = []
            elif line.files:
                names = ", ".join(item.name for item in pending)
                self._screen.say(self._t("file-attached", names=names, count=len(pending)))
            self._ask()
        if self._prompting:
            self._screen.asked(None)
        self._screen.say("")

    def incoming(self, text: str, attachments: Sequence[Attachment]) -> Incoming:
        return Incoming(
            chat=self._chat,
            sender=SENDER,
            text=text,
            attachments=tuple(attachments),
            language=self._language,
        )

    async def post(
        self, chat: ChatRef, message: Message, *, reply_to: MessageRef | None = None
    ) -> MessageRef:
        ref = MessageRef(chat=chat, message=str(next(self._ids)))
        self._screen.show(ref.message, message)
        return ref

    async def edit(self, ref: MessageRef, message: Message) -> None:
        self._screen.show(ref.message, message)

    def pages(self, message: Message) -> int:
        del message
        return 1

    def parcels(self, files: Sequence[Delivered]) -> tuple[tuple[Delivered, ...], ...]:
        return (tuple(files),) if files else ()

    async def attach(
        self, chat: ChatRef, parcel: Sequence[Delivered], *, reply_to: MessageRef | None = None
    ) -> None:
        places: list[Path] = []
        for file in parcel:
            try:
                places.append(await asyncio.to_thread(self._place, file))
            except OSError as fault:
                if self._out is not None:
                    for copy in places:
                        copy.unlink(missing_ok=True)
                raise FileRefused(file.name, fault.strerror or type(fault).__name__) from fault
        self._screen.say(self._t("files-here"))
        for place in places:
            self._screen.say(f"  {_near(place)}")

    async def react(self, ref: MessageRef) -> None:
        """Nothing to be seen."""

    async def toast(self, press: Press, text: str) -> None:
        """There are no buttons."""

    async def leave(self, chat: ChatRef) -> None:
        """There are no groups."""

    async def fetch(self, attachment: Attachment) -> AsyncIterator[bytes]:
        file = await asyncio.to_thread(Path(attachment.handle).open, "rb")
        try:
            while chunk := await asyncio.to_thread(file.read, CHUNK):
                yield chunk
        finally:
            file.close()

    def _place(self, file: Delivered) -> Path:
        return file.path if self._out is None else self._copy(file, self._out)

    def _copy(self, file: Delivered, folder: Path) -> Path:
        place = folder / file.name
        if not self._replace:
            place = next(folder / name for name in numbered(file.name) if not (folder / name).exists())
        place.parent.mkdir(parents=True, exist_ok=True)
        return Path(shutil.copyfile(file.path, place))

    def _ask(self) -> None:
        if self._prompting:
            self._screen.ask()


def attachment(path: Path) -> Attachment:
    """Raises:
    OSError: there is no such file.
    """
    size = path.stat().st_size if path.is_file() else None  # a pipe has its size at its end
    return Attachment(name=path.name, handle=str(path.absolute()), size=size)


def _near(path: Path) -> str:
    """Relative when it lies below the current directory: shorter, and ready to be clicked."""
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)


async def _nothing() -> AsyncGenerator[str]:
    for line in ():
        yield line
