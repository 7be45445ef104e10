"""Files on their way to people and from them."""

import asyncio
import os
import struct
from collections.abc import AsyncGenerator, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from bot.chat import Attachment, ChatRef, Delivered, MessageRef
from bot.errors import (
    ChatBusy,
    ChatError,
    ChatGone,
    ChatRefused,
    ChatUncertain,
    ChatUnreachable,
    FileRefused,
)
from bot.telegram.adapter import Telegram, open_telegram
from bot.telegram.parcels import LARGEST, dimensions, is_photo, packed
from bot.telegram.uploads import time_needed
from tests.bot.telegram.conftest import Heard, png, ref, serving
from tests.fakes.botapi import (
    SERVER_ERROR,
    BotApi,
    Cut,
    Fault,
    Flood,
    HtmlPage,
    LiveChat,
    Moment,
    Refusal,
    Sent,
)

Make = Callable[..., Delivered]
HERE = ChatRef("telegram", "7")
MIB = 1024 * 1024


def jpeg(width: int, height: int) -> bytes:
    segment = b"\xff\xe0" + struct.pack(">H", 16) + bytes(14)
    frame = b"\xff\xc0" + struct.pack(">HBHHB", 17, 8, height, width, 3) + bytes(9)
    return b"\xff\xd8" + segment + frame + bytes(2000)


# What goes together


def test_pictures_come_first_as_albums_and_all_else_after_them(make: Make) -> None:
    pictures = [make(f"{number}.png", png(800, 600)) for number in range(12)]
    others = [make("deck.pptx"), make("data.xlsx"), make("huge.png", png(9000, 9000))]
    parcels = packed([others[0], *pictures, *others[1:]], LARGEST)
    assert [len(parcel) for parcel in parcels] == [10, 2, 3]
    assert parcels[2] == tuple(others)


def test_a_file_that_cannot_be_sent_takes_nothing_else_along(make: Make) -> None:
    big, empty = make("big.csv", size=LARGEST + 1), make("empty.csv", b"")
    parcels = packed([make("a.csv"), big, make("b.csv"), empty, make("c.csv")], LARGEST)
    assert [[file.name for file in parcel] for parcel in parcels] == [
        ["big.csv"],
        ["empty.csv"],
        ["a.csv", "b.csv", "c.csv"],
    ]


def test_no_request_is_larger_than_telegram_takes(make: Make) -> None:
    files = [make(f"{number}.csv", size=20 * MIB) for number in range(5)]
    assert [len(parcel) for parcel in packed(files, LARGEST)] == [2, 2, 1]


def test_no_files_are_no_parcels(telegram: Telegram) -> None:
    assert telegram.parcels([]) == ()


@pytest.mark.parametrize(
    ("name", "data", "photo"),
    [
        ("a.png", png(800, 600), True),
        ("a.PNG", png(5000, 5000), True),
        ("a.png", png(5001, 5000), False),
        ("a.png", png(2000, 100), True),
        ("a.png", png(2001, 100), False),
        ("a.png", png(0, 100), False),
        ("a.png", png(100, 100, 10 * MIB + 1), False),
        ("a.jpg", jpeg(800, 600), True),
        ("a.jpg", jpeg(800, 600).replace(b"\xff\xc0", b"\xff\xff\xc0"), True),
        ("a.jpeg", jpeg(100, 2100), False),
        ("a.png", b"no picture", False),
        ("a.png", b"", False),
        ("a.png", png(1, 1)[:20], False),
        ("a.jpg", b"\xff\xd8\xff", False),
        ("a.jpg", b"\xff\xd8" + b"\xff" * 500, False),
        ("a.jpg", b"\xff\xd8\xff\xe0\x00\x00" * 50, False),
        ("a.jpg", b"\xff\xd8\xff\xda\x00\x08" + bytes(50), False),
        ("a.gif", png(10, 10), False),
        ("a.svg", b"<svg/>", False),
    ],
)
def test_a_picture_beyond_telegram_s_limits_is_a_document(
    make: Make, name: str, data: bytes, photo: bool
) -> None:
    assert is_photo(make(name, data)) is photo


def test_a_picture_that_is_gone_is_no_photo(make: Make) -> None:
    file = make("a.png", png(10, 10))
    file.path.unlink()
    assert not is_photo(file)


def test_a_picture_that_goes_as_a_file_is_no_photo(make: Callable[..., Delivered]) -> None:
    assert not is_photo(replace(make("chart.png", png(640, 480)), as_file=True))


@pytest.mark.parametrize("seed", range(20))
def test_a_hostile_picture_costs_no_time(seed: int) -> None:
    noise = os.urandom(64 * 1024)
    assert dimensions(noise) is None or len(noise)
    dimensions(b"\xff\xd8" + bytes([0xFF]) * seed + noise)


def test_a_large_upload_gets_more_time() -> None:
    small = Delivered(name="a", path=Path("a"), size=1000)
    large = Delivered(name="b", path=Path("b"), size=50 * MIB)
    assert time_needed([small]) < 1
    assert time_needed([small, large]) > 500


# On their way out


async def test_files_arrive_byte_for_byte_under_readable_names(
    telegram: Telegram, chat: LiveChat, server: BotApi, make: Make
) -> None:
    data = os.urandom(300_000)
    files = [make("charts/обзор 2026.pptx", data), make("data.csv")]
    for parcel in telegram.parcels(files):
        await telegram.attach(ref(chat), parcel)
    assert [(file.name, file.data) for file in chat.documents] == [
        ("обзор 2026.pptx", data),
        ("data.csv", b"a,b\n1,2\n"),
    ]
    assert all(post.silent for post in chat.answers)
    assert chat.answers[0].album == chat.answers[1].album != ""
    assert not server.refused()


async def test_one_file_comes_alone_as_a_reply(telegram: Telegram, chat: LiveChat, make: Make) -> None:
    request = await chat.say("plot")
    asked = MessageRef(ref(chat), str(request.id))
    await telegram.attach(ref(chat), [make("a.csv")], reply_to=asked)
    assert chat.answers[0].reply_to == request.id
    assert not chat.answers[0].album


async def test_pictures_come_as_photos_that_tell_their_names(
    telegram: Telegram, chat: LiveChat, server: BotApi, make: Make
) -> None:
    files = [make("charts/sales @north.png", png(800, 600)), make("share.jpg", jpeg(600, 600))]
    [album] = telegram.parcels(files)
    await telegram.attach(ref(chat), album)
    await telegram.attach(ref(chat), album[:1])
    assert len(chat.photos) == 3
    texts = [post.text.replace("\N{WORD JOINER}", "") for post in chat.answers]
    assert texts == ["sales ＠north[.]png", "share.jpg", "sales ＠north[.]png"]
    assert not server.refused()


async def test_files_of_the_same_name_can_be_told_apart(
    telegram: Telegram, chat: LiveChat, make: Make
) -> None:
    await telegram.attach(ref(chat), [make("north/a.csv"), make("south/a.csv"), make("b.csv")])
    assert [file.name for file in chat.documents] == ["north - a.csv", "south - a.csv", "b.csv"]


@pytest.mark.parametrize(
    "words", ["PHOTO_INVALID_DIMENSIONS", "IMAGE_PROCESS_FAILED", "PHOTO_SAVE_FILE_INVALID"]
)
@pytest.mark.parametrize("count", [1, 2])
async def test_a_picture_that_telegram_refuses_as_a_photo_comes_as_a_document(
    telegram: Telegram, chat: LiveChat, server: BotApi, make: Make, words: str, count: int
) -> None:
    files = [make(f"{number}.png", png(800, 600)) for number in range(count)]
    server.faults.add("sendPhoto" if count == 1 else "sendMediaGroup", Refusal(400, f"Bad Request: {words}"))
    await telegram.attach(ref(chat), files)
    assert [file.name for file in chat.documents] == [file.name for file in files]
    assert not chat.photos


@pytest.mark.parametrize(
    ("size", "data", "reason"),
    [(LARGEST + 1, b"x", "telegram-file-too-big"), (0, b"", "telegram-file-empty")],
)
async def test_what_telegram_would_not_take_is_not_even_begun(
    telegram: Telegram, server: BotApi, make: Make, size: int, data: bytes, reason: str
) -> None:
    with pytest.raises(FileRefused) as told:
        await telegram.attach(HERE, [make("a.csv", data, size=size)])
    assert (told.value.name, told.value.reason) == ("a.csv", reason)
    assert not server.calls


async def test_a_file_that_is_gone_from_the_store_is_named(telegram: Telegram, make: Make) -> None:
    file = make("a.csv")
    file.path.unlink()
    with pytest.raises(FileRefused, match=r"a\.csv: telegram-file-unreadable"):
        await telegram.attach(HERE, [file])


async def test_a_server_that_finds_files_too_large_names_the_largest(
    telegram: Telegram, server: BotApi, chat: LiveChat, make: Make
) -> None:
    server.faults.add("sendMediaGroup", Refusal(413, "Request Entity Too Large"))
    with pytest.raises(FileRefused, match=r"b\.csv: telegram-file-too-big"):
        await telegram.attach(ref(chat), [make("a.csv"), make("b.csv", b"x" * 100)])


async def test_files_that_may_not_be_sent_here_are_refused_with_a_reason(
    telegram: Telegram, server: BotApi, make: Make
) -> None:
    group = server.group("Sales", [server.person(8)])
    group.restrict(documents=False, photos=False)
    for file in (make("a.csv"), make("a.png", png(10, 10))):
        with pytest.raises(ChatRefused, match="telegram-no-rights"):
            await telegram.attach(ref(group), [file])


@pytest.mark.parametrize(
    ("fault", "error", "arrives"),
    [
        (Flood(12), ChatBusy, 0),
        (SERVER_ERROR, ChatUnreachable, 0),
        (HtmlPage(502), ChatUnreachable, 0),
        (Cut(Moment.IN_REQUEST), ChatUncertain, 0),
        (Cut(Moment.BEFORE_ANSWER, applied=True), ChatUncertain, 1),
        (Refusal(403, "Forbidden: bot was blocked by the user"), ChatGone, 0),
    ],
    ids=str,
)
async def test_an_upload_that_fails_says_whether_it_may_be_repeated(
    telegram: Telegram, server: BotApi, chat: LiveChat, make: Make,
    fault: Fault, error: type[ChatError], arrives: int,
) -> None:  # fmt: skip
    server.faults.add("sendDocument", fault)
    with pytest.raises(error) as told:
        await telegram.attach(ref(chat), [make("a.csv", b"x" * MIB)])
    assert type(told.value) is error
    assert len(chat.documents) == arrives
    assert len(server.called("sendDocument")) == 1


async def test_a_file_follows_a_group_that_became_a_supergroup(
    telegram: Telegram, server: BotApi, make: Make
) -> None:
    group = server.group("Sales", [server.person(8)], basic=True)
    new = await group.migrate()
    await telegram.attach(ref(group), [make("a.csv")])
    assert [file.name for file in new.documents] == ["a.csv"]


async def test_an_upload_that_is_cut_leaves_no_file_open(
    telegram: Telegram, server: BotApi, chat: LiveChat, make: Make
) -> None:
    file = make("big.bin", bytes(40 * MIB))
    server.faults.add("sendDocument", Cut(Moment.IN_REQUEST))
    with pytest.raises(ChatUncertain):
        await telegram.attach(ref(chat), [file])
    assert file.path not in files_open()


def files_open() -> list[Path]:
    return [link.readlink() for link in Path("/proc/self/fd").iterdir() if link.is_symlink()]


# On their way in


async def read(telegram: Telegram, attachment: Attachment) -> bytes:
    return b"".join([chunk async for chunk in telegram.fetch(attachment)])


async def test_a_file_arrives_byte_for_byte(
    telegram: Telegram, heard: Heard, chat: LiveChat, server: BotApi
) -> None:
    data = os.urandom(3 * MIB)
    await chat.send([("a.xlsx", data, "application/x")])
    [attachment] = (await heard.said_by()).attachments
    chunks = [chunk async for chunk in telegram.fetch(attachment)]
    assert b"".join(chunks) == data
    assert max(len(chunk) for chunk in chunks) <= MIB
    assert server.token.partition(":")[2] not in repr(attachment)


async def test_a_file_above_20_mb_is_refused_before_anything_is_fetched(
    telegram: Telegram, heard: Heard, chat: LiveChat, server: BotApi
) -> None:
    await chat.send([Sent(name="a.xlsx", data=b"x", mime="", size=20 * MIB + 1)])
    [attachment] = (await heard.said_by()).attachments
    with pytest.raises(FileRefused, match="telegram-download-too-big"):
        await read(telegram, attachment)
    assert not server.called("getFile")


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("Bad Request: file is too big", "telegram-download-too-big"),
        ("Bad Request: wrong file_id or the file is temporarily unavailable", "telegram-file-missing"),
    ],
)
async def test_a_file_that_telegram_does_not_hand_over_has_a_reason(
    telegram: Telegram, server: BotApi, words: str, reason: str
) -> None:
    server.faults.add("getFile", Refusal(400, words))
    with pytest.raises(FileRefused) as told:
        await read(telegram, Attachment(name="a.csv", handle="f"))
    assert (told.value.name, told.value.reason) == ("a.csv", reason)


async def test_a_file_that_has_expired_has_to_be_sent_again(
    telegram: Telegram, heard: Heard, chat: LiveChat, server: BotApi
) -> None:
    await chat.send([("a.csv", b"a", "")])
    [attachment] = (await heard.said_by()).attachments
    server.faults.add("file", Refusal(404, "Not Found"))
    with pytest.raises(FileRefused, match="telegram-file-missing"):
        await read(telegram, attachment)


@pytest.mark.parametrize("fault", [HtmlPage(502), Cut(Moment.IN_ANSWER), SERVER_ERROR], ids=str)
@pytest.mark.parametrize("method", ["file", "getFile"])
async def test_a_download_that_breaks_may_be_tried_again(
    telegram: Telegram, heard: Heard, chat: LiveChat, server: BotApi, fault: Fault, method: str
) -> None:
    data = b"x" * 200_000
    await chat.send([("a.csv", data, "")])
    [attachment] = (await heard.said_by()).attachments
    server.faults.add(method, fault)
    with pytest.raises(ChatError) as told:
        await read(telegram, attachment)
    assert isinstance(told.value, ChatUnreachable | ChatUncertain)
    assert server.token.partition(":")[2] not in f"{told.value!r}{told.value.__cause__!r}"
    assert told.value.__context__ is None or "token" not in repr(told.value.__context__)
    assert await read(telegram, attachment) == data


async def test_whoever_reads_no_further_leaves_no_connection_behind(
    telegram: Telegram, heard: Heard, chat: LiveChat
) -> None:
    await chat.send([("a.bin", bytes(8 * MIB), "")])
    [attachment] = (await heard.said_by()).attachments
    chunks = telegram.fetch(attachment)
    assert isinstance(chunks, AsyncGenerator)
    assert await anext(chunks)
    await chunks.aclose()


# A server of one's own


@pytest.fixture
async def own(tmp_path: Path) -> AsyncGenerator[tuple[BotApi, Telegram, Path]]:
    shared = tmp_path / "shared"
    shared.mkdir()
    async with (
        BotApi(local=shared) as server,
        open_telegram(server.token, api_url=server.url, shared=shared) as telegram,
    ):
        yield server, telegram, shared


async def test_with_a_server_of_one_s_own_large_files_come_from_its_folder(
    own: tuple[BotApi, Telegram, Path],
) -> None:
    server, telegram, _ = own
    chat = server.private(server.person(7))
    data = os.urandom(21 * MIB)
    heard = Heard()
    async with serving(telegram, heard):
        await chat.send([("a.bin", data, "")])
        [attachment] = (await heard.said_by()).attachments
    assert await read(telegram, attachment) == data
    assert not server.called("file")


async def test_nothing_outside_of_the_shared_folder_is_read(
    own: tuple[BotApi, Telegram, Path], tmp_path: Path
) -> None:
    server, telegram, shared = own
    secret = tmp_path / "secret"
    secret.write_text("secret")
    (shared / "link").symlink_to(secret)
    os.mkfifo(shared / "pipe")
    (shared / "folder").mkdir()
    sibling = tmp_path / "shared-not"
    sibling.mkdir()
    (sibling / "x").write_text("x")
    paths = [secret, shared / "link", shared / "pipe", shared / "folder", shared / ".." / "secret",
             shared / "missing", sibling / "x", Path("/etc/passwd"), Path("relative")]  # fmt: skip
    async with asyncio.timeout(20):
        for path in paths:
            file = server.files.add(Sent(name="a", data=b"x", mime=""), "document")
            server.files._by_id[file.id] = replace(file, path=str(path))
            with pytest.raises(FileRefused, match="telegram-file-not-shared"):
                await read(telegram, Attachment(name="a", handle=file.id))


async def test_with_a_server_of_one_s_own_files_above_50_mb_go_out(
    own: tuple[BotApi, Telegram, Path], make: Make
) -> None:
    _, telegram, _ = own
    big = make("big.bin", size=1500 * MIB)
    assert telegram.parcels([make("a.csv"), big]) == ((make("a.csv"), big),)
    with pytest.raises(FileRefused, match="telegram-file-too-big-local"):
        await telegram.attach(HERE, [make("huge.bin", size=2000 * MIB + 1)])
