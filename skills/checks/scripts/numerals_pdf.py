"""A PDF: the words of each page, without page numbers, contents and the scales of drawn axes."""

import logging
import re
from itertools import pairwise

from numerals_model import Extraction, Unreadable
from numerals_text import clean, extract_text

MAX_PAGES = 300
MAX_CHARS = 2_000_000
ABOVE = 3
"""Lines above a number whose words are near it."""
AXIS = 4
"""So many lone numbers in equal steps, one a line, are the scale of an axis."""
_PAGE = re.compile(
    r"\s*(?:(?:page|p\.|стр(?:аница|\.)?|с\.)?\s*(?P<a>\d{1,4})(?:\s*(?:of|из|/)\s*\d{1,4})?|[-–—]\s*(?P<b>\d{1,4})\s*[-–—])\s*",
    re.IGNORECASE,
)
_LONE = re.compile(r"\s*[-−+]?[$€£₽]?\d[\d.,\u00a0 ]*(?:%|[kKMKBкм]|тыс\.?|млн)?\s*")


def read(path, name):
    from pypdf import PasswordType, PdfReader  # only PDF files pay for it
    from pypdf.errors import PyPdfError

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # what it mends by itself is no news
    found, room = Extraction(name), MAX_CHARS
    try:
        reader = PdfReader(path)
        if reader.is_encrypted and reader.decrypt("") == PasswordType.NOT_DECRYPTED:
            raise Unreadable("it is locked by a password")
        pages = len(reader.pages)
        for number in range(1, pages + 1):
            if number > MAX_PAGES or not room:
                found.notes.append(f"pages after {number - 1} of {pages} were not read")
                break
            if found.late(f"pages after {number - 1} of {pages} were"):
                break
            text = reader.pages[number - 1].extract_text()[:room]
            room -= len(text)
            lines = page(text, number).splitlines()
            for place, line in enumerate(lines):
                if any(mark.isdigit() for mark in line):
                    # a sentence goes on over lines, and its chart's title stands above it
                    around = " ".join(lines[max(0, place - ABOVE) : place + 2])
                    found.add(extract_text(line, f"page {number}"), around=around)
    except Unreadable:
        raise
    except (
        PyPdfError,
        RecursionError,
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        IndexError,
        OSError,
    ) as error:
        raise Unreadable(f"not a readable PDF: {error}") from error
    return found


def page(text, number):
    """The text of one page without its number and without scales."""
    lines = clean(text).splitlines()
    spoken = [index for index, line in enumerate(lines) if line.strip()]
    for index in (*spoken[:2], *spoken[-2:]):
        match = _PAGE.fullmatch(lines[index])
        if (match and int(match["a"] or match["b"]) == number) or re.fullmatch(
            rf".*\b(?:page|стр\.|страница)\s*{number}(?:\s*(?:of|из|/)\s*\d+)?\s*",
            lines[index],
            re.IGNORECASE,
        ):
            lines[index] = re.sub(
                r"(?:page|стр\.|страница)?\s*\d+(?:\s*(?:of|из|/)\s*\d+)?\s*[-–—]?\s*$",
                "",
                lines[index],
                flags=re.I,
            )
    for start, stop in _scales(lines):
        lines[start:stop] = [""] * (stop - start)
    return "\n".join(lines)


def _scales(lines):
    """Runs of lines with a lone number each, in equal steps."""
    start = 0
    while start < len(lines):
        stop = start
        while stop < len(lines) and _LONE.fullmatch(lines[stop]):
            stop += 1
        values = [one[0].value if (one := extract_text(line)) else 0 for line in lines[start:stop]]
        if len(values) >= AXIS:
            steps = [after - before for before, after in pairwise(values)]
            if steps[0] and all(abs(step - steps[0]) <= abs(steps[0]) * 1e-6 for step in steps):
                yield start, stop
        start = max(stop, start + 1)
