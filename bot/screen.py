"""What a terminal shows: a live checklist where it can, else plain lines, and nothing that it would obey."""

import os
from collections.abc import Callable
from typing import TextIO

from rich.console import Console, Group
from rich.control import Control
from rich.live import Live
from rich.markdown import Markdown
from rich.text import Text

from bot.chat import Message, MessageKind
from sandbox.names import clean_text

PLAIN_WIDTH = 160
"""Columns of tables that are written to a file or a pipe."""
PROMPT = "> "


class _Console(Console):
    """A console that outlives its reader. Rich would raise SystemExit in the task that happens to write."""

    on_closed: Callable[[], object] | None = None

    def on_broken_pipe(self) -> None:
        self.quiet = True
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self.file.fileno())  # Python would complain of the pipe once more at exit
        os.close(nowhere)
        if self.on_closed is not None:
            self.on_closed()


def open_console(stream: TextIO) -> Console:
    """A console that writes control characters to a terminal only, whatever FORCE_COLOR says."""
    if stream.isatty():
        return _Console(file=stream, markup=False, highlight=False, emoji=False)
    return _Console(
        file=stream,
        markup=False,
        highlight=False,
        emoji=False,
        force_terminal=False,
        color_system=None,
        width=PLAIN_WIDTH,
        legacy_windows=False,
    )


class Screen:
    """Answers go to `out`, all else to `notes`, so that a script can read the answer alone."""

    def __init__(self, out: Console, notes: Console) -> None:
        self.out = out
        self.notes = notes
        self.closed = False
        """Whether the reader of our output has gone."""
        self.on_closed: Callable[[], object] | None = None
        """Called once, when the reader goes."""
        self._prompting = False
        self._live: Live | None = None
        self._frames: dict[str, Message] = {}
        """Progress messages that are not settled, by their ids."""
        self._told: dict[str, set[str]] = {}
        """Lines of them that were written already, where there is no live display."""
        for console in (out, notes):
            if isinstance(console, _Console):
                console.on_closed = self._reader_gone

    @property
    def is_live(self) -> bool:
        return self.notes.is_terminal and not self.notes.is_dumb_terminal

    def show(self, key: str, message: Message) -> None:
        """Write a message, or the next frame of one that was shown under the same key."""
        if message.kind is MessageKind.PROGRESS:
            self._frames[key] = message
            self._redraw() if self.is_live else self._tell_news(key, message.text)
        elif message.kind is MessageKind.SETTLED:
            self._frames.pop(key, None)
            if self.is_live:
                self._apart(self.notes, _frame(message))
            else:
                self._tell_news(key, f"{message.text}\n{message.footer}")
                del self._told[key]
        else:
            console = self.out if message.kind is MessageKind.ANSWER else self.notes
            self._apart(console, _body(message, live=console.is_terminal))

    def say(self, text: str) -> None:
        """A line among the answers."""
        self._apart(self.out, Text(clean_text(text)))

    def ask(self) -> None:
        """A prompt stands below all else, until `asked`."""
        self._prompting = True
        if self.is_live:
            self._redraw()
        elif self.out.is_terminal:
            self.out.print(PROMPT, end="")

    def asked(self, line: str | None) -> None:
        """The person ended a line, which their terminal has echoed; None for the end of all lines."""
        self._prompting = False
        if self._live is None:
            return
        if line is None:
            self.close()
            if self._frames:
                self._redraw()
        else:
            self.notes.control(Control.move(0, -1))  # Enter took the cursor below what the display knows of
            self._apart(self.notes, Text(clean_text(f"{PROMPT}{line}")))

    def close(self) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None

    def _redraw(self) -> None:
        frames = [_frame(message) for message in self._frames.values()]
        if self._prompting:
            frames.append(Text(PROMPT, end=""))
        if self._live is None:
            self._live = Live(console=self.notes, auto_refresh=False, transient=True)
            self._live.start()
            self.notes.show_cursor(self._prompting)
        self._live.update(Group(*frames), refresh=True)

    def _apart(self, console: Console, body: Text | Markdown) -> None:
        """Write something that stays, with the live part below it."""
        self.close()
        console.print(body, soft_wrap=not console.is_terminal)
        if (self._frames or self._prompting) and self.is_live:
            self._redraw()

    def _reader_gone(self) -> None:
        first, self.closed = not self.closed, True
        if first and self.on_closed is not None:
            self.on_closed()

    def _tell_news(self, key: str, text: str) -> None:
        told = self._told.setdefault(key, set())
        for line in clean_text(text).splitlines():
            if line and line not in told:
                told.add(line)
                self.notes.print(Text(line), soft_wrap=True)


def _frame(message: Message) -> Text:
    text = Text(no_wrap=True, overflow="ellipsis")
    for line in clean_text(message.text).splitlines():
        text.append(f"{line}\n", style="dim" if line.startswith(" ") else "")
    text.append(clean_text(message.footer), style="bold")
    return text


def _body(message: Message, *, live: bool) -> Text | Markdown:
    clean = clean_text(message.text)
    if message.kind is MessageKind.ANSWER and live:
        return Markdown(clean, hyperlinks=False)
    return Text(clean)
