"""`make bench-telegram`: a hundred chats send a file and a request within a minute; it ends with the answers.

The model is a recording without any delay, the sandbox is real Docker, the Bot API server is the tests' own
with Telegram's pace enforced. BENCH_CHATS is the number of chats, 100 unless it is set.
"""

import asyncio
import json
import os
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from tests.bench.telegram.crowd import FIRST, Member, Wish, ask, crowd
from tests.bench.telegram.figures import Figures, quantile
from tests.bench.telegram.memory import watch
from tests.e2e.telegram import TelegramBot
from tests.fakes.botapi import BotApi
from tests.replay.replay import Recording, recordings

ROOT = Path(__file__).parents[3]
TARGET = ROOT / "build" / "bench"
RECORDING = "funnel"
WORDS = 30
"""Characters of the recorded answer by which it is known in the chat."""
MINUTE = 60.0
PATIENCE = 1_800.0


def _words(recording: Recording) -> str:
    """The beginning of the recorded answer, which comes with the call that completes the last todo."""
    calls = [call["function"] for each in recording.exchanges for call in each.answer.get("tool_calls") or ()]
    given = [json.loads(call["arguments"]).get("answer") for call in calls if call["name"] == "complete_todo"]
    (answer,) = [text for text in given if text]
    return str(answer).lstrip("*#_ ")[:WORDS]


async def bench(chats: int, folder: Path) -> tuple[Figures, Sequence[Member], Wish, list[int]]:
    (recording,) = [found for found in recordings() if found.name == RECORDING]
    (file,) = recording.files
    wish = Wish(recording.request, (file.name, file.read_bytes()), _words(recording))
    async with BotApi() as server, _model() as url:
        server.pace.enforce = True
        members = crowd(server, chats)
        bot = TelegramBot(folder, server, url, settings={"DECKHAND_LANGUAGE": "en"})
        await bot.admit(*(FIRST + place for place in range(chats)))
        process = await bot.start()
        try:
            await server.until(lambda: bool(server.called("getUpdates")), seconds=120)
            held: list[int] = []
            watcher = asyncio.create_task(watch(process.pid, held))
            began = time.monotonic()
            await ask(members, wish, within=MINUTE * chats / 100)
            await _answered(members, wish, bot)
            seconds = time.monotonic() - began
            await asyncio.sleep(2)  # an answer that comes twice comes about now
            watcher.cancel()
        finally:
            await bot.kill()
        return _figures(server, members, wish, held, seconds), members, wish, held


async def _answered(members: Sequence[Member], wish: Wish, bot: TelegramBot) -> None:
    deadline = time.monotonic() + PATIENCE
    told = -1
    while (done := sum(member.answers(wish) > 0 for member in members)) < len(members):
        if done // 10 != told:
            told = done // 10
            _tell(f"{done} of {len(members)} chats have their answer")
        if time.monotonic() > deadline or bot.process is None or bot.process.returncode is not None:
            _tell(f"giving up:\n{bot.log[-2000:]}")
            return
        await asyncio.sleep(0.5)


def _figures(
    server: BotApi, members: Sequence[Member], wish: Wish, held: Sequence[int], seconds: float
) -> Figures:
    acks = [ack for member in members if (ack := member.acknowledged()) is not None]
    answers = [at for member in members if (at := member.answered(wish)) is not None]
    refused = [call for call in server.called("editMessageText") if call.code == 429]
    return Figures(
        chats=len(members),
        ack_p50_ms=round(1000 * quantile(acks, 0.5), 1),
        ack_p99_ms=round(1000 * quantile(acks, 0.99), 1),
        rss_mb=round(max(held, default=0) / 2**20, 1),
        lost=sum(member.answers(wish) == 0 for member in members),
        doubled=sum(member.answers(wish) > 1 for member in members),
        edits_over_pace=len(refused),
        answer_p50_s=round(quantile(answers, 0.5), 1),
        answer_p99_s=round(quantile(answers, 0.99), 1),
        seconds=round(seconds, 1),
    )


@asynccontextmanager
async def _model() -> AsyncGenerator[str]:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.bench.telegram.model",
        RECORDING,
        cwd=ROOT,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    try:
        yield (await process.stdout.readline()).decode().strip()
    finally:
        process.kill()
        await process.wait()


def _tell(words: str) -> None:
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()


def main() -> int:
    from tests.bench.telegram.chart import draw

    chats = int(os.environ.get("BENCH_CHATS", "100"))
    with tempfile.TemporaryDirectory(prefix="deckhand-") as folder:
        figures, members, wish, held = asyncio.run(bench(chats, Path(folder)))
    TARGET.mkdir(parents=True, exist_ok=True)
    (TARGET / "telegram.json").write_text(json.dumps(figures.record(), indent=1) + "\n", encoding="utf-8")
    draw(members, wish, held, TARGET / "telegram.png")
    for name, value in figures.record().items():
        _tell(f"{name:16} {value:10}")
    for miss in figures.misses():
        _tell(f"MISSED: {miss}")
    return 1 if figures.misses() else 0


if __name__ == "__main__":
    sys.exit(main())
