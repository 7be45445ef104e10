"""What shapes of a drawing say: text, tables, alternative text, and which charts and pictures they hold."""

from numerals_package import NS, R_ID

A, C, M = (f"{{{NS[name]}}}" for name in "acm")
FIELDS = ("slidenum", "datetime")
HOUSEKEEPING = ("sldNum", "dt")


def local(element):
    return element.tag.rsplit("}", 1)[-1] if isinstance(element.tag, str) else ""


def paragraphs(element):
    """The text of a body, a line a paragraph; fields that count slides or tell the date are left out."""
    lines = []
    for paragraph in element.iter(f"{A}p"):
        pieces = []
        for child in paragraph.iter(f"{A}t", f"{M}t", f"{A}br", f"{A}tab"):
            field = child.getparent()
            if local(field) == "fld" and field.get("type", "").startswith(FIELDS):
                continue
            pieces.append(child.text or "" if local(child) == "t" else "\n" if local(child) == "br" else "\t")
        if pieces:
            lines.append("".join(pieces))
    return "\n".join(lines)


def name_of(shape):
    found = next((one for one in shape.iter() if local(one) == "cNvPr"), None)
    return found.get("name", "") if found is not None else ""


def alt_of(shape):
    """Alternative text, with its heading."""
    found = next((one for one in shape.iter() if local(one) in ("cNvPr", "docPr")), None)
    if found is None:
        return ""
    return "\n".join(filter(None, (found.get("title", ""), found.get("descr", ""))))


def placeholder_of(shape):
    found = next((one for one in shape.iter() if local(one) == "ph"), None)
    return found.get("type", "body") if found is not None else ""


def table_of(shape):
    """Rows of cells' texts, or None."""
    table = next(shape.iter(f"{A}tbl"), None)
    if table is None:
        return None
    return [[paragraphs(cell) for cell in row.iter(f"{A}tc")] for row in table.iter(f"{A}tr")]


def relation_ids(shape):
    """Ids of charts and diagrams that a frame holds."""
    found = []
    for one in shape.iter():
        word = local(one)
        if word == "chart":
            found.append(("chart", one.get(R_ID, "")))
        elif word == "relIds":
            found.append(("diagram", one.get(f"{{{NS['r']}}}dm", "")))
    return found


def shapes(tree):
    """Leaves of the tree of shapes, groups opened."""
    for one in tree.iter():
        if local(one) in ("sp", "pic", "graphicFrame", "cxnSp"):
            yield one
