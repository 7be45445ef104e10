"""A deck: titles, text, tables, charts with their workbooks, notes, alternative text, diagrams."""

from numerals_drawing import (
    HOUSEKEEPING,
    alt_of,
    name_of,
    paragraphs,
    placeholder_of,
    relation_ids,
    shapes,
    table_of,
)
from numerals_embedded import chart
from numerals_grid import grid
from numerals_model import Extraction, Unreadable
from numerals_package import NS, R_ID, Package
from numerals_text import clean, extract_text

MAX_SLIDES = 500


def read(path, name):
    found = Extraction(name)
    package = Package(path)
    try:
        slides = _slides(package)
        for number, part in enumerate(slides[:MAX_SLIDES], start=1):
            if found.late(f"slides from {number} on were"):
                break
            try:
                _slide(package, part, number, found)
            except Unreadable as error:
                found.notes.append(f"slide {number}: {error}")
        if len(slides) > MAX_SLIDES:
            found.notes.append(
                f"{len(slides) - MAX_SLIDES} slides after the first {MAX_SLIDES} were not read"
            )
    finally:
        package.close()
    return found


def _slides(package):
    main = package.first("ppt/presentation.xml")
    if not main:
        raise Unreadable("it holds no presentation")
    related = package.relations(main)
    ids = [one.get(R_ID, "") for one in package.xml(main).iter(f"{{{NS['p']}}}sldId")]
    return [related[one][1] for one in ids if one in related and related[one][1] in package.names]


def _slide(package, part, number, found):
    root, related = package.xml(part), package.relations(part)
    place = f"slide {number}"
    title = next(
        (paragraphs(one) for one in shapes(root) if placeholder_of(one) in ("title", "ctrTitle")), ""
    )
    for shape in shapes(root):
        kind, label = placeholder_of(shape), name_of(shape)
        if kind in HOUSEKEEPING and paragraphs(shape).strip() in ("", str(number)):
            continue
        where = f"{place}, title" if kind in ("title", "ctrTitle") else f"{place}, {label or 'text'}"
        if alt := alt_of(shape):
            found.add(extract_text(alt, f"{where}, alt text"), around=title)
        rows = table_of(shape)
        if rows is not None:
            found.add(grid(rows, where), around=title)
            continue
        text = paragraphs(shape)
        if text.strip() != str(number) or "number" not in label.lower():
            found.add(extract_text(text, where), around=clean(f"{title}\n{text}")[:600])
        for word, key in relation_ids(shape):
            if key in related and related[key][1] in package.names:
                _inside(package, word, related[key][1], where, title, found)
    for notes in package.related(part, "notesSlide"):
        text = "\n".join(
            paragraphs(one)
            for one in shapes(package.xml(notes))
            if placeholder_of(one) not in (*HOUSEKEEPING, "sldImg", "hdr", "ftr")
        )
        found.add(extract_text(text, f"{place}, notes"), around=title)


def _inside(package, word, part, where, title, found):
    try:
        if word == "diagram":
            found.add(extract_text(paragraphs(package.xml(part)), where), around=title)
            return
        chart(package, part, where, title, found)
    except Unreadable as error:
        found.notes.append(f"{where}: {error}")
