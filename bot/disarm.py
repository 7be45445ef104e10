"""Text that a model or a guest wrote, made safe to show: words stay, what acts on its own or by a click goes.

Chats turn addresses, mentions, commands and numbers in plain text into links, so markup alone is not enough.
What is taken out of action stays readable: `hxxps://evil[.]example`, `＠everyone`, `∕start`.
"""

import html
import re
from collections.abc import Mapping

_INVISIBLE = (
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200d\u2060-\u2064\u206a-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e01ef"
)
_STEERING = "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff"
"""Control and bidirectional characters, and halves of surrogate pairs."""
_HIDDEN = re.compile(f"[{_STEERING}{_INVISIBLE}]+")
_JOINERS = ("\ufe0f", "\u200d", "\u200c", "\ufe0f\u200d")
"""Emoji and several alphabets need one of these between two characters; more of them carry a message."""
_BREAKS = re.compile("\r\n?|[\u2028\u2029]")

_LABEL = r"[^\W_](?:[\w-]{0,61}[^\W_])?"
_ENDINGS = (
    "ai|app|biz|cc|click|cloud|cn|co|com|de|dev|eu|fr|gg|icu|in|info|io|kz|link|live|ly|me|mobi|net|online|"
    "onion|org|ru|sh|shop|site|store|su|tech|to|top|tv|ua|uk|us|vip|ws|xyz|zip|бел|рф|укр|қаз"
)
"""Names that chats take for a site without a path; with one, any name may be a site."""
_PATH = r"(?=(?::\d+)?[/?#][\w%=?&])"
_NAME = rf"(?<![^\W_])(?:{_LABEL}\.){{1,20}}(?:(?:{_ENDINGS})(?![^\W_]|\.\w)|[^\W\d_]{{2,}}{_PATH})"
_REST = r"""[^\s<>"'`|\])]*"""
_ADDRESS = re.compile(
    rf"[a-z][a-z0-9+.-]{{0,30}}://{_REST}|[\w.+%-]{{1,64}}@(?:{_LABEL}\.){{1,20}}{_LABEL}|{_NAME}{_REST}",
    re.IGNORECASE,
)
_SCHEME = re.compile(r"([a-z0-9+.-]{1,30})(:)//(?=([^\s<>\"'`|\[\])/?#]*))", re.IGNORECASE)
_SHORT = re.compile(
    r"(?:mailto|tel|sms|geo|skype|magnet|javascript|data(?=:[\w.+-]+/))(:)(?=\S)", re.IGNORECASE
)
_SITES = (
    re.compile(_NAME, re.IGNORECASE),
    re.compile(rf"@(?:{_LABEL}\.){{1,20}}{_LABEL}"),
    re.compile(r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?!\.?\d)"),
)
_MENTION = re.compile(r"@(?=\w)")
_COMMAND = re.compile(r"(?<![\w/<>])/(?=[A-Za-z0-9_]{1,64}(?![\w/<>]))")
_PHONE = re.compile(r"(?<![\w+])\+(?=\d[\d\s().-]{6,}\d)")

_FENCE_LIKE = re.compile(r"^[\s>*+\-\d.)]*(?:`{3,}|~{3,})", re.MULTILINE)
_FENCE = re.compile(
    r"^(?P<fence>`{3,}|~{3,})(?P<info>[^\n`]*)\n(?P<code>(?:.*\n)*?)(?P=fence)[ \t]*$", re.MULTILINE
)
_SPAN = re.compile(r"(?<!`)(`+)(?!`)([^\n|]+?)(?<!`)\1(?!`)")
_LINK = re.compile(r"!?\[([^\[\]\n]*)\]\(\s*<?([^()<>\s]*)>?(?:\s+[^()\n]*)?\)")
_TAG = re.compile(r"<([A-Za-z/!?@#][^<>\n]*)>")
_LAYERS = 20
"""Of markup within markup that are taken off one by one; what is left after that is broken up."""
_MARKS = frozenset("\\*_~|")
"""Markup that a renderer takes out of the middle of a word, which joins what stood on both sides."""


def visible(text: str) -> str:
    """Without characters that nobody sees or that change the order of others. For people's text too."""
    text = _BREAKS.sub("\n", text)

    def keep(match: re.Match[str]) -> str:
        before = text[match.start() - 1 : match.start()]
        return match[0] if match[0] in _JOINERS and before > "\x7f" else ""

    return _HIDDEN.sub(keep, text)


def plain(text: str, request: str = "") -> str:
    """Plain text in which nothing acts. Addresses that the person's own `request` holds stay as they are."""
    text = visible(text)
    return _put(text, _inert(text, _addresses(visible(request))))


def file_name(name: str) -> str:
    """`plain`, but for the ending of an archive, which happens to be one of sites, too."""
    stem, dot, ending = name.rpartition(".")
    return f"{plain(stem)}.{ending}" if dot and ending.lower() == "zip" else plain(name)


def markdown(text: str, request: str = "") -> str:
    """Markdown without links, images, HTML and what `plain` takes out of action. Code keeps its content."""
    text = visible(text)
    asked = visible(request)
    allowed = _addresses(asked) | _addresses(_view(asked)[0])
    if _is_unclear(text):
        return _prose(text, allowed)
    parts: list[str] = []
    at = 0
    for fence in _FENCE.finditer(text):
        parts += [_prose(text[at : fence.start()], allowed), _fenced(fence)]
        at = fence.end()
    return "".join([*parts, _prose(text[at:], allowed)])


def _is_unclear(text: str) -> bool:
    """Whether a renderer may see the ends of code blocks elsewhere: in lists, in quotes, in other code."""
    if _FENCE_LIKE.search(_FENCE.sub("", text)):
        return True
    return any(_FENCE_LIKE.search(fence["code"]) for fence in _FENCE.finditer(text))


def _fenced(fence: re.Match[str]) -> str:
    info = re.sub(r"[^\w+#.-]", "", fence["info"])
    return f"{fence['fence']}{info}\n{fence['code']}{fence['fence']}"


def _prose(text: str, allowed: frozenset[str]) -> str:
    paragraphs = re.split(r"(\n[ \t]*\n)", text)
    return "".join(part if part.isspace() else _paragraph(part, allowed) for part in paragraphs)


def _paragraph(text: str, allowed: frozenset[str]) -> str:
    """Inline code is spared where every backtick of the paragraph has its partner in its own line.

    Otherwise a renderer could pair them in another way, and show as text what we took for code.
    """
    if "`" in _SPAN.sub("", text) or "\\`" in text:
        return _passage(text, allowed)
    parts: list[str] = []
    at = 0
    for span in _SPAN.finditer(text):
        parts += [_passage(text[at : span.start()], allowed), span[0]]
        at = span.end()
    return "".join([*parts, _passage(text[at:], allowed)])


def _passage(text: str, allowed: frozenset[str]) -> str:
    text = _without_markup(visible(_unescaped(text)))
    view, places = _view(text)
    found = {places[place]: mark for place, mark in _inert(view, allowed).items()}
    return _put(text, {**found, **_inert(text, allowed)})


def _unescaped(text: str) -> str:
    """Without character references, which a renderer would turn into what we look for."""
    for _ in range(_LAYERS):
        if (plainer := html.unescape(text)) == text:
            return text
        text = plainer
    return text.replace("&", "＆")


def _without_markup(text: str) -> str:
    """Links and images become words and an address, tags become words."""
    for _ in range(_LAYERS):
        text = _LINK.sub(_words, text)
    text = re.sub(r"\](?=\()", "] ", text)
    text = re.sub(r"\]:(?=\s*\S)", r"]\:", text)
    return re.sub(r"<(?=[A-Za-z/!?@#])", "‹", _TAG.sub(r"‹\1›", text))


def _words(link: re.Match[str]) -> str:
    words, target = link[1].strip(), link[2]
    return f"{words} – {target}" if words and target and words != target else words or target


def _view(text: str) -> tuple[str, list[int]]:
    """The text as it reads once rendered, and where each character of that stands in `text`."""
    places = [place for place, character in enumerate(text) if character not in _MARKS]
    return "".join(text[place] for place in places), places


def _addresses(text: str) -> frozenset[str]:
    return frozenset(_trimmed(match[0]) for match in _ADDRESS.finditer(text))


def _trimmed(address: str) -> str:
    return address.rstrip(".,;:!?")


def _inert(text: str, allowed: frozenset[str]) -> dict[int, str]:
    """What to put in place of single characters."""
    kept = {
        place
        for match in _ADDRESS.finditer(text)
        if _trimmed(match[0]) in allowed
        for place in range(*match.span())
    }
    marks: dict[int, str] = {}
    for match in _SCHEME.finditer(text):
        marks |= _defanged(match)
    for match in _SHORT.finditer(text):
        marks[match.start(1)] = "[:]"
    for pattern in _SITES:
        marks |= {place: "[.]" for match in pattern.finditer(text) for place in _dots(match, 0)}
    for pattern, mark in ((_MENTION, "＠"), (_COMMAND, "∕"), (_PHONE, "＋")):
        marks |= {match.start(): mark for match in pattern.finditer(text)}
    return {place: mark for place, mark in marks.items() if place not in kept}


def _defanged(match: re.Match[str]) -> dict[int, str]:
    scheme = match[1].lower()
    dots = dict.fromkeys(_dots(match, 3), "[.]")
    if scheme.endswith(("hxxp", "hxxps")):
        return dots
    if scheme.endswith(("http", "https")):
        begin = match.start() + scheme.rindex("http")
        return dots | {begin + 1: "x", begin + 2: "x"}
    return dots | {match.start(2): "[:]"}


def _dots(match: re.Match[str], group: int) -> list[int]:
    return [place for place in range(*match.span(group)) if match.string[place] == "."]


def _put(text: str, marks: Mapping[int, str]) -> str:
    return "".join(marks.get(place, character) for place, character in enumerate(text))
