"""A table of texts, as slides, documents and Markdown have them."""

from dataclasses import replace

from numerals_charts import labels
from numerals_model import CLAIM
from numerals_text import clean, extract_text


def grid(rows, place):
    """Numerals of a table's cells, each with the names of its row and column. The first row and the first
    column are names, unless they hold amounts with a sign or decimals."""
    found = []
    head = [clean(text) for text in rows[0]] if rows else []
    for line, row in enumerate(rows):
        name = clean(row[0]) if row else ""
        for column, text in enumerate(row):
            where = f"{place}, row {line + 1}, column {column + 1}"
            if line == 0 or column == 0:
                found += labels(text, where)
                continue
            above = head[column] if column < len(head) else ""
            for one in extract_text(text, where):
                lone = one.text == clean(text).strip()
                found.append(
                    replace(
                        one,
                        labels=(name, above) if lone else (),
                        around=f"{above} · {name}"[:300],
                        kind=CLAIM if lone and one.kind == "weak" else one.kind,
                    )
                )
    return found
