"""Word documents and presentations: their words by section or slide, and what else is on them."""

from documents_model import Document, Part, counted, words

HEADINGS = ("Heading", "Title", "Заголовок", "Название")


def read_word(path):
    from docx import Document as WordDocument  # only Word files pay for it

    document = WordDocument(str(path))
    headings = {style.style_id for style in document.styles if str(style.name).startswith(HEADINGS)}
    sections, paragraphs = [("", [])], 0
    for item in document.iter_inner_content():
        if hasattr(item, "rows"):
            lines = [" | ".join(cell.text for cell in row.cells) for row in item.rows]
            sections[-1][1].extend(lines)
        elif item.text.strip():
            paragraphs += 1
            if item._p.style in headings:  # `item.style` takes a millisecond
                sections.append((item.text.strip(), []))
            else:
                sections[-1][1].append(item.text)
    parts = tuple(Part(name, "\n".join(lines)) for name, lines in sections if name or lines)
    counts = counted(
        paragraphs=paragraphs,
        headings=len(sections) - 1,
        tables=len(document.tables),
        pictures=len(document.inline_shapes),
        words=words(parts),
    )
    return Document(path.name, "a Word document", counts, parts)


def read_deck(path):
    from pptx import Presentation  # only presentations pay for it

    parts, tables, charts, pictures = [], 0, 0, 0
    slides = Presentation(str(path)).slides
    for number, slide in enumerate(slides, start=1):
        title = slide.shapes.title
        lines = []
        for shape in shapes(slide.shapes):
            tables += shape.has_table
            charts += shape.has_chart
            pictures += hasattr(shape, "image")
            if shape.has_text_frame and shape.text_frame.text.strip() and shape != title:
                lines.append(shape.text_frame.text)
            if shape.has_table:
                lines += [" | ".join(cell.text for cell in row.cells) for row in shape.table.rows]
        if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
            notes = slide.notes_slide.notes_text_frame.text.strip()
            lines += [f"Notes: {notes}"] if notes else []
        name = title.text_frame.text.strip() if title is not None else ""
        parts.append(Part(" ".join(name.split()) or f"({number})", "\n".join(lines)))
    counts = counted(slides=len(parts), tables=tables, charts=charts, pictures=pictures, words=words(parts))
    return Document(path.name, "a PowerPoint presentation", counts, tuple(parts))


def shapes(found):
    """All shapes, those inside groups too."""
    for shape in found:
        if hasattr(shape, "shapes"):
            yield from shapes(shape.shapes)
        else:
            yield shape
