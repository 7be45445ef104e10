"""A table as a picture that can be read on a phone: at most 1,200 pixels wide, long cells wrapped."""

import warnings
from functools import lru_cache

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.patches import Rectangle
from matplotlib.transforms import IdentityTransform
from table_text import drawable, number

WIDTH, NARROWEST, HIGHEST = 1_200, 520, 2_400
"""Pixels. A chat makes the longer side 1,280 of them, so a higher picture could not be read."""
MAX_ROWS, MAX_LINES = 40, 6
"""Of one cell no more lines are drawn."""
MARGIN, PAD, GAP = 28, 14, 10
"""Around the picture, left and right of a cell's text, above and below it."""
NARROW = 120
"""A column that is narrower cannot be read: the last ones are then left to the workbook."""
DPI, SIZE, LINE = 100, 26, 34
"""Letters are SIZE pixels high, lines LINE pixels apart."""
INK, FAINT, HEAD, BAND, RULE = "#1f2933", "#52606d", "#e4ebf2", "#f6f8fa", "#c3cdd7"
PLACE = {"transform": IdentityTransform()}
ELLIPSIS, NO_BREAK = "…", "\u00a0"


def draw(path, table, language, more_rows, more_columns):
    """`more_rows` and `more_columns` are sentences with a place for {count}."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*[Gg]lyph")  # a box is drawn for it
        _Drawing(table, language).save(path, more_rows, more_columns)


class _Drawing:
    def __init__(self, table, language):
        self.figure = Figure(figsize=(1, 1), dpi=DPI)
        self.canvas = FigureCanvasAgg(self.figure)
        self.fonts = {
            bold: FontProperties(size=SIZE * 72 / DPI, weight="bold" if bold else "normal")
            for bold in (True, False)
        }
        self.measure = lru_cache(maxsize=20_000)(self._measure)
        self.title = drawable(table["title"])
        shown = max(1, (WIDTH - 2 * MARGIN) // NARROW)
        self.hidden_columns = max(0, len(table["header"]) - shown)
        self.header = [drawable(cell) for cell in table["header"][:shown]]
        self.count = len(table["rows"])
        self.rows = [[_whole(cell, language) for cell in row[:shown]] for row in table["rows"][:MAX_ROWS]]
        self.right = [self._is_numeric(place, language) for place in range(len(self.header))]
        self.widths = self._columns()

    def save(self, path, more_rows, more_columns):
        inner = sum(self.widths)
        title = (
            self.wrapped(self.title, max(inner, NARROWEST - 2 * MARGIN) - 2 * PAD, True)[:MAX_LINES]
            if self.title
            else []
        )
        lines = [self._lines(self.header, True)]
        height = 2 * MARGIN + LINE * (len(title) + 2) + 3 * GAP + _height(lines[0])
        for row in self.rows:
            found = self._lines(row, False)
            if len(lines) > 1 and height + _height(found) > HIGHEST:
                break
            lines.append(found)
            height += _height(found)
        hidden = self.count - len(lines) + 1
        notes = [more_rows.replace("{count}", str(hidden))] if hidden else []
        notes += [more_columns.replace("{count}", str(self.hidden_columns))] if self.hidden_columns else []
        notes = [
            line
            for note in notes
            for line in self.wrapped(note, max(inner, NARROWEST - 2 * MARGIN) - 2 * PAD, False)
        ]
        body = sum(map(_height, lines))
        height = (
            2 * MARGIN
            + body
            + LINE * (len(title) + len(notes))
            + (GAP if title else 0)
            + (GAP if notes else 0)
        )
        width = min(WIDTH, max(NARROWEST, inner + 2 * MARGIN))
        self.figure.set_size_inches(width / DPI, height / DPI)
        self._paint(title, lines, notes, height)
        self.canvas.print_png(str(path), metadata={"Software": None})

    def _paint(self, title, lines, notes, height):
        top = self._column_of_text(title, height - MARGIN, INK, True) - (GAP if title else 0)
        for place, row in enumerate(lines):
            bottom = top - _height(row)
            colour = HEAD if place == 0 else BAND if place % 2 == 0 else "white"
            self._box(MARGIN, bottom, sum(self.widths), top - bottom, colour)
            left = MARGIN
            for column, texts in enumerate(row):
                right = left + self.widths[column]
                x, side = (right - PAD, "right") if self.right[column] else (left + PAD, "left")
                for number_of_line, text in enumerate(texts):
                    y = top - GAP - number_of_line * LINE - LINE / 2
                    self._text(x, y, text, INK, place == 0, side)
                left = right
            self._box(MARGIN, bottom, sum(self.widths), 1, RULE)
            top = bottom
        self._column_of_text(notes, top - GAP, FAINT, False)

    def _column_of_text(self, lines, top, colour, bold):
        for line in lines:
            self._text(MARGIN + PAD, top - LINE / 2, line, colour, bold, "left")
            top -= LINE
        return top

    def _text(self, x, y, text, colour, bold, side):
        self.figure.text(
            x,
            y,
            text,
            ha=side,
            va="center_baseline",
            color=colour,
            fontproperties=self.fonts[bold],
            parse_math=False,
            **PLACE,
        )

    def _box(self, x, y, width, height, colour):
        self.figure.add_artist(Rectangle((x, y), width, height, facecolor=colour, edgecolor="none", **PLACE))

    def _is_numeric(self, column, language):
        filled = [row[column] for row in self.rows if row[column] not in ("", "-", "–", "—")]
        return bool(filled) and sum(number(cell, language) is not None for cell in filled) >= 0.6 * len(
            filled
        )

    def _columns(self):
        """Pixels of each column: what its text takes, and where that is too much, its share of the room."""
        room = WIDTH - 2 * MARGIN
        wanted, least = [], []
        for place, head in enumerate(self.header):
            cells = [(head, True), *((row[place], False) for row in self.rows)]
            words = [(word, bold) for cell, bold in cells for word in cell.split(" ")]
            wanted.append(2 * PAD + max(self.measure(*cell) for cell in cells) + 2)
            longest = max((self.measure(*word) for word in words), default=0)
            least.append(min(wanted[-1], max(NARROW, 2 * PAD + longest + 2)))
        if sum(least) > room:  # words will be broken
            return [int(width) for width in _shared(least, room)]
        extra = [more - less for more, less in zip(wanted, least, strict=True)]
        added = _shared(extra, room - sum(least))
        return [round(less + more) for less, more in zip(least, added, strict=True)]

    def _lines(self, row, bold):
        return [
            self._cut(self.wrapped(cell, width - 2 * PAD, bold))
            for cell, width in zip(row, self.widths, strict=True)
        ]

    @staticmethod
    def _cut(lines):
        return (
            lines
            if len(lines) <= MAX_LINES
            else [*lines[: MAX_LINES - 1], f"{lines[MAX_LINES - 1][:-1]}{ELLIPSIS}"]
        )

    def wrapped(self, text, width, bold):
        """Lines that fit: broken between words, or within one that is longer than a line."""
        lines = [""]
        for word in text.split(" "):
            joined = f"{lines[-1]} {word}".strip()
            if self.measure(joined, bold) <= width:
                lines[-1] = joined
                continue
            if lines[-1]:
                lines.append("")
            while word and self.measure(word, bold) > width:
                size = self._fitting(word, width, bold)
                lines[-1:] = [word[:size], ""]
                word = word[size:]
                if len(lines) > 2 * MAX_LINES:
                    return lines
            lines[-1] = word
        return lines

    def _fitting(self, word, width, bold):
        low, high = 1, len(word)
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if self.measure(word[:middle], bold) <= width else (low, middle - 1)
        return low

    def _measure(self, text, bold):
        return (
            self.canvas.get_renderer().get_text_width_height_descent(text, self.fonts[bold], False)[0]
            if text
            else 0
        )


def _whole(cell, language):
    """A number is not broken where it has a space."""
    text = drawable(cell)
    return text.replace(" ", NO_BREAK) if number(text, language) else text


def _shared(wishes, room):
    """What each gets of the room: small wishes are granted, large ones get the same share."""
    granted, left = {}, room
    for count, place in enumerate(sorted(range(len(wishes)), key=wishes.__getitem__)):
        granted[place] = min(wishes[place], left / (len(wishes) - count))
        left -= granted[place]
    return [granted[place] for place in range(len(wishes))]


def _height(row):
    return max(len(lines) for lines in row) * LINE + 2 * GAP
