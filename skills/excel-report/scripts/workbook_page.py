"""One sheet of a table: title, where it is from, heads, rows; made to be filtered, scrolled and printed."""

import math

from workbook_cells import Cells

INK, MUTED, HEAD, RULE, BAR = "#17233A", "#5B6778", "#1F4E79", "#D5DCE5", "#9DC3E6"
HEAD_ROW = 3
"""Title, source and a blank row stand above the heads."""
_A4 = 9
_LINE, _CHART = 110, 108
"""Characters: of the longest line of a title or a note, which a page shows at full size, and of a chart."""
_DEFAULT = 8.43
"""Characters of a column that nobody set."""
_RAGGED = 1.1
"""Of a text over lines, which words part unevenly."""
_HIGH, _PIXELS = 15, 20
"""The height of a row, in points and in pixels."""


def write_table(sheet, plan, formats, told, drawn=0):
    """Cells of a planned sheet; adaptations go to `told`. `drawn`: pixels that a chart takes from the heads
    down, under which a note stands.

    Title, source and note stretch over as many columns as they need, and the print area over theirs."""
    cells, last = Cells(sheet, formats), HEAD_ROW + len(plan.frame)
    last_row = last
    for column, item in enumerate(plan.columns):
        sheet.set_column(column, column, item.width)
    room = _LINE if not drawn else max(_LINE, sum(item.width for item in plan.columns) + _CHART)
    title = {"bold": True, "font_size": 14, "font_color": INK, "valign": "vcenter"}
    widest = max(
        len(plan.columns),
        _spread(cells, plan, 0, plan.title, room, 24, title),
        _spread(cells, plan, 1, plan.source, room, _HIGH, {"font_size": 9, "font_color": MUTED}),
    )
    _heads(cells, plan)
    rows = zip(
        *(plan.frame.iloc[:, place].astype(object).tolist() for place in range(plan.frame.shape[1])),
        strict=True,
    )
    for row, values in enumerate(rows, start=HEAD_ROW + 1):
        for column, (value, item) in enumerate(zip(values, plan.columns, strict=True)):
            side = {} if item.right else {"align": "left", "indent": 1}
            cells.put(row, column, value, item.code, name=item.name, bottom=4, bottom_color=RULE, **side)
    if plan.note:
        last_row = max(last, HEAD_ROW + drawn // _PIXELS) + 2
        look = {"italic": True, "font_color": MUTED}
        widest = max(widest, _spread(cells, plan, last_row, plan.note, room, _HIGH, look))
    if not drawn:  # what is drawn widens what is printed by itself
        sheet.print_area(0, 0, last_row, widest - 1)
    for column, item in enumerate(plan.columns):
        if item.bars and len(plan.frame):
            look = {"type": "data_bar", "bar_color": BAR}  # of Excel 2007: other readers draw these too
            sheet.conditional_format(HEAD_ROW + 1, column, last, column, look)
    sheet.freeze_panes(HEAD_ROW + 1, 1 if len(plan.columns) > 4 and not plan.columns[0].right else 0)
    if len(plan.frame):
        sheet.autofilter(HEAD_ROW, 0, last, len(plan.columns) - 1)
    sheet.repeat_rows(HEAD_ROW)
    for key, detail in cells.told.items():
        told.setdefault(key, detail)


def _heads(cells, plan):
    heads = max((_lines(item) for item in plan.columns), default=1)
    cells.sheet.set_row(HEAD_ROW, _HIGH * heads + 6)
    for column, item in enumerate(plan.columns):
        look = {
            "bold": True,
            "font_color": "#FFFFFF",
            "bg_color": HEAD,
            "text_wrap": True,
            "valign": "vcenter",
        }
        cells.text(
            HEAD_ROW,
            column,
            item.name or " ",
            align="right" if item.right else "left",
            indent=0 if item.right else 1,
            **look,
        )


def set_up_print(sheet, source, page, *, portrait=False):
    """A4, the whole width on one page, the source and the page's number below."""
    if not portrait:
        sheet.set_landscape()
    sheet.set_paper(_A4)
    sheet.fit_to_pages(1, 0)
    sheet.set_margins(left=0.5, right=0.5, top=0.6, bottom=0.7)
    told = source.replace("&", "&&")
    if len(told) > 150:  # Excel takes 255 characters in all
        told = told[:149] + "…"
    sheet.set_footer(f"&L&8{' ' if told[:1].isdigit() else ''}{told}&R&8 {page}")
    sheet.hide_gridlines(2)


def _spread(cells, plan, row, text, room, high, look):
    """Writes a text of any length and returns the columns that it takes: over lines of `room` characters,
    each `high` points."""
    size = look.get("font_size", 11) / 11 * (1.1 if look.get("bold") else 1)
    wanted, width, columns = min(room, len(text) * size), 0.0, 0
    while width < wanted or not columns:
        width += plan.columns[columns].width if columns < len(plan.columns) else _DEFAULT
        columns += 1
    lines = math.ceil(len(text) * size * _RAGGED / width) if len(text) * size > room else 1
    if lines > 1:
        look = look | {"text_wrap": True}
        cells.sheet.merge_range(row, 0, row, columns - 1, "", cells.formats.of("", **look))
    cells.sheet.set_row(row, high * lines)
    cells.text(row, 0, text, **look)
    return columns


def _lines(item):
    """The lines that a head takes in its column, by its words."""
    room, lines, used = item.width - 3, 1, 0
    for word in item.name.split():
        if used and used + 1 + len(word) > room:
            lines, used = lines + 1, 0
        used += len(word) + (1 if used else 0)
    return min(lines, 4)
