"""Which files travel together, and which as photos: albums of pictures first, then documents."""

from collections.abc import Iterator, Sequence

from bot.chat import Delivered

MOST = 10
"""Of one album."""
LARGEST = 50 * 1024 * 1024
"""Bytes that Telegram's own server takes, of one file and, to be on the safe side, of all in one request."""
LARGEST_LOCAL = 2000 * 1024 * 1024
"""The same of a Bot API server of one's own."""
LARGEST_PHOTO = 10 * 1024 * 1024
LONGEST_SIDES = 10_000
"""Pixels: width and height of a photo together."""
STEEPEST = 20
"""How many times as long as wide a photo may be."""
HEAD = 64 * 1024
"""Bytes at a picture's beginning that tell its size."""

_PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"
_JPEG = b"\xff\xd8"
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
"""Segments of a JPEG that tell its size."""
_SCAN = 0xDA


def packed(files: Sequence[Delivered], largest: int) -> tuple[tuple[Delivered, ...], ...]:
    photos = [file for file in files if is_photo(file)]
    documents = [file for file in files if file not in photos]
    return (*_groups(photos, largest), *_groups(documents, largest))


def is_photo(file: Delivered) -> bool:
    if (
        file.as_file
        or not 0 < file.size <= LARGEST_PHOTO
        or not file.name.casefold().endswith((".png", ".jpg", ".jpeg"))
    ):
        return False
    try:
        with file.path.open("rb") as opened:
            pixels = dimensions(opened.read(HEAD))
    except OSError:
        return False
    if pixels is None or min(pixels) < 1:
        return False
    return sum(pixels) <= LONGEST_SIDES and max(pixels) <= STEEPEST * min(pixels)


def dimensions(head: bytes) -> tuple[int, int] | None:
    """Width and height that a PNG or JPEG states at its beginning; None when it states none."""
    if head.startswith(_PNG) and len(head) >= 24:
        return int.from_bytes(head[16:20]), int.from_bytes(head[20:24])
    return _of_jpeg(head) if head.startswith(_JPEG) else None


def _of_jpeg(head: bytes) -> tuple[int, int] | None:
    at = 2
    while at + 9 <= len(head) and head[at] == 0xFF:
        kind = head[at + 1]
        if kind in _FRAMES:
            return int.from_bytes(head[at + 7 : at + 9]), int.from_bytes(head[at + 5 : at + 7])
        if kind == _SCAN:
            return None
        at += 1 if kind == 0xFF else 2 + int.from_bytes(head[at + 2 : at + 4])
    return None


def _groups(files: Sequence[Delivered], largest: int) -> Iterator[tuple[Delivered, ...]]:
    """What cannot be sent at all is alone, so that it takes nothing else along."""
    group: list[Delivered] = []
    for file in files:
        if not 0 < file.size <= largest:
            yield (file,)
            continue
        if len(group) == MOST or sum(other.size for other in group) + file.size > largest:
            yield tuple(group)
            group = []
        group.append(file)
    if group:
        yield tuple(group)
