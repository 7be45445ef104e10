"""Where the table lies in a grid of cells: titles above, header, rows, notes below."""

import re
from itertools import chain, islice

import pandas as pd
import pyarrow as pa
from tables_errors import EmptyFile, HeaderOnly, TooLarge
from tables_layout import filled_count, find_layout, header_text, is_blank
from tables_model import Facts, Note, Table
from tables_numbers import is_number
from tables_typing import type_columns

HEAD = 200
"""Rows that decide where the header is."""
CHUNK = 20_000
MAX_COLUMNS = 16_384
"""As in Excel; no row of people's tables is longer."""
FOOTNOTE = re.compile(
    r"^\s*(?:\(?\d{1,2}\)|\*+|†|source\b|notes?\b|источник|примечани|注|出典|資料)", re.IGNORECASE
)


def build(rows, name, file, notes=(), *, size=0, merges=None, loose=False, whole=None):
    """A table from rows of cells (text, or typed values as a sheet has them).

    `merges` is {row index: cells that a sideways merge hides there}. `loose` says that rows end at their last
    filled cell (sheets), so that a short row means nothing. `whole` is the faster way to the same rows, see
    `tables_regular`. Raises EmptyFile, HeaderOnly, TooLarge.
    """
    rows = iter(rows)
    head = list(islice(rows, HEAD))
    if not any(filled_count(row) for row in head):
        first = next((row for row in rows if filled_count(row)), None)
        if first is None:
            raise EmptyFile(file, size=size)
        head = [first, *islice(rows, HEAD)]
    _check_width(file, max(map(len, head)))
    layout = find_layout(head, merges or {})
    told = [*notes]
    if layout.titles:
        told.append(Note("title_rows", {"texts": layout.titles}))
    body = _Body(layout, head[layout.first :], loose)
    if not (whole and body.take_whole(whole)):
        for row in chain(head[layout.first :], rows):
            body.add(row)
        body.finish()
    _check_width(file, body.width)
    names, columns = body.columns(told)
    body.parts.clear()
    if not body.count:
        raise HeaderOnly(file, columns=names, count=len(names))
    told += _about_header(layout)
    facts = Facts()
    frame = pd.DataFrame(type_columns(names, columns, facts))
    if empty := [str(name) for name in frame.columns[frame.iloc[0].isna()] if frame[name].isna().all()]:
        told.append(Note("empty_columns", {"columns": empty}))
    told += body.notes()
    told += facts.notes()
    return Table(name, file, frame, tuple(told))


def _about_header(layout):
    if layout.header is None:
        return [Note("no_header")]
    if layout.groups is not None:
        return [Note("joined_header", {"rows": [layout.groups + 1, layout.header + 1]})]
    if layout.header and layout.titles:
        return [Note("header_row", {"row": layout.header + 1})]
    return []


def _check_width(file, width):
    if width > MAX_COLUMNS:
        raise TooLarge(file, size=width, unit="columns", limit=MAX_COLUMNS)


class _Body:
    """Rows below the header, taken in one by one and kept by column, so that a long file fits in memory."""

    def __init__(self, layout, sample, loose):
        self.layout, self.loose, self.row, self.count = layout, loose, layout.first, 0
        self.names = list(layout.names)
        filled = [row for row in sample if filled_count(row)]
        width = len(self.names) or max((len(row) for row in filled), default=0)
        one_more = [row for row in filled if len(row) == width + 1]
        self.label = (
            bool(layout.names)
            and not loose
            and len(one_more) >= max(1, 0.9 * len(filled))
            and all(is_blank(name) is False for name in layout.names)
            and any(not is_blank(row[-1]) for row in one_more)
        )
        self.expected = width + 1 if self.label else width
        self.text = all(cell is None or isinstance(cell, str) for row in sample for cell in row)
        self.parts, self.chunk, self.waiting = [], [], []
        self.blank = self.ragged_count = 0
        self.after_blank = False
        self.ragged, self.footnotes, self.subheadings = [], [], []
        self.width = self.expected
        self.first_named = next((i for i, cell in enumerate(self.names) if not is_blank(cell)), 0)

    def take_whole(self, whole):
        """Whether all rows could be had at once, since none of them needs a look."""
        columns = None if self.label or not self.text else whole(self.expected, self.layout.first)
        if columns is None:
            return False
        self.count = len(columns[0])
        self.parts = [(self.count, columns)]
        return True

    def add(self, row):
        self.row += 1
        filled = filled_count(row)
        if not filled:
            if row or self.count:
                self.blank += 1
            self.after_blank = True
            return
        after_blank, self.after_blank = self.after_blank, False
        if filled == 1 and self.expected >= 3:
            self.waiting.append((self.row, row, after_blank))
            return
        self._flush()
        self._take(self.row, row)

    def _flush(self):
        for number, row, _ in self.waiting:
            cell = next(cell for cell in row if not is_blank(cell))
            if not is_blank(row[min(self.first_named, len(row) - 1)]) and isinstance(cell, str):
                self.subheadings.append(cell.strip())
            self._take(number, row)
        self.waiting = []

    def finish(self):
        """Single cells at the end are notes when they stand apart, look like notes, or follow such a one."""
        cut = len(self.waiting)
        singles = [
            next((i, cell) for i, cell in enumerate(row) if not is_blank(cell)) for _, row, _ in self.waiting
        ]
        for index, (at, cell) in enumerate(singles):
            words = all(isinstance(other, str) and not is_number(other) for _, other in singles[index:])
            apart = self.waiting[index][2] or (isinstance(cell, str) and FOOTNOTE.match(cell))
            if words and apart and at <= self.first_named:
                cut = index
                break
        notes, self.waiting = self.waiting[cut:], self.waiting[:cut]
        self._flush()
        self.footnotes = [
            str(next(cell for cell in row if not is_blank(cell))).strip() for _, row, _ in notes
        ]
        self._pack()

    def _take(self, number, row):
        if len(row) != self.expected and not self.loose:
            extra = any(not is_blank(cell) for cell in row[self.expected :])
            if extra or len(row) < self.expected:
                self.ragged_count += 1
                if len(self.ragged) < 20:
                    self.ragged.append({"row": number, "fields": len(row)})
        self.width = max(self.width, len(row))
        self.count += 1
        self.chunk.append(row)
        if len(self.chunk) >= CHUNK:
            self._pack()

    def _pack(self):
        if not self.chunk:
            return
        width = self.width
        padded = [row if len(row) == width else [*row, *[None] * (width - len(row))] for row in self.chunk]
        self.parts.append((len(padded), list(zip(*padded, strict=True))))
        if self.text:
            try:
                packed = [pa.array(column, type=pa.string()) for column in self.parts[-1][1]]
                self.parts[-1] = (len(padded), packed)
            except (pa.ArrowTypeError, pa.ArrowInvalid):
                self.text = False
        self.chunk = []

    def columns(self, told):
        """(names, columns): names differ, none is lost; columns without a name and a value are left out."""
        raw = [*(["row_label"] if self.label else []), *self.names]
        kept, labels, found, dropped = [], [], {"blank_header": [], "extra_columns": []}, 0
        for index in range(self.width if self.parts else 0):
            column = self._column(index)
            blank = index >= len(raw) or is_blank(raw[index])
            if blank and _is_empty(column):
                dropped += 1
                continue
            label = f"column_{index + 1}" if blank else header_text(raw[index])
            if blank and self.names:
                found["extra_columns" if index >= len(raw) else "blank_header"].append(label)
            kept.append(column)
            labels.append(label)
        if not self.parts:
            labels = [header_text(name) for name in raw if not is_blank(name)]
        names, found["duplicate_headers"] = unique(labels)
        if self.label:
            told.append(Note("row_label", {"column": names[0]}))
        told += [Note(code, {"columns": columns}) for code, columns in found.items() if columns]
        if dropped:
            told.append(Note("blank_columns", {"count": dropped}))
        return names, kept

    def _column(self, index):
        pieces = [part[index] if index < len(part) else [None] * size for size, part in self.parts]
        if self.text:
            return [p if isinstance(p, pa.Array) else pa.nulls(len(p), pa.string()) for p in pieces]
        return [cell for p in pieces for cell in (p.to_pylist() if isinstance(p, pa.Array) else p)]

    def notes(self):
        if self.ragged_count:
            rows = [f"row {item['row']} has {item['fields']}" for item in self.ragged]
            yield Note("ragged_rows", {"count": self.ragged_count, "expected": self.expected, "rows": rows})
        if self.blank:
            yield Note("blank_rows", {"count": self.blank})
        if self.subheadings:
            yield Note("subheadings", {"labels": self.subheadings[:50]})
        if self.footnotes:
            yield Note("footnotes", {"texts": self.footnotes})


def unique(names):
    """Names made different with _2, _3; and the ones that had to change."""
    taken, result, changed = set(names), [], []
    seen = {}
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        if seen[name] == 1:
            result.append(name)
            continue
        number = seen[name]
        while f"{name}_{number}" in taken:
            number += 1
        seen[name] = number
        taken.add(f"{name}_{number}")
        result.append(f"{name}_{number}")
        changed.append(result[-1])
    return result, changed


def _is_empty(column):
    if column and isinstance(column[0], pa.Array):
        return all(is_blank(cell) for chunk in column for cell in chunk.unique().to_pylist())
    return all(is_blank(cell) for cell in column)
