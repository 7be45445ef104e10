"""The tables of an answer as files: a picture of each, and one workbook with all of them."""

import json
from pathlib import Path

import table_book
import table_picture

INPUT = Path("/workspace/input/tables.json")


def main():
    asked = json.loads(INPUT.read_text(encoding="utf-8"))
    tables, language = asked["tables"], asked["language"]
    for place, table in enumerate(tables, start=1):
        table_picture.draw(f"table_{place}.png", table, language, asked["more_rows"], asked["more_columns"])
    table_book.write("tables.xlsx", tables, language, asked["sheet"])


main()
