"""The gate: what is wrong with a deliverable, checks 1 to 15, without any model. `check` never raises."""

from pathlib import Path

from gate_model import Finding, bounded, finding, one_line, quoted

__all__ = ["Finding", "check"]

PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".bmp", ".tif", ".tiff", ".webp")
TEXTS = (".md", ".txt", ".html")
SUFFIXES = (".pptx", ".xlsx", ".docx", ".pdf", *PICTURES, *TEXTS)
"""Of files that it can judge; others pass."""
MOST_BYTES = 100 * 2**20
MOST_TEXT = 2 * 2**20


def check(path, *, pages=None, tracing=None, recalculated=None, records=(), name=None):
    """Findings in one file, those that stop the delivery first within each check.

    `pages`: how many a renderer made of it. `tracing`: what `tracing.trace` found. `recalculated`: the
    workbook after LibreOffice computed it. `records`: of facts. `name`: what findings call the file.
    """
    path, file = Path(path), name or Path(path).name
    suffix = path.suffix.lower()
    try:
        if not path.is_file():
            return [finding("unreadable", file, "", "There is no such file.")]
        if path.stat().st_size == 0:
            return [finding("empty", file, "", "The file has no bytes. Save it again.")]
        if path.stat().st_size > MOST_BYTES:
            return [finding("too_large", file, "", "It has more than 100 MiB. Make it smaller.")]
        found = _of_kind(path, file, suffix, pages, recalculated, records)
    except Exception as error:  # a hostile file may make a library raise anything
        found = [finding("unreadable", file, "", f"It could not be opened: {_said(error)}. Save it again.")]
    return bounded([*found, *_guarded(14, file, lambda: traced_findings(tracing, file))])


def _of_kind(path, file, suffix, pages, recalculated, records):
    if suffix in (".pptx", ".xlsx", ".docx"):
        from gate_package import package_findings

        broken = package_findings(path, file)
        if broken:
            return broken
    if suffix == ".pptx":
        return _deck(path, file, pages, records)
    if suffix == ".xlsx":
        from gate_workbook import workbook_findings

        return workbook_findings(path, file, recalculated=recalculated)
    if suffix == ".docx":
        from gate_document import document_findings

        return document_findings(path, file)
    if suffix == ".pdf":
        from gate_pdf import page_count, pdf_findings

        return [*pdf_findings(path, file), *_counted(page_count(path), pages, file)]
    if suffix in PICTURES:
        from gate_pictures import file_findings

        return file_findings(path, file)
    if suffix in TEXTS:
        from gate_leftovers import leftovers

        with path.open(encoding="utf-8", errors="replace") as lines:
            text = lines.read(MOST_TEXT)
        return [
            one
            for number, line in enumerate(text.splitlines(), start=1)
            for one in leftovers(line.replace("**", ""), file, f"line {number}")
        ]
    return []


def _deck(path, file, pages, records):
    from gate_charts import chart_findings
    from gate_deck import read_deck
    from gate_layout import fit_findings, overlap_findings, place_findings, variety_findings
    from gate_leftovers import leftover_findings
    from gate_pictures import picture_findings
    from gate_records import of_target
    from gate_story import note_findings, title_findings
    from gate_type import contrast_findings, glyph_findings, size_findings
    from pptx import Presentation

    view = read_deck(Presentation(str(path)))
    if not view.pages:
        return [finding("empty", file, "", "The deck has no slides.")]
    shown = view.count - sum(page.hidden for page in view.pages)
    found = _counted(shown, pages, file)
    for number, look in (
        (2, leftover_findings),
        (3, place_findings),
        (4, fit_findings),
        (5, overlap_findings),
        (6, size_findings),
        (7, contrast_findings),
        (8, lambda view, file: chart_findings(view, file, of_target(records, file))),
        (9, picture_findings),
        (10, note_findings),
        (11, title_findings),
        (12, glyph_findings),
        (13, variety_findings),
    ):
        found += _guarded(number, file, lambda look=look: look(view, file))
    return found


def traced_findings(tracing, file):
    """Check 14: one finding of all numbers that nothing accounts for, and one of those only stated."""
    if tracing is None:
        return []
    stated = [item for item in tracing.asserted if _is_in(item, file)]
    bare = [item for item in tracing.untraced if _is_in(item, file)]
    found = []
    for code, group, advice in (
        (
            "untraced",
            bare,
            "Compute them by facts.fact over a loaded table, or state where they come from by "
            "facts.asserted.",
        ),
        (
            "asserted",
            stated,
            "They were stated with a source, and computed from nothing; the person is told so.",
        ),
    ):
        if group:
            named = ", ".join(_numeral(item) for item in group[:4])
            detail = f"{len(group)} numbers trace to no fact: {named}. {advice}"
            found.append(finding(code, file, group[0].place, detail))
    return found


def _numeral(item):
    detail = getattr(item, "detail", "")
    return f"{quoted(item.text, 20)} ({item.place}{f'; {one_line(detail, 60)}' if detail else ''})"


def _is_in(item, file):
    return str(item.file) == file


def _counted(count, pages, file):
    if pages is None or count is None or pages == count:
        return []
    detail = f"It has {count} pages, and a renderer makes {pages} of it. Open it and save it again."
    return [finding("page_count", file, "", detail)]


def _guarded(number, file, look):
    try:
        return look()
    except Exception as error:  # what one check cannot read, the others may
        detail = f"Check {number} could not be made: {_said(error)}."
        return [finding("not_checked", file, "", detail, check=number)]


def _said(error):
    return one_line(f"{type(error).__name__}: {error}", 160)
