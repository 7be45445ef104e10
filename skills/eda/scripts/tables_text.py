"""Text tables: the encoding, the separator, then rows from the standard csv reader."""

import codecs
import csv
import io
import re
from collections import Counter
from dataclasses import replace
from itertools import islice

from charset_normalizer import from_bytes
from tables_errors import EmptyFile, NotATable
from tables_model import Note
from tables_numbers import is_number
from tables_regular import regular
from tables_shape import build

SAMPLE = 256 * 1024
QUOTED = 128 * 1024
"""Characters in which a quote that is never closed shows."""
BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig", "UTF-8 with BOM"),
    (codecs.BOM_UTF32_LE, "utf-32", "UTF-32 with BOM"),
    (codecs.BOM_UTF32_BE, "utf-32", "UTF-32 with BOM"),
    (codecs.BOM_UTF16_LE, "utf-16", "UTF-16LE with BOM"),
    (codecs.BOM_UTF16_BE, "utf-16", "UTF-16BE with BOM"),
)
CANDIDATES = ("cp1251", "cp932", "cp1252", "koi8_r", "cp866", "gb18030")
NAMES = {"\t": "tab", ",": "comma", ";": "semicolon", "|": "pipe", " ": "spaces"}
SEPARATORS = "\t;|,"
"""Where two split a file equally well the earlier wins: a comma may stand inside numbers and words."""
MAX_NULLS = 3
"""Stray null bytes in a text; with more of them, from one in a hundred characters, it is none."""
CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f]")
FREQUENT = frozenset("оеаинтсрвлкмдпуяыьгзбчй")


def read(path, name, *, strict=False):
    """One table from a text file. `strict` (.txt, .md and unknown suffixes) refuses what looks like prose."""
    encoding, shown = detect_encoding(path)
    notes = [Note("encoding", {"encoding": shown})]
    with path.open(encoding=encoding, errors="replace", newline="") as stream:
        sample = stream.read(SAMPLE)
    if not sample.strip('\ufeff\x00 \t\r\n,;|"'):
        raise EmptyFile(path.name, size=path.stat().st_size)
    if sample.count("\x00") > max(MAX_NULLS, len(sample) // 100) or len(CONTROL.findall(sample[:4000])) > 20:
        raise NotATable(path.name, kind="a binary file of an unknown format")
    sample = sample.replace("\x00", "")
    told = re.match(r"sep=(.)\r?\n", sample)
    separator = told[1] if told else detect_separator(sample, whole=len(sample) < SAMPLE, strict=strict)
    if separator is None:
        raise NotATable(path.name, kind="plain text without columns")
    if separator:
        notes.append(
            Note("delimiter", {"delimiter": NAMES.get(separator, separator), "character": separator})
        )
    csv.field_size_limit(1 << 30)
    with path.open(encoding=encoding, errors="replace", newline="") as stream:
        if told:
            stream.readline()
        lines = _Lines(stream)
        quotes = not _quote_runs_away(sample[:QUOTED], separator)
        if not quotes:
            notes.append(Note("unbalanced_quote"))
        rows = _rows(lines, separator, csv.QUOTE_MINIMAL if quotes else csv.QUOTE_NONE)
        plain = encoding.startswith("utf-8") and separator not in ("", " ") and not told
        whole = regular(path, separator, quotes=quotes) if plain else None
        table = build(rows, name, path.name, notes, size=path.stat().st_size, whole=whole)
    if lines.nulls:
        table = replace(table, notes=(*table.notes, Note("null_bytes", {"count": lines.nulls})))
    lost = 0 if shown == "UTF-8" else _replaced(path, encoding)
    return replace(table, notes=(*table.notes, Note("lost_bytes", {"count": lost}))) if lost else table


class _Lines:
    """The lines of a text without its null bytes, which are counted."""

    def __init__(self, stream):
        self.stream, self.nulls = stream, 0

    def __iter__(self):
        for line in self.stream:
            if "\x00" in line:
                self.nulls += line.count("\x00")
                line = line.replace("\x00", "")
            yield line


def _replaced(path, encoding):
    """How many bytes had no meaning in the encoding: they show as a question mark in a diamond."""
    with path.open(encoding=encoding, errors="replace", newline="") as stream:
        return sum(block.count("\ufffd") for block in iter(lambda: stream.read(1 << 20), ""))


def detect_encoding(path, *, whole=True):
    """(codec, name to show). The whole file is tried as UTF-8, so a late letter cannot be cut in two; of a
    file too large for that only its head."""
    with path.open("rb") as file:
        head = file.read(SAMPLE)
        for bom, codec, shown in BOMS:
            if head.startswith(bom):
                return codec, shown
        if len(head) > 3 and head.count(0) > len(head) * 0.2:
            return (
                ("utf-16-be", "UTF-16BE")
                if head[::2].count(0) > head[1::2].count(0)
                else ("utf-16-le", "UTF-16LE")
            )
        decoder = codecs.getincrementaldecoder("utf-8")()
        high, block = bytearray(), head
        try:
            while block:
                if decoder.getstate()[0] or not block.isascii():
                    decoder.decode(block)
                block = file.read(1 << 20) if whole else b""
            decoder.decode(b"", final=whole)
        except UnicodeDecodeError:
            high += head if any(byte > 127 for byte in head) else block
        else:
            return "utf-8", "UTF-8"
    return detect_legacy(bytes(high))


def detect_legacy(data):
    """(codec, name) of bytes that are not UTF-8, by which reading gives words that people write."""
    damaged = data.decode("utf-8", "replace")
    if damaged.count("\ufffd") * 20 < sum(char > "\x7f" for char in damaged):
        return "utf-8", "UTF-8 with damaged bytes"
    best, best_score = "", 0.0
    for codec in CANDIDATES:
        text = _decoded(data, codec)
        score = -1.0 if text is None else (_chinese if codec == "gb18030" else word_score)(text)
        if score > best_score:
            best, best_score = codec, score
    if best_score < 0.55:
        guess = from_bytes(data[:SAMPLE]).best()
        if guess is not None:
            return guess.encoding, guess.encoding
    best = best or "cp1252"
    return best, {"cp932": "Shift-JIS (cp932)", "cp1251": "Windows-1251", "cp1252": "Windows-1252"}.get(
        best, best
    )


def _chinese(text):
    """Share of common characters: other encodings decode as Chinese too, but into rare ones."""
    codes = [char.encode("gb2312", "replace") for char in text[:50_000] if char > "\x7f"]
    return 0.9 * sum(len(code) == 2 and 0xA1 <= code[0] <= 0xD7 for code in codes) / max(1, len(codes))


def word_score(text):
    """0 to 1: how natural the letters outside ASCII look."""
    total, count, before = 0.0, 0, " "
    for char in text[:50_000]:
        if char > "\x7f":
            count += 1
            total += _weight(char, before)
        before = char
    return total / count if count else 0.0


def _weight(char, before):
    if "а" <= char <= "я" or char in "ёіїєґ":
        odd = before.isascii() and before.isalpha()
        return 0.0 if odd else 1.0 if char in FREQUENT else 0.6
    if "А" <= char <= "Я" or char in "ЁІЇЄҐ":
        return 0.1 if before.islower() or (before.isascii() and before.isalpha()) else 0.7
    if "\u3040" <= char <= "\u30ff":
        return 1.0
    if "\u4e00" <= char <= "\u9fff" or "\u3000" <= char <= "\u303f" or "\uff01" <= char <= "\uff5e":
        return 0.85
    if char in "\u00a0«»№–—’“”°…€£±":
        return 0.6
    if "\u00c0" <= char <= "\u017f":
        return 0.9 if before.isascii() else 0.2
    return 0.0


def _decoded(data, codec):
    for cut in range(4):
        try:
            return data[: len(data) - cut].decode(codec)
        except UnicodeDecodeError:
            if len(data) < SAMPLE:
                return None
    return None


def detect_separator(sample, *, whole=True, strict=False):
    """The separator, "" for one column, None for prose."""
    lines = sample.splitlines()
    if not whole and len(lines) > 1:
        lines = lines[:-1]
    best, best_key, best_width = "", (0.0, 0), 1
    for rank, separator in enumerate(SEPARATORS):
        try:
            rows = csv.reader(lines[:2000], delimiter=separator)
            widths = Counter(len(row) for row in islice(filter(_has_text, rows), 300))
        except csv.Error:
            continue
        usual, count = max(widths.items(), key=lambda item: (item[0] > 1, item[1]), default=(1, 0))
        if usual < 2:
            continue
        key = (round(count / sum(widths.values()), 2), -rank)
        if key > best_key:
            best, best_key, best_width = separator, key, usual
    if (
        best
        and (best_key[0] >= (0.8 if strict else 0.25))
        and not (strict and _is_prose(lines, best, best_width))
    ):
        return best
    spaced = [re.split(r"\s{2,}", line.strip()) for line in lines[:300] if line.strip()]
    if len(spaced) > 2 and min(len(row) for row in spaced) > 1 and len({len(row) for row in spaced}) == 1:
        return " "
    if not strict:
        return ""
    filled = [line.strip() for line in lines if line.strip()]
    return "" if filled and sum(map(is_number, filled)) >= 0.8 * len(filled) else None


def _has_text(row):
    return any(cell.strip() for cell in row)


def _is_prose(lines, separator, width):
    """Few commas, in long lines or each with a space after it: a letter, not a table."""
    filled = [line for line in lines if line.strip()]
    commas, spaced = (sum(line.count(mark) for line in filled) for mark in (",", ", "))
    long = sum(map(len, filled)) / len(filled) > 60 * width
    return separator == "," and width < 4 and (long or spaced > 0.6 * commas)


def _quote_runs_away(sample, separator):
    if not separator or '"' not in sample:
        return False
    rows = csv.reader(io.StringIO(sample, newline=""), delimiter=separator)
    if sample.count("\n") + sample.count("\r") - sum(1 for _ in rows) <= 100:
        return False
    rows = csv.reader(io.StringIO(sample, newline=""), delimiter=separator)
    return any(cell.count("\n") > 100 for row in rows for cell in row)


def _rows(stream, separator, quoting):
    if separator == " ":
        return (re.split(r"\s{2,}", line.strip()) if line.strip() else [] for line in stream)
    return csv.reader(stream, delimiter=separator or "\x1f", quoting=quoting)
