"""Pictures of files: a line of JSON a file, and the pictures in out/.

Arguments: the seconds for all of them, a locale, and the names of the files in input/. A line is
`{name: {"pages": 9, "pictures": [1, 2], "blank": [], "error": "", "formula_errors": [],
"recalculated": false}}`; the picture of page 2 of 00.pptx is 00-02.png, and a workbook with formulas is there
as LibreOffice computed it, too. `error` is a code: broken, empty, memory, timeout or too_large.
"""

import json
import sys
import tempfile
import time
import zipfile
import zlib
from pathlib import Path

import render_book
import render_pages
from render_office import BOOK, PDF, SOFFICE, Unrendered, check, convert

INPUT = Path("/workspace/input")
MOST = {".pptx": 20}
"""Pages that are drawn of a deck…"""
FIRST = 4
"""…and of anything else."""


def render(source, until, locale):
    """What there is to say of a file, whatever happens."""
    told = {"pages": 0, "pictures": [], "blank": [], "error": "", "formula_errors": [], "recalculated": False}
    try:
        with tempfile.TemporaryDirectory(prefix="render-") as folder:
            _render(source, Path(folder), until, locale, told)
    except Unrendered as fault:
        told["error"] = str(fault)
    except MemoryError:
        told["error"] = "memory"
    except Exception as fault:  # what was made to break us is a broken file, and the others are still to come
        print(f"{source.name}: {fault!r}"[:500], file=sys.stderr)
        told["error"] = "broken"
    return told


def _render(source, folder, until, locale, told):
    suffix = source.suffix
    pdf, pixels = source, render_pages.LONGEST
    if suffix != ".pdf":
        check(source)
        page = source
        if suffix == ".xlsx":
            pixels = render_pages.SHEET
            page = _with_first_pages(source, folder / source.name)
        pdf = convert(page, PDF, folder, until, locale)
    told["pages"], lies = render_pages.survey(pdf, until)
    if not lies and suffix != ".xlsx":
        pixels = render_pages.TALLEST
    pages = min(told["pages"], MOST.get(suffix, FIRST))
    told["pictures"] = render_pages.draw(pdf, source.stem, pages, pixels, until)
    pictures = {page: Path(f"{source.stem}-{page:02}.png") for page in told["pictures"]}
    told["blank"] = [page for page, picture in pictures.items() if render_pages.is_blank(picture)]
    if suffix == ".xlsx":
        for picture in pictures.values():
            render_pages.crop(picture)
        if render_book.has_formulas(source):
            computed = convert(source, BOOK, Path.cwd(), until, locale)
            told["formula_errors"] = render_book.errors_in(computed)
            told["recalculated"] = True


def _with_first_pages(source, copy):
    try:
        render_book.write_first_pages(source, copy)
    except (KeyError, ValueError, SyntaxError, RuntimeError, zlib.error, zipfile.BadZipFile) as fault:
        print(f"{source.name}: set up as it came: {fault!r}"[:500], file=sys.stderr)
        return source  # LibreOffice takes more than we understand
    return copy


def main():
    seconds, locale, *names = sys.argv[1:]
    until = time.monotonic() + float(seconds)
    if not Path(SOFFICE).exists():
        print(json.dumps({"unavailable": True}))
        return
    for name in names:
        print(json.dumps({name: render(INPUT / name, until, locale)}), flush=True)


if __name__ == "__main__":
    main()
