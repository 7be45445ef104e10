"""Names as data: safe names for uploads and for sending, and checks of what the guest names."""

import re
import unicodedata
from collections.abc import Iterable, Sequence

MAX_BYTES = 120
MAX_SUFFIX = 20
_RESERVED = {"con", "prn", "aux", "nul"} | {f"{port}{n}" for port in ("com", "lpt") for n in range(10)}
_TRAILING = "._ "
_STEM = re.compile(r"\w[\w.-]*")
_LOOKALIKES = re.compile("[\u034f\u115f\u1160\u2044\u2215\u2800\u3164\uff0e\uff0f\uff3c\uffa0]")
"""Printable, yet not seen, or seen as the dot or slash of a path."""


def canonical_names(originals: Iterable[str]) -> tuple[str, ...]:
    """One name per upload, in order: letters of any alphabet and the extension kept, spaces made `_`.

    No two are alike, also not but for letter case.
    """
    return _distinct(_safe(original, space="_") for original in originals)


def sendable_names(paths: Iterable[str]) -> tuple[str, ...]:
    """File names for a chat, one per path of out/, no two alike. Spaces stay."""
    return _distinct(_safe(path, space=" ") for path in paths)


def is_script_name(name: str, suffixes: Sequence[str] = (".py",)) -> bool:
    """A plain file name with one of the suffixes, in any alphabet."""
    stem = next((name.removesuffix(suffix) for suffix in suffixes if name.endswith(suffix)), "")
    return (
        bool(_STEM.fullmatch(stem))
        and len(name.encode("utf-8", "replace")) <= MAX_BYTES
        and name.isprintable()
    )


def split_path(path: str, *, depth: int = 17, length: int = 1000) -> tuple[str, ...] | None:
    """The parts of a relative path that the guest named; None when one could be anything but a name.

    `length` is in bytes. What passes may be opened part by part below a folder; it is never joined to a path.
    """
    parts = tuple(path.split("/"))
    try:
        fits = len(parts) <= depth and len(path.encode()) <= length
    except UnicodeEncodeError:
        return None
    return parts if fits and all(map(_is_plain, parts)) else None


def deceives(path: str) -> bool:
    """Whether a part of it is not what it seems, or is none for other systems than Linux."""
    return any(
        not part.isprintable()
        or bool(_LOOKALIKES.search(part) or _INVISIBLE.search(part))
        or part != part.rstrip(". ")
        or part.split(".")[0].rstrip().lower() in _RESERVED
        for part in path.split("/")
    )


def clean_text(text: str) -> str:
    """Text of a guest without what could steer a terminal or hide its order: line ends and tabs stay.

    Colours are left out; other control or bidirectional characters and lone surrogates become U+FFFD.
    """
    text = (
        _COLOUR.sub("", text).replace("\r\n", "\n").replace("\r", "\n")
    )  # a progress bar draws over its line
    return _UNWANTED.sub("\ufffd", text)


_COLOUR = re.compile("\x1b\\[[0-9;:?]*[ -/]*[@-~]")
_INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
"""Letters and marks that show nothing, or only change their neighbour; Python calls them printable."""
_UNWANTED = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\U000e0000-\U000e007f]"
)


def _is_plain(part: str) -> bool:
    return part not in ("", ".", "..") and part.isprintable() and len(part.encode()) <= 255


def _safe(original: str, *, space: str) -> str:
    name = re.split(r"[/\\]", original)[-1]
    name = unicodedata.normalize("NFC", name.encode("utf-8", "replace").decode())
    name = "".join(_kept(character, space) for character in _INVISIBLE.sub("", name))
    name = re.sub(r"_{2,}", "_", re.sub(r" {2,}", " ", name)).rstrip(_TRAILING)
    stem, suffix = _split(name)
    stem = stem.lstrip(".-_ ") or "file"
    if stem.split(".")[0].rstrip().lower() in _RESERVED:
        stem = f"file{space}{stem}"
    return _cut(stem, MAX_BYTES - len(suffix.encode())) + suffix


def _kept(character: str, space: str) -> str:
    category = unicodedata.category(character)
    if category[0] in "LMN" or character in "._-()+,=@":
        return character
    if category == "Zs" or character in "\t\n\r":
        return space
    return "_"


def _split(name: str) -> tuple[str, str]:
    """Stem and extension; `.tar.gz` and what is no extension at all are told apart by length only."""
    stem, dot, suffix = name.rpartition(".")
    if not dot or not stem or not suffix.isalnum() or len(suffix.encode()) > MAX_SUFFIX:
        return name, ""
    return stem.rstrip(_TRAILING), f".{suffix}"


def _cut(text: str, size: int) -> str:
    """At most `size` bytes of whole characters."""
    while len(text.encode()) > size:
        text = text[:-1]
    return text.rstrip(_TRAILING)


def _distinct(names: Iterable[str]) -> tuple[str, ...]:
    taken: set[str] = set()
    result: list[str] = []
    for name in names:
        stem, suffix = _split(name)
        candidate, number = name, 1
        while candidate.casefold() in taken:
            number += 1
            mark = f"_{number}"
            candidate = _cut(stem, MAX_BYTES - len((mark + suffix).encode())) + mark + suffix
        taken.add(candidate.casefold())
        result.append(candidate)
    return tuple(result)
