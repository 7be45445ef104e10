"""Fields of Word: numbers of pages and captions, contents; each with its text until it is updated."""

from docx.oxml import OxmlElement
from docx.oxml.ns import qn


def put_field(paragraph, code, shown="", *, dirty=False):
    """A field at the end of a paragraph. Returns its runs."""
    begin, told, middle, text, end = (paragraph.add_run() for _ in range(5))
    for run, kind in ((begin, "begin"), (middle, "separate"), (end, "end")):
        mark = OxmlElement("w:fldChar")
        mark.set(qn("w:fldCharType"), kind)
        if dirty and kind == "begin":
            mark.set(qn("w:dirty"), "true")
        run._r.append(mark)
    instruction = OxmlElement("w:instrText")
    instruction.set(qn("xml:space"), "preserve")
    instruction.text = f" {code} "
    told._r.append(instruction)
    text.text = shown
    return begin, told, middle, text, end


def put_bookmark(paragraph, number, name):
    """Around all that the paragraph holds."""
    start, end = OxmlElement("w:bookmarkStart"), OxmlElement("w:bookmarkEnd")
    for mark in (start, end):
        mark.set(qn("w:id"), str(number))
    start.set(qn("w:name"), name)
    properties = paragraph._p.pPr
    paragraph._p.insert(0 if properties is None else 1, start)
    paragraph._p.append(end)


def put_contents(paragraphs, headings):
    """The contents field over `paragraphs`, one for each (text, bookmark); Word renews it."""
    first, last = paragraphs[0], paragraphs[-1]
    for part in ("begin", "code", "separate"):
        run = first.add_run()
        if part == "code":
            told = OxmlElement("w:instrText")
            told.set(qn("xml:space"), "preserve")
            told.text = ' TOC \\o "1-2" \\h \\z \\u '
        else:
            told = OxmlElement("w:fldChar")
            told.set(qn("w:fldCharType"), part)
        run._r.append(told)
    for paragraph, (text, mark) in zip(paragraphs, headings, strict=True):
        paragraph.add_run(text)
        paragraph.add_run("\t")
        put_field(paragraph, f"PAGEREF {mark} \\h", "", dirty=True)
    end = OxmlElement("w:fldChar")
    end.set(qn("w:fldCharType"), "end")
    last.add_run()._r.append(end)
