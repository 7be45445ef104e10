"""One sheet of a table: title, where it is from, heads, rows; made to be filtered, scrolled and printed."""

from workbook_cells import Cells

INK, MUTED, HEAD, RULE, BAR = "#17233A", "#5B6778", "#1F4E79", "#D5DCE5", "#9DC3E6"
HEAD_ROW = 3
"""Title, source and a blank row stand above the heads."""
_A4 = 9
_ROOMY = 1.35
"""The height of the heads' row, in lines of text, for each line of it."""


def write_table(sheet, plan, formats, told):
    """Cells of a planned sheet; adaptations go to `told`."""
    cells, last = Cells(sheet, formats), HEAD_ROW + len(plan.frame)
    for column, item in enumerate(plan.columns):
        sheet.set_column(column, column, item.width)
    sheet.set_row(0, 24)
    cells.text(0, 0, plan.title, bold=True, font_size=14, font_color=INK, valign="vcenter")
    cells.text(1, 0, plan.source, font_size=9, font_color=MUTED)
    heads = max((_lines(item) for item in plan.columns), default=1)
    sheet.set_row(HEAD_ROW, 15 * _ROOMY * heads)
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
    rows = zip(
        *(plan.frame.iloc[:, place].astype(object).tolist() for place in range(plan.frame.shape[1])),
        strict=True,
    )
    for row, values in enumerate(rows, start=HEAD_ROW + 1):
        for column, (value, item) in enumerate(zip(values, plan.columns, strict=True)):
            side = {} if item.right else {"align": "left", "indent": 1}
            cells.put(row, column, value, item.code, name=item.name, bottom=4, bottom_color=RULE, **side)
    if plan.note:
        cells.text(last + 2, 0, plan.note, italic=True, font_color=MUTED)
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


def _lines(item):
    """The lines that a head takes in its column, by its words."""
    room, lines, used = item.width - 3, 1, 0
    for word in item.name.split():
        if used and used + 1 + len(word) > room:
            lines, used = lines + 1, 0
        used += len(word) + (1 if used else 0)
    return min(lines, 4)
