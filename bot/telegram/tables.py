"""Tables of a Markdown text, as they can be read on a telephone. Pure."""

import re
from collections.abc import Iterator

WIDEST = 35
"""Characters of a row that a telephone shows in one line of monospace."""

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_RULE = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*")
_BAR = re.compile(r"(?<!\\)\|")

Row = list[str]


def without_wide_tables(markdown: str) -> str:
    """Small tables stay as they are; each row of a larger one becomes lines of `column: value`."""
    return "\n".join(_lines(markdown.split("\n")))


def _lines(lines: list[str]) -> Iterator[str]:
    fence = ""
    at = 0
    while at < len(lines):
        line = lines[at]
        if mark := _FENCE.match(line):
            fence = _fence_after(fence, mark[1])
        if fence or not _begins_table(lines, at):
            yield line
            at += 1
            continue
        end = at + 2
        while end < len(lines) and "|" in lines[end] and lines[end].strip():
            end += 1
        rows = [_cells(lines[at]), *(_cells(text) for text in lines[at + 2 : end])]
        if _width(rows) <= WIDEST:
            yield from lines[at:end]
        else:
            yield from _told(rows)
        at = end


def _fence_after(fence: str, mark: str) -> str:
    if not fence:
        return mark
    return "" if mark[0] == fence[0] and len(mark) >= len(fence) else fence


def _begins_table(lines: list[str], at: int) -> bool:
    if "|" not in lines[at] or at + 1 == len(lines):
        return False
    rule = lines[at + 1]
    return _RULE.fullmatch(rule) is not None and len(_cells(lines[at])) == len(_cells(rule))


def _cells(line: str) -> Row:
    line = line.strip().removeprefix("|")
    if _BAR.search(line[-1:]) and not line.endswith("\\|"):
        line = line[:-1]
    return [cell.strip() for cell in _BAR.split(line)]


def _width(rows: list[Row]) -> int:
    """With the bars and blanks that stand between columns."""
    columns = len(rows[0])
    widths = [max(len(row[at]) for row in rows if at < len(row)) for at in range(columns)]
    return sum(widths) + 3 * (columns - 1)


def _told(rows: list[Row]) -> Iterator[str]:
    header, *body = rows
    for row in body:
        yield ""
        pairs = [(name, cell) for name, cell in zip(header, row, strict=False) if cell]
        yield from (f"{name}: {cell}" if name else cell for name, cell in pairs)
    if not body:
        yield from ("", ", ".join(header))
    yield ""
