"""Fields of Word: numbers of pages and captions, contents; each with its text until it is updated."""

from docx.oxml import OxmlElement
from docx.oxml.ns import qn


def put_field(paragraph, code, shown):
    """A field at the end of a paragraph, with what it shows until it is updated."""
    _mark(paragraph, "begin")
    _instruction(paragraph, code)
    _mark(paragraph, "separate")
    paragraph.add_run(shown)
    _mark(paragraph, "end")


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
    """The contents field over `paragraphs`, one for each (text, bookmark).

    Word renews it when the document is opened, and then knows the pages; others show the names as links.
    """
    first, last = paragraphs[0], paragraphs[-1]
    _mark(first, "begin", dirty=True)
    _instruction(first, 'TOC \\o "1-2" \\h \\z \\u')
    _mark(first, "separate")
    for paragraph, (text, name) in zip(paragraphs, headings, strict=True):
        link = OxmlElement("w:hyperlink")
        link.set(qn("w:anchor"), name)
        link.append(paragraph.add_run(text)._r)
        paragraph._p.append(link)
    _mark(last, "end")


def _mark(paragraph, kind, *, dirty=False):
    mark = OxmlElement("w:fldChar")
    mark.set(qn("w:fldCharType"), kind)
    if dirty:
        mark.set(qn("w:dirty"), "true")
    paragraph.add_run()._r.append(mark)


def _instruction(paragraph, code):
    told = OxmlElement("w:instrText")
    told.set(qn("xml:space"), "preserve")
    told.text = f" {code} "
    paragraph.add_run()._r.append(told)
