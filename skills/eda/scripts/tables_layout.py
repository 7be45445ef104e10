"""Where the header of a grid is: after titles, in one row or two, or nowhere."""

import re
from dataclasses import dataclass, field
from datetime import datetime

from tables_dates import read_dates
from tables_numbers import is_number

YEAR = re.compile(r"(?:18|19|20)\d\d")


@dataclass(frozen=True)
class Layout:
    """`first` is the index of the first data row; `header` is None when the columns have no names."""

    first: int
    header: int | None
    groups: int | None = None
    titles: list = field(default_factory=list)
    names: list = field(default_factory=list)


def find_layout(head, merges):
    """Layout of the first rows of a grid. `merges`: {row index: cells that a sideways merge hides there}."""
    counts = [filled_count(row) for row in head]
    wide = sorted(count for count in counts if count >= 2)
    typical = wide[len(wide) // 2] if wide else 1
    start = next(i for i, count in enumerate(counts) if count)
    header = start
    if typical >= 2:
        reach = [n + (merges.get(i, 0) if n > 1 else 0) for i, n in enumerate(counts[:40])]
        header = next((i for i, n in enumerate(reach) if _is_wide(head[i], n, typical)), start)
        alone = [i for i in range(start, header) if counts[i]]
        if typical == 2 and alone and is_blank(head[alone[-1]][0]):
            header = alone[-1]
    groups = _groups(head, start, header, merges)
    if not _is_header(head[header], [row for row in head[header + 1 :] if filled_count(row)]):
        return Layout(header, None, None, [_texts(row) for row in head[:header] if filled_count(row)])
    names = list(head[header])
    if groups is not None:
        if groups > header - 1:
            names, header, groups = _joined(names, head[groups]), groups, header
        else:
            names = _joined(head[groups], names)
    while names and is_blank(names[-1]):
        names.pop()
    titles = [_texts(row) for i, row in enumerate(head[:header]) if filled_count(row) and i != groups]
    return Layout(max(header, groups or 0) + 1, header, groups, titles, names)


def _is_wide(row, count, typical):
    """Nearly as many cells as the rows have; one less is enough when only one column before the last has no
    name."""
    solid = count == len(row) or (count == len(row) - 1 and not is_blank(row[-1]))
    return count >= max(2, typical - 1 if solid else 0.7 * typical)


def _groups(head, start, header, merges):
    """The other row of a two-row header: it tells equal names apart, or is merged over several columns."""
    names = [header_text(cell) for cell in head[header] if not is_blank(cell)]
    if header > start and filled_count(head[header - 1]) > 1 and len(set(names)) < len(names):
        joined = [header_text(cell) for cell in _joined(head[header - 1], head[header]) if not is_blank(cell)]
        if len(set(joined)) == len(joined):
            return header - 1
    if merges.get(header, 0) >= 1 and header + 1 < len(head):
        below = [cell for cell in head[header + 1] if not is_blank(cell)]
        if below and all((isinstance(cell, str) and not is_number(cell)) or _is_year(cell) for cell in below):
            return header + 1
    return None


def _joined(upper, lower):
    """Group labels run to the right until the next one."""
    width, group, result = max(len(upper), len(lower)), None, []
    for index in range(width):
        above = upper[index] if index < len(upper) else None
        below = lower[index] if index < len(lower) else None
        group = above if not is_blank(above) else group
        words = [header_text(cell) for cell in (group, below) if not is_blank(cell)]
        if is_blank(below) and is_blank(above):
            words = []
        result.append(" / ".join(dict.fromkeys(words)) or None)
    return result


def _is_header(row, below):
    """A header is words (or years); a row with numbers or dates like those below it is data."""
    cells = [(i, cell) for i, cell in enumerate(row) if not is_blank(cell)]
    if not below:
        return all(isinstance(cell, str) and not is_number(cell) for _, cell in cells) or not cells
    values = 0
    for index, cell in cells:
        like = [other[index] for other in below[:30] if index < len(other) and not is_blank(other[index])]
        if _is_year(cell) and not (like and all(_is_year(other) for other in like)):
            continue
        if _is_value(cell):
            values += 1
    return values * 3 < len(cells)


def _is_value(cell):
    if isinstance(cell, str):
        return is_number(cell) or bool(read_dates([cell]))
    return not isinstance(cell, datetime) or cell.day != 1


def _is_year(cell):
    return bool(YEAR.fullmatch(header_text(cell).strip()))


def _texts(row):
    return " ".join(header_text(cell) for cell in row if not is_blank(cell))


def is_blank(cell):
    return cell is None or (isinstance(cell, str) and not cell.strip())


def filled_count(row):
    return sum(1 for cell in row if not is_blank(cell))


def header_text(cell):
    if isinstance(cell, datetime):
        return cell.strftime("%Y-%m-%d")
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return " ".join(str(cell).split())
