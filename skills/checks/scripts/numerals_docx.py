"""A Word document: paragraphs, tables, headers and footers, notes, comments, charts, alternative text."""

from numerals_drawing import alt_of, local, paragraphs
from numerals_embedded import chart
from numerals_grid import grid
from numerals_model import Extraction, Unreadable
from numerals_package import NS, R_ID, Package
from numerals_text import extract_text

W, M = f"{{{NS['w']}}}", f"{{{NS['m']}}}"
KINDS = (*(f"{W}{word}" for word in ("t", "tab", "br", "fldChar", "instrText", "fldSimple")), f"{M}t")
"""Of elements: what a paragraph says, a formula included."""
OTHERS = ("header", "footer", "footnotes", "endnotes", "comments")


def read(path, name):
    package, found = Package(path), Extraction(name)
    try:
        main = package.first("word/document.xml")
        if not main:
            raise Unreadable("it holds no document")
        _body(package, main, "", found)
        for kind in OTHERS:
            for part in package.related(main, kind):
                try:
                    _body(package, part, f"{kind}, ", found)
                except Unreadable as error:
                    found.notes.append(f"{kind}: {error}")
    finally:
        package.close()
    return found


def _body(package, part, prefix, found):
    root, related = package.xml(part), package.relations(part)
    heading, caption, count, tables = "", "", 0, 0
    for one in root.iter(f"{W}p", f"{W}tbl"):
        if local(one) == "tbl":
            tables += 1
            rows = [[_lines(cell) for cell in row.iter(f"{W}tc")] for row in one.iter(f"{W}tr")]
            found.add(grid(rows, f"{prefix}table {tables}"))
            continue
        count += 1
        if count % 500 == 0 and found.late(f"{prefix}paragraphs from {count} on were"):
            return
        if any(local(above) == "tbl" for above in one.iterancestors()):
            continue
        text = _text(one)
        style = one.find(f"{W}pPr/{W}pStyle")
        if style is not None and "toc" in style.get(f"{W}val", "").lower():
            continue
        heading, caption = _titles(style, text[:200], heading, caption)
        found.add(extract_text(text, f"{prefix}paragraph {count}"), around=f"{heading} {caption}")
    for count, drawing in enumerate(root.iter(f"{W}drawing"), start=1):
        where = f"{prefix}picture {count}"
        found.add(extract_text(alt_of(drawing), f"{where}, alt text"))
        found.add(extract_text(paragraphs(drawing), where))
        for inner in drawing.iter(f"{{{NS['c']}}}chart"):
            key = inner.get(R_ID, "")
            if key in related and related[key][1] in package.names:
                chart(package, related[key][1], where, "", found)


def _titles(style, text, heading, caption):
    """The heading and the caption that what follows a paragraph stands under."""
    kind = "" if style is None else style.get(f"{W}val", "").lower()
    if "heading" in kind:
        return text, ""
    return heading, text if "caption" in kind else caption


def _lines(cell):
    return "\n".join(_text(one) for one in cell.iter(f"{W}p"))


def _text(paragraph):
    """Its words; what a field computes for page numbers and contents is left out."""
    pieces, code = [], None
    for one in paragraph.iter(*KINDS):
        word = local(one)
        if word == "fldChar":
            code = (
                ""
                if one.get(f"{W}fldCharType") == "begin"
                else None
                if one.get(f"{W}fldCharType") == "end"
                else code
            )
        elif word == "instrText":
            code = (code or "") + (one.text or "")
        elif word == "t":
            simple = one.getparent().getparent()
            field = simple.get(f"{W}instr", "") if local(simple) == "fldSimple" else code or ""
            if (
                not field.strip()
                .upper()
                .startswith(("PAGE", "NUMPAGES", "SEQ", "DATE", "TIME", "TOC", "REF"))
            ):
                pieces.append(one.text or "")
        elif word != "fldSimple":
            pieces.append("\t" if word == "tab" else "\n")
    return "".join(pieces)
