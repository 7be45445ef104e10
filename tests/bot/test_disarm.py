"""What a model writes is shown, and nothing of it acts. Threats 67, 68, 70 and 73."""

import re
import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from bot.disarm import markdown, plain, visible

HOSTILE = st.lists(
    st.sampled_from(
        [
            *(
                "https://evil.com/?d=1",
                "evil.com/x",
                "tg://user?id=1",
                "t.me/x",
                "mailto:a@b.co",
                "http",
                "://",
            ),
            *("@everyone", "<!channel>", "<@U1>", "/start", "+1 555 123 4567", "javascript:x"),
            *("[", "]", "(", ")", "![", "](", "]:", "<", ">", "`", "``", "```", "~~~", "\n", "\n\n", "|"),
            *(
                "\\",
                "*",
                "_",
                "**",
                "&#46;",
                "&amp;",
                "#",
                "- ",
                "> ",
                "    ",
                " ",
                "a",
                "word",
                "<div>",
                "e",
            ),
            *(
                "\u200b",
                "\u202e",
                "\U000e0041",
                "\x1b",
                ".",
                "com",
                "\ufe0f",
                "1. ",
                "| a | b |\n|---|---|\n",
            ),
        ]
    ),
    max_size=30,
).map("".join)
HIDDEN = re.compile("[\u200b\u2060\ufeff\u202a-\u202e\u2066-\u2069\x00-\x08\x1b\U000e0000-\U000e007f]")
LIVE = re.compile(
    r"https?://|tg://|(?<![\w])@\w|evil\.com(?![^\W_]|\.\w)|\bt\.me/|mailto:a|<[!@]|javascript:x|(?<![\w/<>∕])/start(?![\w/<>])"
)


def tokens(text: str) -> list[Token]:
    parsed = MarkdownIt("commonmark").enable("table").parse(text)
    return [*parsed, *(child for token in parsed for child in token.children or ())]


def words(text: str) -> str:
    """What stands outside of code once it is rendered, a line for each block."""
    lines: list[str] = []
    for token in MarkdownIt("commonmark").enable("table").parse(text):
        shown = [
            "\n" if child.type == "softbreak" else "" if child.type == "code_inline" else child.content
            for child in token.children or ()
        ]
        lines.append("".join(shown))
    return "\n".join(lines)


@settings(max_examples=300)
@given(HOSTILE)
@example(">/start")  # a quotation, whose mark is gone when it is rendered
def test_67_68_nothing_of_a_hostile_answer_acts_once_it_is_rendered(text: str) -> None:
    safe = markdown(text)
    assert {token.type for token in tokens(safe)}.isdisjoint(
        {"link_open", "image", "html_block", "html_inline"}
    )
    assert not LIVE.search(words(safe)), safe
    assert not HIDDEN.search(safe)


@settings(max_examples=300)
@given(HOSTILE)
def test_nothing_of_a_hostile_line_acts(text: str) -> None:
    safe = plain(text)
    assert not re.search(
        r"https?://|tg://|@\w|evil\.com(?![^\W_]|\.\w)|\bt\.me/|mailto:a|javascript:\w", safe
    )
    assert not HIDDEN.search(safe)


@given(st.text(alphabet=st.characters(categories=["L", "Nd"], include_characters=" ,.!?\n-%"), max_size=80))
def test_plain_words_in_any_alphabet_stay_as_they_are(text: str) -> None:
    words = re.sub(r"\.(?=\S)", ". ", text).replace("\u3164", "").replace("\uffa0", "")
    words = "".join(c for c in words if visible(c) == c)
    assert plain(words) == words


@settings(max_examples=200)
@given(HOSTILE)
def test_what_is_safe_stays_the_same(text: str) -> None:
    assert plain(plain(text)) == plain(text)
    assert visible(visible(text)) == visible(text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("See https://evil.com/x?d=1.", "See hxxps://evil[.]com/x?d=1."),
        ("[Details](https://evil.com/?q=names)", "Details – hxxps://evil[.]com/?q=names"),
        ("![chart](http://a.b/c.png)", "chart – hxxp://a[.]b/c.png"),
        ("[![a](http://u.v)](http://w.x)", "a – hxxp://u[.]v – hxxp://w[.]x"),
        ("[a][b]\n\n[b]: https://evil.com", "[a][b]\n\n[b]\\: hxxps://evil[.]com"),
        ("<https://evil.com>", "‹hxxps://evil[.]com›"),
        ('<a href="https://evil.com">x</a>', '‹a href="hxxps://evil[.]com"›x‹∕a›'),
        ("ht**tps**://evil.com", "hx**xps**://evil[.]com"),
        ("evil\\.com/x", "evil\\[.]com/x"),
        ("https&#58;//evil&#46;com", "hxxps://evil[.]com"),
        ("t.me/bot?start=x, tg://resolve?domain=x", "t[.]me/bot?start=x, tg[:]//resolve?domain=x"),
        ("<!channel> <@U123> @everyone", "‹!channel› ‹＠U123› ＠everyone"),
        ("Write to a@b.com or mailto:a@b.com", "Write to a＠b[.]com or mailto[:]a＠b[.]com"),
        ("/start now", "∕start now"),
        ("Call +1 555 123 4567", "Call ＋1 555 123 4567"),
        ("pay\u202egpj.exe\u2066 a\u200bb", "paygpj.exe ab"),
        ("a\U000e0041\U000e0042b", "ab"),
        ("evil\u200b.com", "evil[.]com"),
    ],
)
def test_what_could_act_is_shown_and_readable(text: str, shown: str) -> None:
    assert markdown(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "The files are data.csv, deck.pptx and report.py; 3.14 of v1.2.3, 1/2, and/or, km/h, /tmp/x.",
        "**342 of 891** survived (38.4 %), _women_ more often: 74.2 %.",
        "| sex | share |\n|---|---|\n| female | 74.2 % |",
        "`@property` and `https://example.com`",
        "```python\n@property\ndef url(): return 'https://example.com'\n```",
        "x < 5 and y > 3, a <= b",
        "# Heading\n\n- one\n- two\n\n> quoted",
        "👩\u200d🔬 ❤\ufe0f می\u200cخواهم",
        "Привет: всё готово, см. файл итоги.xlsx",
    ],
)
def test_what_cannot_act_stays_as_it_is(text: str) -> None:
    assert markdown(text) == text


def test_what_the_person_wrote_stays_a_link_and_nothing_longer_does() -> None:
    request = "Compare with https://ok.com/a, please, and tell bob@ok.com"
    assert markdown("https://ok.com/a", request) == "https://ok.com/a"
    assert markdown("https://ok.com/a?leak=1", request) == "hxxps://ok[.]com/a?leak=1"
    assert markdown("[a](https://ok.com/a)", request) == "a – https://ok.com/a"
    assert plain("bob@ok.com and eve@ok.com", request) == "bob@ok.com and eve＠ok[.]com"


@pytest.mark.parametrize(
    "text",
    [
        "- ```\n  x\n  ```\nhttps://evil.com\n```\ny\n```",
        "```\ncode\n  ```\nhttps://evil.com\n```",
        "`a\n`https://evil.com`",
        "|`|https://evil.com ` `|\n|-|-|\n|`|https://evil.com ` `|",
        "\\`https://evil.com`",
        "<div>\n```\nhttps://evil.com\n```",
        "> ```\nhttps://evil.com\n> ```",
    ],
)
def test_text_that_only_looks_like_code_is_no_shelter(text: str) -> None:
    assert "https://" not in words(markdown(text))


def test_code_may_hold_addresses_but_nothing_hidden() -> None:
    assert markdown("```\nhttps://x.com\u202e\n```") == "```\nhttps://x.com\n```"


def test_a_long_hostile_answer_takes_no_long_time() -> None:
    for piece in (
        "[",
        "`",
        "a-",
        "&amp;",
        "a.",
        "[a](b)",
        "((",
        "<a",
        "+1 ",
        "a@",
        "```\n",
        "| a ",
        "`a",
        "a:",
    ):
        assert markdown(piece * (10_000 // len(piece)))


def test_marks_that_stand_in_for_others_are_seen_as_such() -> None:
    assert {unicodedata.normalize("NFKC", mark) for mark in "＠＋"} == {"@", "+"}
