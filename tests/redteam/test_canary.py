"""Threats 79 and 80: through every fault, no secret is written, and no chat sees how the inside looks."""

import gzip
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest
from aiohttp import web
from pydantic import SecretStr

from agent.models import ModelSettings, build_models
from bot.ops.backup import places
from bot.settings import Settings
from bot.telemetry import open_log
from bot.texts import Language, texts
from storage.backup import write_backup
from storage.records import RunId, utc_now
from tests.bot.fakes import Step
from tests.endpoint import Body, serve
from tests.fakes.botapi import SERVER_ERROR, Cut, Fault, Flood, HtmlPage, Moment, Refusal
from tests.redteam.house import House, open_house
from tests.redteam.outgoing import spoken

EN = texts(Language.ENGLISH)
KEY = "sk-canary-Zx81-0123456789abcdef"
FAULTS: tuple[Fault, ...] = (
    SERVER_ERROR,
    HtmlPage(502, applied=False),
    Flood(1),
    Cut(Moment.BEFORE_ANSWER, applied=False),
    Cut(Moment.IN_ANSWER, applied=True),
    Refusal(400, "Bad Request: can't parse entities: x"),
    Refusal(400, "Bad Request: message to edit not found"),
    Refusal(401, "Unauthorized"),
    Refusal(404, "Not Found"),
)
METHODS = ("sendMessage", "editMessageText", "getFile", "file", "answerCallbackQuery", "setMessageReaction")


async def misuse(house: House) -> None:
    """Everything that can fail, failing once."""
    ann = await house.member(7)
    for fault in FAULTS:
        for method in METHODS:
            house.server.faults.add(method, fault)
        house.server.faults.add("getUpdates", fault)
        await ann.send([("data.csv", b"a\n1\n", "text/csv")], "Sum")
        await ann.say("/status")
        await house.settled()
        if ann.answers:
            await ann.press(ann.answers[-1], "forged", anyway=True)
        house.server.faults.clear()
    await house.server.down()
    await house.server.up()
    await ann.say("/help")
    await house.settled()


def told_by(folder: Path, secrets: tuple[bytes, ...]) -> list[str]:
    """Files that hold one, looked into also where they are packed."""
    found: list[str] = []
    for path in (path for path in folder.rglob("*") if path.is_file()):
        content = path.read_bytes()
        if path.suffix == ".gz":
            content += gzip.decompress(content)
            with tarfile.open(path) as archive:
                for member in archive.getmembers():
                    opened = archive.extractfile(member)
                    content += opened.read() if opened else b""
        found += [path.name for secret in secrets if secret in content]
    return found


async def test_79_neither_the_bots_token_nor_the_models_key_is_written_anywhere(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the most talkative log, and nothing that hides known secrets: they do not get as far as that."""

    async def respond(_: Body) -> web.StreamResponse:
        return web.json_response({"error": {"message": f"Incorrect API key: {KEY}"}}, status=401)

    monkeypatch.setenv("TELEGRAM_BOT_TOKEN", "42:" + "A" * 35)
    monkeypatch.setenv("LLM_API_KEY", KEY)
    with open_log(settings.data / "bot.log", level="DEBUG"):
        async with serve(respond) as endpoint:
            models = build_models(ModelSettings(base_url=endpoint.url, api_key=SecretStr(KEY), retries=0))
            async with open_house(settings, models=models) as house:
                await misuse(house)
                said = "\n".join(one.text for one in spoken(house.server))
                token = house.server.token
                assert len(await house.runs()) >= 3
    write_backup(places(settings), settings.data / "backup.tar.gz", version="test", now=utc_now())
    log = (settings.data / "bot.log").read_text("utf-8")
    assert "run_ended" in log
    secrets = (token.encode(), token.partition(":")[2].encode(), KEY.encode(), KEY[-12:].encode())
    assert told_by(settings.data, secrets) == []
    assert not [secret for secret in secrets if secret.decode() in said]


def _raises(fault: Exception) -> Callable[[RunId], list[Step]]:
    def script(run_id: RunId) -> list[Step]:
        def fall() -> None:
            raise fault

        return [fall]

    return script


INSIDE = ("Traceback", 'File "', "Error", "Exception", "/home/x", "site-packages", "0x7f", "SELECT", "sqlite")


@pytest.mark.parametrize(
    "fault",
    [
        RuntimeError('Traceback: File "/home/x/bot.py" <object at 0x7f00>'),
        OSError(28, "No space left on device", "/home/x/data/deckhand.db"),
        ValueError("SELECT * FROM runs; sqlite Error"),
    ],
    ids=["bug", "disk", "database"],
)
async def test_80_what_breaks_inside_is_told_in_our_words_with_a_number(
    fault: Exception, settings: Settings
) -> None:
    async with open_house(settings) as house:
        agent = await house.scripted()
        agent.script = _raises(fault)
        ann = await house.member(7)
        await ann.say("Sum")
        await house.settled()
        await ann.say("/status")
        await house.settled()
        [run] = await house.runs()
        shown = "\n".join(one.text for one in spoken(house.server))
    assert run.status.is_final
    assert run.id in shown or EN("failed-cancelled") in shown, shown
    assert not [word for word in INSIDE if word in shown], shown
