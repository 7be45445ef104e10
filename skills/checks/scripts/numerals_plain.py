"""Files of text: Markdown, HTML, CSV, plain."""

import csv
import html
import io
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

from numerals_charts import exact, labels
from numerals_grid import grid
from numerals_model import Extraction
from numerals_text import clean, extract_text

MAX_BYTES = 4 * 1024 * 1024
MAX_CELLS = 400_000
_EMPHASIS = re.compile(r"[*_`]{1,3}(?=\S)|(?<=\S)[*_`]{1,3}(?!\w)")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
PROSE = ("text", "txt", "plain", "md", "markdown", "csv", "output", "console")
"""Languages of fenced blocks that are no code."""
_RULE = re.compile(r"\s*\|?(?:\s*:?-{2,}:?\s*\|)+(?:\s*:?-{2,}:?\s*)?\|?\s*")
_SCRIPT = re.compile(r"<(script|style)\b.*?(?:</\1\s*>|\Z)", re.IGNORECASE | re.DOTALL)


def read(path, name):
    found = Extraction(name)
    with Path(path).open("rb") as file:
        content = file.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        found.notes.append(f"what comes after {MAX_BYTES // 2**20} MiB was not read")
    text = _decoded(content[:MAX_BYTES])
    suffix = name.lower().rsplit(".", 1)[-1]
    if suffix in ("csv", "tsv"):
        _rows(text, "\t" if suffix == "tsv" else None, found)
        return found
    text = _words(text) if suffix in ("html", "htm") else text
    for number, numerals in _by_line(text, ""):
        found.add(numerals)
        if number % 500 == 0 and found.late(f"lines from {number} on were"):
            break
    return found


def of_markdown(text, place=""):
    """Numerals of Markdown: its tables know their heads, its code says nothing."""
    return [one for _, numerals in _by_line(text, place) for one in numerals]


def _by_line(text, place):
    """(number of the line, numerals) of each line, of a table at its end."""
    rows, first, heading, fence = [], 0, "", ""
    for number, line in enumerate([*clean(text).splitlines(), ""], start=1):
        mark = line.lstrip()[:3]
        named = line.strip(" `~").lower()
        if fence or (mark in ("```", "~~~") and named and named not in PROSE):
            fence = "" if fence == mark and not line.strip(" `~") else fence or mark
            continue
        if line.count("|") >= 2 or (rows and "|" in line):
            first = first or number
            rows.append(line)
            continue
        if rows:
            yield number, _table(rows, place, first)
            rows, first = [], 0
        if line.lstrip().startswith("#"):
            heading = line.strip("# ")[:200]
        found = extract_text(
            _EMPHASIS.sub("", _ESCAPED.sub(r"\1", html.unescape(line))), place if place else f"line {number}"
        )
        yield number, [replace(one, around=heading) for one in found]


def _table(rows, place, first):
    if not any(_RULE.fullmatch(row) for row in rows):
        return [
            one
            for number, row in enumerate(rows, start=first)
            for one in extract_text(row, place or f"line {number}")
        ]
    cells = [
        [cell.strip(" *_`") for cell in row.strip().strip("|").split("|")]
        for row in rows
        if not _RULE.fullmatch(row)
    ]
    return grid(cells, ", ".join(filter(None, (place, f"table in line {first}"))))


def _rows(text, delimiter, found):
    """Cells of a CSV file, read as numbers: it is data, and nobody rounded it for reading."""
    try:
        delimiter = delimiter or csv.Sniffer().sniff(text[:4_000], ",;|\t").delimiter
    except csv.Error:
        delimiter = ","
    head, room = [], MAX_CELLS
    try:
        for number, row in enumerate(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), start=1):
            if number == 1:
                head = row
            if number % 500 == 0 and found.late(f"rows from {number} on were"):
                break
            for column, cell in enumerate(row):
                room -= 1
                if room < 0 or not any(mark.isdigit() for mark in cell):
                    continue
                place = f"row {number}, column {column + 1}"
                above = head[column] if column < len(head) and number > 1 else ""
                plain = cell.replace(",", ".") if delimiter != "," else cell
                numeral = exact(plain, "", place, (row[0] if column else "", above))
                found.add([numeral] if numeral is not None else labels(cell, place))
    except csv.Error as error:
        found.notes.append(f"rows after a broken one were not read: {error}")
    if room < 0:
        found.notes.append(f"{-room} cells were not read")


class _Words(HTMLParser):
    BLOCKS = frozenset(
        (
            "p",
            "div",
            "br",
            "li",
            "ul",
            "ol",
            "h1",
            "h2",
            "h3",
            "h4",
            "h5",
            "h6",
            "tr",
            "table",
            "section",
            "article",
            "title",
            "figcaption",
        )
    )

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.pieces, self.cells = [], 0

    def handle_starttag(self, tag, attrs):
        if tag == "tr":
            self.cells = 0
        if tag in self.BLOCKS:
            self.pieces.append("\n|" if tag == "tr" else "\n")
        for name, value in attrs:
            if name in ("alt", "title") and value:
                self.pieces.append(f"\n{value}\n")

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self.cells += 1
            self.pieces.append(" | ")
        elif tag == "thead":
            self.pieces.append("\n" + "|---" * max(self.cells, 1) + "|")
        elif tag in self.BLOCKS and tag != "tr":
            self.pieces.append("\n")

    def handle_data(self, data):
        self.pieces.append(data.replace("\n", " ") if data.strip() else " ")


def _words(text):
    parser = _Words()
    parser.feed(_SCRIPT.sub(" ", text))
    parser.close()
    lines = "".join(parser.pieces).splitlines()
    return html.unescape("\n".join(line.strip() for line in lines if line.strip(" |") or "|---" in line))


def _decoded(content):
    for codec in ("utf-8-sig", "utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8", "cp1251"):
        try:
            return content.decode(codec)
        except UnicodeDecodeError:
            continue
    return content.decode("latin-1")
