"""Wide tables of a Markdown text, as they can be read on a telephone. Pure."""

from collections.abc import Iterator, Sequence

from bot.delivery.tables import MAX_WIDTH, cells, find


def without_wide_tables(markdown: str) -> str:
    """Small tables stay as they are; each row of a larger one becomes lines of `column: value`."""
    lines = markdown.split("\n")
    for place in reversed(find(markdown)):
        if place.table.width > MAX_WIDTH:
            header, _, *body = lines[place.start : place.end]
            lines[place.start : place.end] = _told(cells(header), [cells(line) for line in body])
    return "\n".join(lines)


def _told(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    for row in rows:
        yield ""
        pairs = [(name, cell) for name, cell in zip(header, row, strict=False) if cell]
        yield from (f"{name}: {cell}" if name else cell for name, cell in pairs)
    if not rows:
        yield from ("", ", ".join(header))
    yield ""
