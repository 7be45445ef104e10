"""A chart in a document, with the workbook that lies behind it."""

import io
from dataclasses import replace

from numerals_charts import of_chart
from numerals_package import Package
from numerals_text import clean


def chart(package, part, where, title, found):
    """A chart's numerals, and those of the workbook behind it that the chart itself does not show."""
    numerals, names, left = of_chart(package.xml(part), where)
    if left:
        found.notes.append(f"{where}: {left} points were not read")
    found.add([replace(one, around=f"{title} {one.around}"[:600]) for one in numerals])
    shown = {_digits(one) for one in numerals if one.exact}
    known = {clean(name) for name in names}
    from numerals_xlsx import read_package  # which reads the charts of workbooks in turn

    for book in package.related(part, "package"):
        with package.stream(book) as file:
            inner = Package(io.BytesIO(file.read()), package.spent)
        try:
            cells = read_package(inner, found.file, charts=False)
        finally:
            inner.close()
        hidden = [
            replace(one, place=f"{where}, workbook, {one.place}")
            for one in cells.numerals
            if not (one.exact and _digits(one) in shown) and one.context not in known
        ]
        found.add(hidden, around=title)
        found.notes += [f"{where}, workbook: {note}" for note in cells.notes]


def _digits(one):
    """A workbook keeps fifteen digits, a chart seventeen."""
    return f"{one.value:.12g}"
