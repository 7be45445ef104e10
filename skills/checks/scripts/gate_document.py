"""A Word document: nothing left over, headings, described pictures."""

from docx import Document
from docx.oxml.ns import qn
from gate_leftovers import leftovers
from gate_model import finding

MOST_PARAGRAPHS = 5_000
_LONG = 40
"""Paragraphs from which on a reader needs headings."""


def document_findings(path, file):
    document = Document(path)
    found, headings, count = [], 0, 0
    body = document.element.body
    for number, paragraph in enumerate(body.iter(qn("w:p")), start=1):
        if number > MOST_PARAGRAPHS:
            break
        text = "".join(part.text or "" for part in paragraph.iter(qn("w:t")))
        if not text.strip():
            continue
        count += 1
        style = paragraph.find(f"{qn('w:pPr')}/{qn('w:pStyle')}")
        headings += style is not None and style.get(qn("w:val"), "").lower().startswith(
            ("heading", "title", "заголовок")
        )
        found += leftovers(text, file, f"paragraph {number}")
    if count == 0:
        found.append(finding("empty", file, "", "The document has no text."))
    if count >= _LONG and not headings:
        detail = "The document has no headings. Use the styles 'Heading 1' and 'Heading 2'."
        found.append(finding("no_headings", file, "", detail))
    for number, drawing in enumerate(body.iter(qn("wp:docPr")), start=1):
        if number > MOST_PARAGRAPHS:
            break
        if not (drawing.get("descr") or drawing.get("title") or "").strip():
            detail = "The picture has no alt text. Say in a sentence what it shows."
            found.append(finding("alt_missing", file, f"picture {number}", detail))
    return found + _edges(document, file)


def _edges(document, file):
    """Headers and footers."""
    found = []
    for section in list(document.sections)[:50]:
        for part, name in ((section.header, "header"), (section.footer, "footer")):
            found += leftovers("\n".join(p.text for p in part.paragraphs), file, name)
    return found
