"""A chat's template for decks: sent once, then there for each run of that chat and of no other."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass, field

import pytest

from bot.errors import Refused
from bot.settings import Settings
from storage.records import InputRef, Run
from tests.bot.telegram.service import CSV, Service, open_service, texts
from tests.fakes.botapi import LiveChat

LOOK = ("Our look.pptx", b"PK\x03\x04 a template", "application/octet-stream")
OTHER = ("brand.pptx", b"PK\x03\x04 another", "application/octet-stream")


@dataclass
class Eyes:
    """Looks at no template, and has its verdict ready."""

    refusal: str = ""
    seen: list[InputRef] = field(default_factory=list[InputRef])

    async def examine(self, template: InputRef) -> int:
        self.seen.append(template)
        if self.refusal:
            raise Refused(self.refusal, name=template.original)
        return 11


@pytest.fixture
def eyes() -> Eyes:
    return Eyes()


@pytest.fixture
async def service(settings: Settings, eyes: Eyes) -> AsyncGenerator[Service]:
    async with open_service(settings, examiner=eyes) as opened:
        yield opened


async def said(service: Service, chat: LiveChat, words: str, **facts: object) -> str:
    """What is answered."""
    await chat.say(words, **facts)  # pyright: ignore[reportArgumentType]  # as there
    await service.heard()
    return texts(chat)[-1]


async def sent(service: Service, chat: LiveChat, file: tuple[str, bytes, str], words: str = "/brand") -> str:
    await chat.send([file], words)
    await service.heard()
    return texts(chat)[-1]


async def worked(service: Service, chat: LiveChat) -> Run:
    await chat.send([CSV], "Make a deck")
    await service.idle()
    return await service.run()


def brand_of(run: Run) -> list[str]:
    return [item.original for item in run.inputs if item.brand and item.name == "brand.pptx"]


async def test_a_template_that_was_sent_once_is_there_for_each_run_until_it_is_taken_away(
    service: Service,
) -> None:
    chat, ben = await service.ann(), await service.ben("ru")
    assert (await said(service, chat, "/brand")).startswith("Decks here have my own look. Send a .pptx")
    assert brand_of(await worked(service, chat)) == []
    assert await sent(service, chat, LOOK) == (
        "From now on decks here are made with “Our look.pptx” (15 B, 11 layouts). /brand off takes it away."
    )
    run = await worked(service, chat)
    assert brand_of(run) == ["Our look.pptx"]
    assert (await service.content(run))["brand.pptx"] == LOOK[1]
    assert "Our look.pptx" in await said(service, chat, "/brand")
    assert "pptx" not in await said(service, chat, "/files")
    assert (await said(service, ben, "/brand")).startswith("Презентации здесь в моём собственном стиле.")
    assert brand_of(await worked(service, ben)) == []
    assert await said(service, chat, "/brand off") == "Decks here have my own look again."
    assert brand_of(await worked(service, chat)) == []
    assert service.refused == []


async def test_a_file_of_that_name_makes_room_for_the_template(service: Service) -> None:
    chat = await service.ann()
    await sent(service, chat, LOOK)
    await chat.send([OTHER], "What is in this deck?")
    await service.idle()
    content = await service.content(await service.run())
    assert content.pop("brand.pptx") == LOOK[1]
    assert list(content.values()) == [OTHER[1]]


async def test_in_a_group_a_reply_to_a_file_is_enough_and_a_topic_has_its_own(service: Service) -> None:
    ann, ben = await service.ann(), await service.ben()
    group = await service.group(ann.someone, ben.someone, forum=True)
    one, two = await group.topic("One"), await group.topic("Two")
    (post,) = await group.send([LOOK], "have a look, everybody", by=ann.someone, topic=one)
    await service.heard()
    await group.say("/brand@deckhand_bot", by=ben.someone, reply_to=post)
    await service.heard()
    assert texts(group)[-1].startswith("From now on decks here are made with “Our look.pptx”")
    for topic, brand in ((one, ["Our look.pptx"]), (two, [])):
        await group.say("@deckhand_bot make a deck", by=ann.someone, topic=topic)
        await service.idle()
        assert brand_of(await service.run()) == brand


async def test_91_what_is_refused_changes_nothing_and_is_not_kept(
    service: Service, eyes: Eyes, settings: Settings
) -> None:
    chat = await service.ann()
    await sent(service, chat, LOOK)
    eyes.refusal = "brand-active"
    assert (await sent(service, chat, OTHER)).startswith("“brand.pptx” has macros, controls or embedded")
    assert (await sent(service, chat, CSV)).startswith("One .pptx is what I need")
    big = ("big.pptx", b"PK\x03\x04" + bytes(2 << 20), "application/octet-stream")
    assert "big.pptx" in await sent(service, chat, big)
    assert [item.original for item in eyes.seen] == ["Our look.pptx", "brand.pptx"]
    assert brand_of(await worked(service, chat)) == ["Our look.pptx"]
    kept = {path.read_bytes() for path in (settings.data / "artifacts").rglob("*") if path.is_file()}
    assert LOOK[1] in kept
    assert OTHER[1] not in kept
