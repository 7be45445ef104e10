"""The main jobs over Telegram: the product as a process, real containers, a Bot API server of our own."""

import io
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd
import pytest
from openpyxl import load_workbook

from bot.settings import Settings
from bot.stores import Store, open_store
from storage.records import Run, RunStatus
from tests.bot.telegram.conftest import png
from tests.e2e.product import ROOT
from tests.e2e.telegram import TelegramBot
from tests.endpoint import completion, in_turn, serve
from tests.fakes.botapi import BotApi, LiveChat, StoredFile
from tests.replay.player import play
from tests.replay.replay import RECORDINGS, Recording

pytestmark = [pytest.mark.docker, pytest.mark.usefixtures("docker_policy")]

SAMPLE = ("titanic.csv", (ROOT / "examples" / "titanic" / "titanic.csv").read_bytes(), "text/csv")
ANN, BEN = 7, 8
HEADS = ("region", "first quarter", "second quarter", "third quarter", "fourth quarter", "whole year")
LOCKED = bytes.fromhex("d0cf11e0a1b11ae1") + bytes(504) + "EncryptedPackage".encode("utf-16-le")


@dataclass
class Town:
    bot: TelegramBot
    server: BotApi
    ann: LiveChat
    """Who speaks Russian."""
    ben: LiveChat
    """Who speaks English."""
    kept: dict[str, dict[str, bytes]] = field(default_factory=dict[str, dict[str, bytes]])
    """The input files of each run as the store has them; known once the bot has ended."""
    runs: list[Run] = field(default_factory=list[Run])
    """The oldest first; known once the bot has ended."""

    def out(self, run: Run) -> dict[str, bytes]:
        """What lies in the run's folder."""
        out = self.bot.data / "runs" / run.id / "out"
        return {path.name: path.read_bytes() for path in out.rglob("*") if path.is_file()}

    def of(self, chat: LiveChat) -> list[Run]:
        return [run for run in self.runs if run.sender == str(chat.id)]


@asynccontextmanager
async def town(folder: Path, model: str = "") -> AsyncGenerator[Town]:
    """From the start of a bot that knows two people to its orderly end."""
    async with BotApi() as server:
        ann = server.private(server.person(ANN, "Аня", language_code="ru"))
        ben = server.private(server.person(BEN, "Ben", language_code="en"))
        bot = TelegramBot(folder, server, model)
        await bot.admit(ANN, BEN)
        await bot.start()
        found = Town(bot, server, ann, ben)
        try:
            yield found
        finally:
            code = await bot.stop()
        assert code == 0
        assert not server.refused(), server.refused()
        assert bot.containers() == []
        async with open_store(Settings(deckhand_data=bot.data)) as store:
            found.runs = list(reversed(await store.runs.list(100)))
            found.kept = {run.id: await inputs(store, run) for run in found.runs}


async def inputs(store: Store, run: Run) -> dict[str, bytes]:
    found = dict[str, bytes]()
    for item in run.inputs:
        found[item.original] = b"".join([chunk async for chunk in store.artifacts.open(item.artifact_id)])
    return found


async def settled(chat: LiveChat, count: int = 1) -> None:
    """Until so many runs are over as the chat shows it, and nothing more is said about them."""
    ends = ("✓", "✕", "■")
    await chat.until(
        lambda seen: sum(post.text.startswith(ends) for post in seen.answers) >= count, seconds=150
    )


async def deck_of(chat: LiveChat, number: int = 1) -> StoredFile:
    def decks(_: object) -> list[StoredFile]:
        return [file for file in chat.documents if file.name.endswith(".pptx")]

    await chat.until(lambda seen: len(decks(seen)) >= number, seconds=150)
    return decks(chat)[number - 1]


def said(chat: LiveChat) -> str:
    return "\n".join(post.text for post in chat.answers)


async def test_a_table_with_a_caption_becomes_a_deck_in_both_languages_and_can_be_talked_about(
    tmp_path: Path,
) -> None:
    async with town(tmp_path) as here:
        await here.ann.send([SAMPLE], "Изучи данные и сделай презентацию с графиками: кто выжил?")
        await here.ben.send([SAMPLE], "Explore this data and make a deck with charts: who survived?")
        first, _ = await deck_of(here.ann), await deck_of(here.ben)
        before = len(here.ann.answers)
        await here.ann.say("теперь сделай третий слайд круговой диаграммой")
        await deck_of(here.ann, 2)
        await settled(here.ann, 2)
    for chat in (here.ann, here.ben):
        assert "342" in said(chat)
        run = here.of(chat)[0]
        assert run.status is RunStatus.FINISHED
        assert here.kept[run.id] == {SAMPLE[0]: SAMPLE[1]}
    assert "офлайн-рецепт" in said(here.ann)
    assert "offline recipe" in said(here.ben)
    assert len(here.ben.photos) >= 3, "pages of the deck are shown"
    got = [(file.name, file.data) for file in here.ben.documents]
    made = here.out(here.of(here.ben)[0])
    assert all(made[name] == data for name, data in got if name in made)
    assert {data for _, data in got} <= set(made.values())
    one, two = here.of(here.ann)
    assert first.data in here.out(one).values()
    again = {item.artifact_id for item in two.inputs}
    assert one.inputs[0].artifact_id in again, "the same file was not used again"
    assert first.data in here.kept[two.id].values(), "what was made is not there to be changed"
    answer = next(post.text for post in here.ann.answers[before:] if not post.silent)
    assert "офлайн-рецепт" in answer, "it does not say what it did not do"


async def test_a_locked_workbook_a_photo_and_an_album_each_get_the_right_answer(tmp_path: Path) -> None:
    def table(name: str) -> tuple[str, bytes, str]:
        frame = pd.DataFrame({"month": ["May", "June", "July"] * 20, name: range(60)})
        return f"{name}.csv", frame.to_csv(index=False).encode(), "text/csv"

    locked = ("budget.xlsx", LOCKED, "application/vnd.ms-excel")
    files = [table(name) for name in ("north", "south", "west")]
    async with town(tmp_path) as here:
        await here.ann.send([locked], "Что в этом файле?")
        await here.ben.send(files, "Give me an overview of these three tables")
        await settled(here.ann)
        await here.ann.send([("x.jpg", png(800, 600), "image/jpeg")], "Что на фото?", kind="photo")
        await settled(here.ann, 2)
        await settled(here.ben)
    assert "budget.xlsx защищён паролем. Сохраните его без пароля и пришлите снова." in said(here.ann)
    assert "Traceback" not in said(here.ann) + said(here.ben)
    assert all(run.status is RunStatus.FINISHED for run in here.runs), here.runs
    (run,) = here.of(here.ben)
    assert here.kept[run.id] == {name: data for name, data, _ in files}
    photo = here.kept[here.of(here.ann)[1].id]
    assert png(800, 600) in photo.values()


async def test_a_recorded_run_brings_its_picture_byte_for_byte(tmp_path: Path) -> None:
    recording = Recording.load(RECORDINGS / "funnel")
    (path,) = recording.files
    async with play(recording.exchanges) as player:
        assert player.endpoint is not None
        async with town(tmp_path, player.endpoint.url) as here:
            await here.ben.send([(path.name, path.read_bytes(), "text/csv")], recording.request)
            await here.ben.until(lambda seen: seen.photos or player.differences, seconds=150)
            await settled(here.ben)
        assert (player.differences, player.unplayed) == ([], [])
    (run,) = here.runs
    assert [photo.data for photo in here.ben.photos] == [here.out(run)["funnel.png"]]
    assert here.kept[run.id] == {path.name: path.read_bytes()}
    answers = [post for post in here.ben.answers if not post.silent]
    assert len(answers) == 1
    assert run.answer
    assert run.answer.split()[0].strip("*_#") in answers[0].text


async def test_a_wide_table_comes_as_a_picture_and_a_workbook(tmp_path: Path) -> None:
    rows = [(f"region {row}", *(str(row * 1000 + column) for column in range(5))) for row in range(12)]
    lines = [HEADS, ("---",) * len(HEADS), *rows]
    answer = "All regions grew.\n\n" + "\n".join(f"| {' | '.join(line)} |" for line in lines)
    async with serve(in_turn(completion(answer))) as endpoint, town(tmp_path, endpoint.url) as here:
        await here.ben.say("How did each region do?")
        await here.ben.until(lambda seen: seen.documents, seconds=90)
        await settled(here.ben)
    assert "All regions grew." in said(here.ben)
    assert "region 7" not in said(here.ben), "the table stands in the text as well"
    assert len(here.ben.photos) == 1
    (workbook,) = here.ben.documents
    sheet = load_workbook(io.BytesIO(workbook.data)).active
    assert sheet is not None
    values = [[str(cell) for cell in row] for row in sheet.iter_rows(values_only=True)]
    assert values == [list(HEADS), *(list(row) for row in rows)], json.dumps(values)
