"""A workbook being written: sheets with frames, sheets with an exhibit and its native chart."""

import math

import pandas as pd
import xlsxwriter
from wording import clip, say

CHARTS = {"bar": "bar", "column": "column", "line": "line"}
SAFE = {
    "strings_to_formulas": False,
    "strings_to_urls": False,
    "strings_to_numbers": False,
    "nan_inf_to_errors": True,
}


class Book:
    def __init__(self, path):
        self.book = xlsxwriter.Workbook(path, SAFE)
        self.head = self.book.add_format(
            {"bold": True, "bg_color": "#E8EEF4", "bottom": 1, "text_wrap": True, "valign": "top"}
        )
        self.title = self.book.add_format({"bold": True, "font_size": 14})
        self.date = self.book.add_format({"num_format": "yyyy-mm-dd"})
        self.share = self.book.add_format({"num_format": "0.0%"})
        self.amount = self.book.add_format({"num_format": "#,##0.00"})
        self.whole = self.book.add_format({"num_format": "#,##0"})
        self.names = set()

    def sheet(self, name):
        base = "".join("_" if mark in "[]:*?/\\'" else mark for mark in clip(name, 28)) or "sheet"
        name, count = base, 1
        while name.lower() in self.names:
            count += 1
            name = f"{base[:26]} {count}"
        self.names.add(name.lower())
        return self.book.add_worksheet(name), name

    def put(self, sheet, row, column, value, share=False):
        if value is None or value is pd.NaT or (isinstance(value, float) and not math.isfinite(value)):
            return
        if isinstance(value, pd.Timestamp):
            sheet.write_datetime(row, column, value.to_pydatetime(), self.date)
        elif isinstance(value, (bool, str)):
            sheet.write(row, column, value if isinstance(value, bool) else value[:32_000])
        elif isinstance(value, (int, float)):
            whole = float(value).is_integer()
            sheet.write_number(row, column, value, self.share if share else None if whole else self.amount)
        elif not pd.isna(value):
            sheet.write_string(row, column, str(value)[:32_000])

    def frame(self, sheet, frame, top=0, share=False):
        for column, name in enumerate(frame.columns):
            sheet.write_string(top, column, str(name), self.head)
            for row, value in enumerate(frame[name].astype(object).tolist(), start=top + 1):
                self.put(sheet, row, column, value, share)
        sheet.freeze_panes(top + 1, 0)
        sheet.autofit(360)
        if len(frame):
            sheet.autofilter(top, 0, top + len(frame), frame.shape[1] - 1)

    def exhibit(self, item):
        data = item.data.to_frame() if isinstance(item.data, pd.Series) else item.data
        sheet, name = self.sheet(" – ".join(filter(None, (item.y_title, item.x_title))) or item.family)
        frame = data.rename_axis(item.x_title or say("column")).reset_index()
        self.frame(sheet, frame, top=2, share=item.percent)
        sheet.write_string(0, 0, item.title, self.title)
        chart = self.book.add_chart({"type": CHARTS[item.chart]})
        last = 2 + len(frame)
        for column in range(1, frame.shape[1]):
            chart.add_series(
                {
                    "name": [name, 2, column],
                    "categories": [name, 3, 0, last, 0],
                    "values": [name, 3, column, last, column],
                    "data_labels": {"value": len(frame) <= 12 and frame.shape[1] == 2},
                    "gap": 60,
                }
            )
        chart.set_title({"name": clip(item.title, 120), "name_font": {"size": 11}})
        chart.set_legend({"none": frame.shape[1] == 2, "position": "bottom"})
        chart.set_x_axis({"name": item.x_title, "label_position": "low"})
        chart.set_y_axis({"name": item.y_title, "reverse": item.chart == "bar", "label_position": "low"})
        if item.chart == "bar":
            chart.set_x_axis({"name": item.y_title})
            chart.set_y_axis({"name": item.x_title, "reverse": True, "label_position": "low"})
        chart.set_size({"width": 760, "height": max(360, min(720, 26 * len(frame) + 140))})
        sheet.insert_chart(2, frame.shape[1] + 1, chart)
        sheet.write_string(last + 2, 0, item.takeaway)
