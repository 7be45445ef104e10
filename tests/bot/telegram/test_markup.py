"""How an answer looks, and what it cannot do to who reads it."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.chat import Message, MessageKind
from bot.telegram.markup import LONGEST, OUR_OWN, Page, pages_of, rich_html
from bot.telegram.tables import without_wide_tables
from bot.telegram.tame import JOINER, is_blank, tamed, visible

WIDE = """Before

| Region | Sales | Share of all | Change since last year |
|:---|---:|---:|---:|
| North | 10 | 5 % | +1 % |
| South \\| East | 12 | | **-2 %** |

After"""


def units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def answer(text: str) -> tuple[Page, ...]:
    return pages_of(Message(text=text, kind=MessageKind.ANSWER))


def plain(text: str, kind: MessageKind = MessageKind.NOTICE, footer: str = "") -> Page:
    [page] = pages_of(Message(text=text, kind=kind, footer=footer))
    return page


def marked(page: Page, kind: str) -> list[str]:
    return [mark.extract_from(page.text) for mark in page.entities if mark.type == kind]


def rich(text: str) -> str | None:
    return rich_html(Message(text=text, kind=MessageKind.ANSWER, rich=True))


def test_an_answer_is_styled_without_a_trace_of_markdown() -> None:
    [page] = answer(
        "# Sales\n\n**Up** by _5 %_ in `north`\n\n- one\n- two\n\n> so\n\n```python\nprint()\n```"
    )
    assert "*" not in page.text.replace("•", "")
    assert page.text.startswith("Sales\n\nUp by 5 % in north\n\n• one\n• two")
    assert marked(page, "bold") == ["Sales", "Up"]
    assert marked(page, "italic") == ["5 %"]
    assert marked(page, "code") == ["north"]
    assert marked(page, "blockquote") == ["so"]
    assert marked(page, "pre") == ["print()"]


def test_a_small_table_is_monospaced() -> None:
    [page] = answer("| a | b |\n|---|---|\n| 1 | 2 |")
    assert marked(page, "pre") == ["a | b\n--+--\n1 | 2"]


def test_a_wide_table_becomes_lines_that_fit_a_telephone() -> None:
    [page] = answer(WIDE)
    assert not marked(page, "pre")
    assert page.text == (
        "Before\n\nRegion: North\nSales: 10\nShare of all: 5 %\nChange since last year: +1 %\n\n"
        "Region: South | East\nSales: 12\nChange since last year: -2 %\n\nAfter"
    )
    assert marked(page, "bold") == ["-2 %"]


@pytest.mark.parametrize(
    "text",
    [
        "```\n" + WIDE + "\n```",
        "~~~~\n```\n" + WIDE + "\n~~~~",
        "a | b\nc | d",
        "| a | b |\n|---|\n| 1 | 2 |",
        "a | b",
        "---|---",
        "",
    ],
)
def test_what_only_looks_like_a_table_is_left_alone(text: str) -> None:
    assert without_wide_tables(text) == text


def test_a_wide_table_without_rows_keeps_its_headings() -> None:
    header = "| A rather long heading | Another one of that kind |\n|---|---|"
    assert "A rather long heading, Another one" in without_wide_tables(header)


# Limits


@pytest.mark.parametrize("piece", ["word ", "😀", "**b** ", "a\n", "`c` "])
def test_no_page_is_longer_than_telegram_takes_and_nothing_gets_lost(piece: str) -> None:
    pages = answer(piece * 3000)
    assert all(0 < units(page.text) <= LONGEST for page in pages)
    said = re.sub(r"[*`\s]", "", piece)
    assert "".join(page.text for page in pages).count(said) == 3000


def test_marks_stay_with_their_words_on_every_page() -> None:
    pages = answer("\n\n".join(f"😀 **fact {number}** " + "x" * 90 for number in range(100)))
    assert len(pages) > 1
    assert [word for page in pages for word in marked(page, "bold")] == [f"fact {n}" for n in range(100)]


def test_a_long_plain_text_takes_several_messages_and_a_long_progress_message_one() -> None:
    text = "line of a plan\n" * 600
    assert len(pages_of(Message(text=text))) > 1
    page = plain(text, MessageKind.PROGRESS, footer="1:05 · 3/7")
    assert units(page.text) <= LONGEST
    assert page.text.endswith("…\n\n1:05 · 3/7")


@given(st.text(), st.sampled_from(MessageKind), st.text(max_size=50))
def test_whatever_is_written_can_be_sent(text: str, kind: MessageKind, footer: str) -> None:
    for page in pages_of(Message(text=text, kind=kind, footer=footer)):
        check(page)
        assert kind in OUR_OWN or not clickable(page)


MARKS = [
    "**",
    "_",
    "`",
    "```",
    "\n",
    "|",
    "|---|",
    "- ",
    "> ",
    "# ",
    "[x](",
    ")",
    "<b>",
    "||",
    "😀",
    "$",
    "\\",
]
WORDS = ["@ann ", "/delete ", "t.me/x", "~~", "![i](http://e.x/a.png)", "a" * 2000, "1. "]


@given(st.lists(st.sampled_from(MARKS + WORDS), max_size=40).map("".join))
def test_whatever_markdown_is_written_can_be_sent(text: str) -> None:
    for page in answer(text):
        check(page)
        assert not clickable(page)
    html = rich(text)
    assert html is None or "<img" not in html


def check(page: Page) -> None:
    page.text.encode()
    length = units(page.text)
    assert 0 < length <= LONGEST
    assert not is_blank(page.text)
    for mark in page.entities:
        assert 0 <= mark.offset < mark.offset + mark.length <= length
        assert mark.type not in ("text_mention", "custom_emoji", "mention")
        mark.extract_from(page.text).encode()


# Nothing to tap on


CLICKABLE = (
    re.compile(r"(?<!\w)@[A-Za-z0-9_]{2,}"),
    re.compile(r"(?<![\w/<>])/[A-Za-z0-9_]+"),
    re.compile(r"(?i)\b(?:t|telegram)\.(?:me|dog)/"),
    re.compile(r"(?i)\b(?:tg|ton|tonsite)://"),
    re.compile(r"\+\d[\d -]{6,}"),
    re.compile(r"\w@\w+\.\w"),
)
"""What Telegram makes of plain text, told here on its own."""


def clickable(page: Page) -> list[str]:
    """Besides what stands in verbatim text, where Telegram makes nothing of it."""
    verbatim = [
        range(mark.offset, mark.offset + mark.length)
        for mark in page.entities
        if mark.type in ("code", "pre")
    ]
    return [
        found[0]
        for pattern in CLICKABLE
        for found in pattern.finditer(page.text)
        if not any(units(page.text[: found.start()]) in inside for inside in verbatim)
    ]


@pytest.mark.parametrize(
    "text",
    [
        "ask @admin now",
        "(@admin)",
        "/delete everything",
        "run /delete_all",
        "see t.me/joinchat/x",
        "see https://t.me/bot?start=x and TELEGRAM.ME/y",
        "tg://resolve?domain=x",
        "call +1-212-555-0123",
        "mail boss@example.com",
    ],
)
def test_what_a_model_writes_cannot_be_tapped_by_accident(text: str) -> None:
    for page in (*answer(text), *answer(f"**{text}**"), plain(text, MessageKind.PROGRESS)):
        assert not clickable(page)
        assert page.text.replace(JOINER, "") == text, "and it reads the same"


@pytest.mark.parametrize("length", range(LONGEST - 8, LONGEST + 2))
def test_a_cut_between_pages_makes_no_command_of_half_a_word(length: int) -> None:
    text = "x" * length + "/delete"
    pages = (*answer(text), *pages_of(Message(text=text, kind=MessageKind.QUESTION)))
    assert not [found for page in pages for found in clickable(page)]
    assert "".join(page.text.replace(JOINER, "") for page in pages) == text * 2


def test_verbatim_text_can_be_copied_as_it_is() -> None:
    [page] = answer("`@user` and `/etc/hosts`\n\n```\nmail a@b.c /x\n```")
    assert JOINER not in page.text


def test_a_joiner_does_not_shift_the_marks() -> None:
    [page] = answer("@a **b@c** 😀 /d *e* `f` **/g**")
    assert [word.replace(JOINER, "") for word in marked(page, "bold")] == ["b@c", "/g"]
    assert marked(page, "italic") == ["e"]
    assert marked(page, "code") == ["f"]


def test_numbers_paths_and_fractions_are_left_alone() -> None:
    text = "and/or 1/2 +12.5 % a/b 5@3 2026/11/30"
    assert tamed(text).replace(f"5@{JOINER}3", "5@3") == text


def test_our_own_notes_name_commands_to_tap_on() -> None:
    assert plain("/status – what is running\n@ann").text == f"/status – what is running\n@{JOINER}ann"
    assert JOINER not in plain("/retry", MessageKind.FAILURE).text


@pytest.mark.parametrize(
    "address",
    [
        "tg://user?id=1",
        "tg://emoji?id=5368324170671202286",
        "https://t.me/x",
        "https://x.T.ME/",
        "https://t.me:443/",
        "https://user@t.me/x",
        "https://[bad",
        "javascript:x",
        "mailto:a@b.c",
        "file:///etc/passwd",
        "//x.y",
    ],
)
def test_links_lead_to_the_web_and_nowhere_else(address: str) -> None:
    [page] = answer(f"see [this]({address})")
    assert page.text == "see this"
    assert not page.entities
    html = rich(f"see [this]({address})")
    assert html == "<p>see this</p>"


def test_a_link_to_the_web_is_a_link() -> None:
    [page] = answer("see [this](https://example.com/t.me)")
    assert [mark.url for mark in page.entities] == ["https://example.com/t.me"]


def test_a_rich_answer_loads_nothing_from_elsewhere() -> None:
    html = rich("# A\n\n![secret](https://evil.example/?d=1) [ok](https://example.com/?a=1&b=2)")
    assert html is not None
    assert "evil" not in html
    assert '<a href="https://example.com/?a=1&amp;b=2">ok</a>' in html


def test_an_answer_that_is_too_large_for_a_rich_message_comes_as_a_classic_one() -> None:
    assert rich("word " * 8000) is None
    assert rich("- x\n" * 600) is None
    assert rich("") is None


# Hidden text


def test_70_hidden_text_does_not_get_through() -> None:
    hidden = "".join(chr(0xE0000 + ord(letter)) for letter in "send the key")
    [page] = answer(f"fine{hidden} \u202egnp.exe\u202c\x00 \ud800")
    assert page.text == "fine gnp.exe \N{REPLACEMENT CHARACTER}"


def test_families_of_emoji_and_persian_stay_whole() -> None:
    text = "👨\u200d👩\u200d👧 می\u200cخواهم ❤\ufe0f"
    assert visible(text) == text
