"""Tables inside documents (Word, PowerPoint, Markdown, HTML, Parquet), and what a file is that has none."""

import re

import pandas as pd
from tables_errors import BrokenFile, HeaderOnly, NotATable, TooLarge
from tables_model import Facts, Note, Table
from tables_shape import build, unique
from tables_text import detect_encoding
from tables_typing import type_columns

MAX_CELLS = 30_000_000
MAGIC = (
    (b"%PDF", "a PDF document"),
    (b"\x89PNG", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"),
    (b"BM", "a BMP picture"),
    (b"II*\x00", "a TIFF picture"),
    (b"MM\x00*", "a TIFF picture"),
    (b"SQLite format 3", "an SQLite database"),
    (b"Rar!", "a RAR archive"),
    (b"7z\xbc\xaf", "a 7-Zip archive"),
    (b"\x7fELF", "a program"),
    (b"MZ", "a program"),
    (b"OggS", "sound"),
    (b"RIFF", "sound or a film"),
    (b"{\\rtf", "an RTF document"),
)

HEIC = (b"heic", b"heix", b"mif1", b"avif")


def kind_of(head):
    """What the first bytes say the file is, "" when they say nothing."""
    if head[8:12] == b"WEBP" and head.startswith(b"RIFF"):
        return "a WebP picture"
    if head[4:8] == b"ftyp":
        return "a HEIC picture" if head[8:12] in HEIC else "a film"
    if (
        b"%PDF-" in head[:1024] and b"\x00" not in head[:4]
    ):  # some programs write a line of their own above it
        return "a PDF document"
    kind = next((shown for magic, shown in MAGIC if head.startswith(magic)), "")
    text_like = all(byte > 8 for byte in head[:64])
    return "" if kind in ("a BMP picture", "a program") and text_like else kind


def read_parquet(path, name):
    import pyarrow.parquet as pq  # only Parquet files pay for it

    try:
        file = pq.ParquetFile(path)
        cells = file.metadata.num_rows * file.metadata.num_columns
        if cells > MAX_CELLS:
            raise TooLarge(path.name, size=cells, unit="cells", limit=MAX_CELLS)
        raw = _exact(file.read()).to_pandas(date_as_object=False)
    except (ValueError, OSError) as error:
        raise BrokenFile(path.name, kind="Parquet", reason=str(error)[:200]) from error
    labels, _ = unique([str(column) for column in raw.columns])
    raw.columns = labels
    facts, columns, counted = Facts(), {}, {}
    for label in labels:
        series = raw[label]
        if isinstance(series.dtype, pd.DatetimeTZDtype):
            facts.column("time_zone", label)
            series = series.dt.tz_convert("UTC").dt.tz_localize(None)
        elif series.dtype == object:
            if series.map(
                lambda cell: hasattr(cell, "__len__") and not isinstance(cell, (str, bytes, dict))
            ).any():
                counts = series.map(lambda cell: 0 if cell is None else len(cell))
                counted[label] = int(counts.sum())
                label, series = f"{label}_count", counts
            else:
                series = type_columns([label], [series.tolist()], facts)[label]
        elif isinstance(series.dtype, pd.CategoricalDtype):
            series = series.astype("str")
        columns[label] = series.reset_index(drop=True)
    frame = pd.DataFrame(columns)
    if frame.empty:
        raise HeaderOnly(path.name, columns=labels, count=len(labels))
    notes = facts.notes()
    if counted:
        shown = {key: f"({n} items)" for key, n in counted.items()}
        notes.append(Note("nested_lists", {"columns": shown, "items": counted}))
    return [Table(name, path.name, frame, tuple(notes))]


def _exact(table):
    """Whole numbers that a float cannot hold become text where a gap would make them floats."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for place, column in enumerate(table.columns):
        gaps = pa.types.is_integer(column.type) and 0 < column.null_count < len(column)
        if gaps and max(abs(pc.min(column).as_py()), abs(pc.max(column).as_py())) >= 2**53:
            table = table.set_column(place, table.field(place).name, pc.cast(column, pa.string()))
            table = table.replace_schema_metadata(None)  # it says of which kind the column was
    return table


def read_docx(path, name):
    from docx import Document  # only Word files pay for it

    try:
        document = Document(str(path))
    except Exception as error:  # python-docx raises whatever its XML parser does
        raise BrokenFile(path.name, kind="a Word document", reason=str(error)[:200]) from error
    grids = [[[cell.text for cell in row.cells] for row in table.rows] for table in document.tables]
    return _from_grids(path, name, grids, "a Word document without a table")


def read_pptx(path, name):
    """Tables of the slides, and the data behind their charts, named after the slide."""
    from documents_office import shapes
    from pptx import Presentation  # only presentations pay for it

    try:
        slides = list(Presentation(str(path)).slides)
    except Exception as error:  # python-pptx raises whatever its XML parser does
        raise BrokenFile(path.name, kind="a PowerPoint presentation", reason=str(error)[:200]) from error
    grids, titles = [], []
    for number, slide in enumerate(slides, start=1):
        title = slide.shapes.title
        words = title.text_frame.text.split() if title is not None else []
        for shape in shapes(slide.shapes):
            if shape.has_table:
                grids.append([[cell.text for cell in row.cells] for row in shape.table.rows])
            elif shape.has_chart:
                grids.append(_chart_grid(shape.chart))
            else:
                continue
            titles.append(f"{number} {' '.join(words)}".strip())
    return _from_grids(path, name, grids, "a PowerPoint presentation", unique(titles)[0])


def _chart_grid(chart):
    """Categories and a column a series, as the chart keeps them."""
    plots = list(chart.plots)
    series = [item for plot in plots for item in plot.series]
    labels = [str(label) for label in plots[0].categories] if plots else []
    length = max((len(item.values) for item in series), default=0)
    columns = [
        labels or [str(place) for place in range(1, length + 1)],
        *(list(item.values) for item in series),
    ]
    head = ["category", *(item.name or f"series {place}" for place, item in enumerate(series, start=1))]
    return [
        head,
        *([column[row] if row < len(column) else None for column in columns] for row in range(length)),
    ]


def read_html(path, name):
    from lxml import etree, html  # only HTML files pay for it

    encoding, _ = detect_encoding(path)
    text = path.read_text(encoding=encoding, errors="replace").encode()
    try:
        page = html.fromstring(text, parser=html.HTMLParser(encoding="utf-8", huge_tree=False))
    except (etree.ParserError, ValueError) as error:
        raise NotATable(path.name, kind="a web page without content") from error
    grids = [
        [
            [cell.text_content().strip() for cell in row.xpath("./td|./th") for _ in range(_span(cell))]
            for row in table.xpath(".//tr")
        ]
        for table in page.xpath("//table[not(.//table)]")
    ]
    return _from_grids(path, name, grids, "a web page without a table")


def read_markdown(path, name):
    encoding, _ = detect_encoding(path)
    lines = path.read_text(encoding=encoding, errors="replace").splitlines()
    grids, current = [], []
    for line in [*lines, ""]:
        if line.strip().startswith("|") or (current and "|" in line):
            current.append(
                [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]
            )
            continue
        if len(current) > 1 and all(re.fullmatch(r":?-+:?", cell) for cell in current[1]):
            grids.append([current[0], *current[2:]])
        current = []
    return _from_grids(path, name, grids, "text without a table")


def _from_grids(path, name, grids, without, titles=()):
    """`titles` has one for each grid, or none: then they are numbered."""
    tables, headers = [], []
    titles = titles or [name if len(grids) == 1 else f"{name} {number + 1}" for number in range(len(grids))]
    for grid, title in zip(grids, titles, strict=True):
        if not any(grid):
            continue
        try:
            tables.append(build(grid, title, path.name, loose=True))
        except HeaderOnly as error:
            headers.append(error)
    if not tables:
        raise headers[0] if headers else NotATable(path.name, kind=without)
    return tables


def _span(cell):
    text = cell.get("colspan", "1")
    return min(int(text), 200) if text.isdigit() else 1
