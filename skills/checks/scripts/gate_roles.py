"""The part that a text plays on its slide: title, caption or body."""

import re

_CAPTION_NAMES = re.compile(
    r"source|caption|foot|page.?number|slide.?number|legend|left out|\bnote\b|источник|сноска|подпись|номер",
    re.IGNORECASE,
)
_CAPTION_BEGINS = re.compile(
    r"\s*(?:sources?|notes?|data|n\s*=|figure|fig\.|table|источники?|примечани[ея]|данные|рис\.|табл\.|\*|¹|\()\W*",
    re.IGNORECASE,
)
_FIGURE = re.compile(r"\s*[-+−≈~]?[$€£₽]?\s?\d[\d\s.,\u00a0\u202f]*\s?\S{0,4}\s*")
"""A number that stands alone, as on a card; a year does too, and is then taken for content."""
_LOW = 0.88
"""Share of the slide's height below which a line is a footer."""


def is_caption(piece, view):
    """A footer, a source line, a page number, or a note under a figure."""
    if piece.is_footer:
        return True
    if not piece.words or piece.kind == "title":
        return False
    if piece.box.top >= view.height * _LOW:
        return True
    short = len(piece.words) <= 300
    return short and bool(
        _CAPTION_NAMES.search(piece.name) or (_CAPTION_BEGINS.match(piece.words) and piece.text.largest < 14)
    )


def is_divider(page, view):
    """A cover, a section or a closing: a title with at most two lines of text and no data."""
    texts = [
        piece
        for piece in page.content()
        if piece.kind != "title" and not piece.is_footer and not is_caption(piece, view)
    ]
    if len(texts) > 2 or any(piece.kind != "text" or piece.painted for piece in texts):
        return False
    lines = [paragraph for piece in texts for paragraph in piece.text.paragraphs if paragraph.words.strip()]
    said = sum(len(paragraph.words) for paragraph in lines)
    return said <= 240 and not any(line.bullet or _FIGURE.fullmatch(line.words) for line in lines)
