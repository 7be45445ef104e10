"""A text file that is too large for memory: lines from places evenly spread, and how many rows there are."""

import csv
from collections import Counter
from dataclasses import dataclass
from itertools import islice

from tables_text import SAMPLE, detect_encoding, detect_separator

PLACES = 16
PART = 5
"""The sample is this part of what could be read whole."""
MOST = 16 * 1024 * 1024
COUNTED = 4 * 1024**3
"""Bytes whose lines are counted; in a larger file they are estimated."""
BLOCK = 1024 * 1024
TORN = 200
"""Lines at the beginning of a place that may belong to a cell with line breaks in it."""
SURE = 5
"""Whole rows that show that the first one is no such line."""


@dataclass(frozen=True)
class Sample:
    """`lines` of the file, counted or not; `places` that it was taken from."""

    lines: int
    counted: bool
    places: int


def take(path, target, limit):
    """Write a sample of `path` to `target`, its first lines included. A `Sample`."""
    size = path.stat().st_size
    share = min(MOST, limit // PART) // PLACES
    encoding, _ = detect_encoding(path, whole=False)
    end, unit = _line_end(encoding)
    width, separator = _shape(path, encoding) if unit == 1 else (0, "")
    with path.open("rb") as source, target.open("wb") as sample:
        for place in range(PLACES):
            start = size * place // PLACES // unit * unit
            source.seek(start)
            block = source.read(min(share, size - start))
            if place:
                block = block[_after(block, end, unit) :]
            sample.write(_whole(block[: _before(block, end, unit)], width, separator, first=place == 0))
    return _counted(path, end, size, target.stat().st_size, target)


def _line_end(encoding):
    """(the bytes of a line's end, bytes of a letter) of an encoding."""
    if encoding.startswith("utf-16"):
        return "\n".encode("utf-16-be" if encoding.endswith("be") else "utf-16-le"), 2
    return b"\n", 1


def _shape(path, encoding):
    """(fields of a row, separator) as the first lines have them; (0, "") when they do not tell."""
    with path.open(encoding=encoding, errors="replace", newline="") as stream:
        sample = stream.read(SAMPLE)
    separator = detect_separator(sample, whole=False)
    if not separator or separator == " ":
        return 0, ""
    rows = csv.reader(sample.splitlines()[:500], delimiter=separator)
    widths = Counter(len(row) for row in rows)
    return widths.most_common(1)[0][0], separator


def _after(block, end, unit):
    """Where the first whole line of a place begins."""
    place = block.find(end)
    while place >= 0 and place % unit:
        place = block.find(end, place + 1)
    return len(block) if place < 0 else place + len(end)


def _before(block, end, unit):
    """Where the last whole line of a place ends."""
    place = block.rfind(end)
    while place > 0 and place % unit:
        place = block.rfind(end, 0, place + len(end) - 1)
    return len(block) if place < 0 else place + len(end)


def _whole(block, width, separator, *, first):
    """Without the rows at the ends of a place that are torn: a cell may have line breaks in it."""
    if not width:
        return block
    raw = block.splitlines(keepends=True)
    lines = [line.decode("latin-1") for line in raw]
    start = 0 if first else _begin(lines, width, separator)
    reader = csv.reader(lines[start:], delimiter=separator)
    stop = max((reader.line_num for row in reader if len(row) == width), default=len(lines))
    return b"".join(raw[start : start + stop])


def _begin(lines, width, separator):
    """The first line from which on rows are as wide as they should be."""
    for place in range(min(TORN, len(lines))):
        rows = list(islice(csv.reader(lines[place : place + TORN], delimiter=separator), SURE))
        if all(len(row) == width for row in rows):
            return place
    return 0


def _counted(path, end, size, taken, target):
    if size <= COUNTED:
        return Sample(_lines(path, end), counted=True, places=PLACES)
    return Sample(round(_lines(target, end) * size / max(1, taken)), counted=False, places=PLACES)


def _lines(path, end):
    last, count = b"", 0
    with path.open("rb") as file:
        for block in iter(lambda: file.read(BLOCK), b""):
            count += block.count(end)
            last = block[-len(end) :]
    return count + (last != end)
