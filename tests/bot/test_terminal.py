import asyncio
import io
import os
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from bot.app import App, open_app
from bot.chat import ChatRef, Delivered, Event
from bot.errors import FileRefused
from bot.screen import Screen, open_console
from bot.service import serve
from bot.settings import Settings
from bot.stores import Store
from bot.terminal import Terminal, attachment
from bot.texts import Language, texts
from storage.records import RunStatus
from tests.bot.fakes import FakeAgent

CHAT = ChatRef("terminal", "t1")


class Desk:
    """A terminal without a tty, and what stood on it in the end."""

    def __init__(self, *typed: str, out: Path | None = None, replace: bool = False) -> None:
        self.out, self.notes = io.StringIO(), io.StringIO()
        screen = Screen(open_console(self.out), open_console(self.notes))
        t = texts(Language.ENGLISH)
        self.terminal = Terminal(screen, t, CHAT, typed=self._lines(typed), out=out, replace=replace)

    async def _lines(self, typed: tuple[str, ...]) -> AsyncGenerator[str]:
        for line in typed:
            yield line


def result(tmp_path: Path, name: str = "deck.pptx", content: str = "new") -> Delivered:
    path = tmp_path / "made" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(content)
    return Delivered(name=name, path=path, size=len(content))


async def chat(desk: Desk, settings: Settings, store: Store) -> App:
    async with open_app(settings, {"terminal": desk.terminal}, agent=FakeAgent(store.runs)) as app:

        async def receive(event: Event) -> None:
            await app.gateway.receive(event)
            await app.dispatcher.idle()

        await desk.terminal.serve(receive)
        return app


async def test_a_conversation_keeps_its_files_for_what_is_asked_next(
    settings: Settings, store: Store, tmp_path: Path
) -> None:
    (tmp_path / "a.csv").write_text("x\n1\n")
    desk = Desk(f"/file {tmp_path / 'a.csv'}", "what is in it?", "and how much?", "/files")
    await chat(desk, settings, store)
    runs = await store.runs.list()
    assert [[item.name for item in run.inputs] for run in runs] == [["a.csv"], ["a.csv"]]
    assert desk.out.getvalue().count("**42** it is.") == 2
    assert "Ready: a.csv. What shall I do with it?" in desk.out.getvalue()
    assert "a.csv — 4 B" in desk.notes.getvalue()


async def test_a_file_that_is_not_there_is_told_and_the_chat_goes_on(
    settings: Settings, store: Store
) -> None:
    desk = Desk("/file nothing.csv", "hello")
    await chat(desk, settings, store)
    assert "There is no file “nothing.csv”." in desk.out.getvalue()
    assert len(await store.runs.list()) == 1


async def test_without_a_tty_there_is_not_one_control_character(settings: Settings, store: Store) -> None:
    desk = Desk("hello \x1b[31mred", "/plan", "/help")
    await chat(desk, settings, store)
    text = desk.out.getvalue() + desk.notes.getvalue()
    assert not [c for c in text if ord(c) < 32 and c != "\n"]
    assert "● Look at the data" in text


async def test_without_a_folder_the_paths_are_shown(tmp_path: Path) -> None:
    desk = Desk()
    await desk.terminal.attach(CHAT, [result(tmp_path)])
    assert str(tmp_path / "made" / "deck.pptx") in desk.out.getvalue()


async def test_a_file_of_the_person_is_never_overwritten_silently(tmp_path: Path) -> None:
    (tmp_path / "deck.pptx").write_text("mine")
    desk = Desk(out=tmp_path)
    await desk.terminal.attach(CHAT, [result(tmp_path), result(tmp_path)])
    assert (tmp_path / "deck.pptx").read_text() == "mine"
    assert (tmp_path / "deck (2).pptx").read_text() == "new"
    assert (tmp_path / "deck (3).pptx").exists()


async def test_it_is_overwritten_when_the_person_said_so(tmp_path: Path) -> None:
    (tmp_path / "deck.pptx").write_text("mine")
    await Desk(out=tmp_path, replace=True).terminal.attach(CHAT, [result(tmp_path)])
    assert (tmp_path / "deck.pptx").read_text() == "new"


async def test_a_folder_that_went_away_is_a_refusal_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("a file now")
    with pytest.raises(FileRefused, match=r"deck\.pptx"):
        await Desk(out=tmp_path / "out").terminal.attach(CHAT, [result(tmp_path)])


async def test_a_parcel_is_copied_as_a_whole_or_not_at_all(tmp_path: Path) -> None:
    missing = Delivered(name="gone.csv", path=tmp_path / "gone.csv", size=1)
    with pytest.raises(FileRefused, match=r"gone\.csv"):
        await Desk(out=tmp_path / "out").terminal.attach(CHAT, [result(tmp_path), missing])
    assert list((tmp_path / "out").iterdir()) == []


async def test_a_file_is_fetched_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    path.write_bytes(bytes(3 << 20))
    chunks = [chunk async for chunk in Desk().terminal.fetch(attachment(path))]
    assert (sum(map(len, chunks)), max(map(len, chunks))) == (3 << 20, 1 << 20)


async def test_a_pipe_is_a_file_too_and_its_size_shows_at_its_end(tmp_path: Path) -> None:
    pipe = tmp_path / "rows"
    os.mkfifo(pipe)
    writer = asyncio.create_task(asyncio.to_thread(pipe.write_text, "x\n1\n"))
    given = attachment(pipe)
    assert given.size is None
    assert b"".join([chunk async for chunk in Desk().terminal.fetch(given)]) == b"x\n1\n"
    await writer


class Conversation:
    """A chat whose lines are typed one at a time, at an agent that waits before each answer."""

    def __init__(self, settings: Settings, store: Store) -> None:
        self.settings = settings
        self.gate = asyncio.Event()
        self.agent = FakeAgent(store.runs, gate=self.gate)
        self.typed: asyncio.Queue[str | None] = asyncio.Queue()
        self.desk = Desk()
        self.desk.terminal = Terminal(
            Screen(open_console(self.desk.out), open_console(self.desk.notes)),
            texts(Language.ENGLISH),
            CHAT,
            typed=self._lines(),
        )

    async def _lines(self) -> AsyncGenerator[str]:
        while (line := await self.typed.get()) is not None:
            yield line

    async def says(self, words: str) -> None:
        """Wait until it is shown."""
        async with asyncio.timeout(10):
            while words not in self.desk.out.getvalue() + self.desk.notes.getvalue():  # noqa: ASYNC110 - see below
                await asyncio.sleep(0.01)  # what is shown is a file, which tells nobody

    async def hold(self) -> None:
        async with open_app(self.settings, {"terminal": self.desk.terminal}, agent=self.agent) as app:
            await serve(app, self.desk.terminal)


async def test_commands_never_wait_behind_a_run(settings: Settings, store: Store) -> None:
    chat = Conversation(settings, store)
    async with asyncio.TaskGroup() as group:
        group.create_task(chat.hold())
        chat.typed.put_nowait("explore")
        await chat.says("● Look at the data")
        chat.typed.put_nowait("/status")
        await chat.says("Working on “explore”")
        chat.typed.put_nowait("/plan")
        await chat.says("○ Make the deck\n")
        chat.typed.put_nowait("/cancel")
        await chat.says("Stopped, as you wished.")
        chat.typed.put_nowait(None)
    assert [run.status for run in await store.runs.list()] == [RunStatus.CANCELLED]


async def test_a_second_request_is_told_that_it_waits_and_the_end_of_lines_waits_for_both(
    settings: Settings, store: Store
) -> None:
    chat = Conversation(settings, store)
    async with asyncio.TaskGroup() as group:
        group.create_task(chat.hold())
        for line in ("explore", "and make a deck", None):
            chat.typed.put_nowait(line)
        await chat.says("then yours")
        assert "**42**" not in chat.desk.out.getvalue()
        chat.gate.set()
    assert chat.desk.out.getvalue().count("**42** it is.") == 2
