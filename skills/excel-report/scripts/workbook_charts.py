"""Native charts of a workbook: titled, with named axes, drawn from the cells beside them."""

import re

from deck_data import passive
from deck_text import one_line
from workbook_page import HEAD_ROW, INK, MUTED, RULE

COLORS = ("#1F5FA8", "#B4531A", "#1B756C", "#687588", "#764890", "#856600")
FADED = "#A3AEBC"
KINDS = {
    "bar": {"type": "bar"},
    "column": {"type": "column"},
    "stacked": {"type": "column", "subtype": "stacked"},
    "share": {"type": "column", "subtype": "percent_stacked"},
    "line": {"type": "line"},
    "area": {"type": "area"},
    "pie": {"type": "pie"},
    "scatter": {"type": "scatter"},
}
FEW = 14
"""Values that are written at their bars."""
_WIDTH, _LEAST, _MOST, _A_BAR = 760, 380, 760, 26
"""Pixels."""
_LARGE = 20
_MONEY = 1_000
"""From here on values at bars go without decimals, or neighbours would meet."""
_TITLE = 150


def put_chart(book, sheet, plan):
    """The chart of a planned sheet, at the right of its table."""
    asked, rows, count = plan.chart, len(plan.frame), len(plan.columns) - 1
    chart = book.add_chart(dict(KINDS[asked.kind]))
    for number in range(1, count + 1):
        chart.add_series(_series(plan, number, rows, count))
    font = {"name": "Calibri", "size": 10, "color": MUTED, "bold": False}
    chart.set_title(
        {
            "name": passive(_cut(plan.title)),
            "overlay": False,
            "name_font": {"name": "Calibri", "size": 13, "color": INK},
        }
    )
    names = {"name_font": font | {"size": 11}, "num_font": font}
    value = names | {
        "name": passive(one_line(asked.y_title)),
        "num_format": _axis_code(plan),
        "major_gridlines": {"visible": True, "line": {"color": RULE, "width": 0.75}},
        "line": {"none": True},
    }
    if asked.kind not in ("line", "scatter", "pie"):
        value |= _from_zero(plan)
    label = names | {
        "name": passive(one_line(asked.x_title)),
        "label_position": "low",
        "line": {"color": RULE},
        "major_gridlines": {"visible": False},
    }
    if asked.kind == "bar":
        chart.set_x_axis(value)
        chart.set_y_axis(label | {"reverse": True, "crossing": "max"})  # else the values stand above
    elif asked.kind != "pie":
        if asked.kind == "scatter":
            label["num_format"] = plan.columns[0].code or "General"
        chart.set_x_axis(label)
        chart.set_y_axis(value)
    one = count == 1 and asked.kind != "pie"
    chart.set_legend({"none": True} if one else {"position": "bottom", "font": font})
    chart.set_size({"width": _WIDTH, "height": chart_height(plan)})
    chart.set_chartarea({"border": {"color": RULE}})
    look = {
        "object_position": 2,
        "x_offset": 24,
        "description": f"{plan.title}. {asked.y_title}: {asked.x_title}",
    }
    sheet.insert_chart(HEAD_ROW, len(plan.columns), chart, look)


def chart_height(plan):
    """Pixels: bars need more where they are many."""
    bars = len(plan.frame) * (len(plan.columns) - 1)
    return max(_LEAST, min(_MOST, _A_BAR * bars + 140)) if plan.chart.kind == "bar" else _LEAST


def _series(plan, number, rows, count):
    asked, name = plan.chart, plan.name
    first, last, color = HEAD_ROW + 1, HEAD_ROW + rows, COLORS[(number - 1) % len(COLORS)]
    labels = plan.frame.iloc[:, 0].tolist()
    values = plan.frame.iloc[:, number].astype(object).tolist()
    made = {
        "name": [name, HEAD_ROW, number],
        "categories": [name, first, 0, last, 0],
        "values": [name, first, number, last, number],
        # the cells may have left memory by the time that xlsxwriter looks for them
        "categories_data": labels,
        "values_data": ["" if value is None or value != value else value for value in values],
    }
    labelled = rows <= FEW and count == 1 and asked.kind in ("bar", "column", "line")
    if labelled or asked.kind == "pie":
        font = {"name": "Calibri", "size": 10, "color": INK}
        shown = (
            {"percentage": True, "num_format": "0.0%"}
            if asked.kind == "pie"
            else {"value": True, "num_format": _label_code(plan)}
        )
        made["data_labels"] = shown | {"font": font} | ({"position": "above"} if asked.kind == "line" else {})
    if asked.kind == "line":
        marks = {"type": "circle", "size": 5, "fill": {"color": color}, "border": {"color": color}}
        return made | {
            "line": {"color": color, "width": 2.25},
            "marker": marks if rows <= 24 else {"type": "none"},
        }
    if asked.kind == "scatter":
        return made | {
            "marker": {"type": "circle", "size": 5, "fill": {"color": color}, "border": {"none": True}}
        }
    if asked.kind == "pie":
        return made | {"points": [{"fill": {"color": COLORS[place % len(COLORS)]}} for place in range(rows)]}
    if asked.highlight is not None and count == 1:
        made["points"] = [
            {"fill": {"color": color if str(label) == asked.highlight else FADED}} for label in labels
        ]
    return made | {
        "fill": {"color": color},
        "gap": 55,
        "overlap": 100 if asked.kind in ("stacked", "share") else 0,
    }


def _from_zero(plan):
    """Bars whose scale begins elsewhere make small differences look large."""
    values = plan.frame.iloc[:, 1:]
    return {"min": 0} if values.min().min() >= 0 else {"max": 0} if values.max().max() <= 0 else {}


def _axis_code(plan):
    """Of the scale, which has no need of small change."""
    code = plan.chart.code
    if plan.chart.kind == "share" or code.endswith("%"):
        return "0%"
    return code.replace(".00", "") if _largest(plan) >= _LARGE else code or "General"


def _label_code(plan):
    code = plan.chart.code
    return re.sub(r"\.0+", "", code) if _largest(plan) >= _MONEY and "%" not in code else code


def _largest(plan):
    return plan.frame.iloc[:, 1:].abs().max().max()


def _cut(text):
    return text if len(text) <= _TITLE else text[: _TITLE - 1].rstrip() + "…"
