"""Check 2: empty placeholders, and text that somebody forgot to replace."""

import re

from gate_chart_parts import strings
from gate_model import finding, quoted

_LEFTOVERS = re.compile(
    r"lorem ipsum|\bdolor sit amet\b|(?-i:\bTODO\b|\bFIXME\b|\bTBD\b|\bX{4,}\b)|[$€£]\s?(?-i:X{2,})"
    r"|(?-i:\bX{2,})\s?%"
    r"|\{\{[^{}\n]{0,80}\}\}|\{%[^%\n]{0,80}%\}|(?<![$\\_^}])\{[a-z_][\w.\[\]'\"]{0,40}(?::[^{}\s]{0,12})?\}"
    r"|\bclick (?:here )?to (?:add|edit)\b|\b(?:add|your|insert|enter) (?:a |the )?(?:title|subtitle|text"
    r"|name) here\b"
    r"|\[(?:insert|your|placeholder|fill in|вставьте|укажите|заполнить)[^\]\n]{0,60}\]"
    r"|\bplaceholder text\b|\bsample text\b"
    r"|образец (?:заголовка|текста|подзаголовка)|вставьте (?:текст|заголовок)|текст слайда здесь"
    r"|заголовок слайда$"
    r"|traceback \(most recent call last\)|<[\w.]+ object at 0x|\bobject at 0x[0-9a-f]{6,}|<bound method"
    r"|\bdtype: (?:float|int|object|bool|datetime|str)|(?<!\*)\*\*[^*\n]{1,80}\*\*(?!\*)",
    re.IGNORECASE,
)
_WITHIN = re.compile(
    r"(?<![\w.])(?:nan|NaN|NaT|<NA>|pd\.NA|undefined)(?![\w.]*\w)|(?<![\w.])[-+]?inf\b(?=\s?[%×]|$)"
)
_AFTER = re.compile(r"(?:[:=(]|—|–)\s*(?:None|null)(?=\s*[%)\n,.;]|$)|(?<!\w)None\s?%")
_WHOLE = re.compile(r"\s*(?:None|null|nan|NaN|NaT|<NA>|N/A%|#N/A|#REF!|#DIV/0!|#VALUE!|#NAME\?)\s*")
MOST = 200_000
"""Characters of one document that are looked through."""


def leftovers(text, file, place):
    """Findings in one text of any document."""
    text = text[:MOST]
    found = []
    for match in list(_LEFTOVERS.finditer(text))[:3]:
        detail = f"{quoted(match[0])} was left in the text. Replace it by what is meant, or remove it."
        found.append(finding("leftover_text", file, place, detail))
    missing = _WHOLE.fullmatch(text) or _WITHIN.search(text) or _AFTER.search(text)
    if missing:
        detail = f"{quoted(missing[0])} is a missing value. Write a dash or 'no data', or leave it out."
        found.append(finding("missing_value", file, place, detail))
    if "\ufffd" in text:
        found.append(
            finding(
                "no_glyph",
                file,
                place,
                "U+FFFD stands where a character was lost. Read the file in its encoding.",
            )
        )
    return found


def leftover_findings(view, file):
    """Check 2 over a DeckView: shapes, cells, charts, alt texts, notes."""
    found = []
    for page in view.pages:
        for piece in page.pieces:
            if piece.kind == "empty":
                detail = f"The placeholder {quoted(piece.name)} is empty. Fill it or delete it."
                found.append(finding("empty_placeholder", file, page.place, detail))
            place = f"{page.place}, {piece.name}"
            found += leftovers(piece.words, file, place) if piece.words else []
            found += leftovers(piece.alt, file, f"{place}, alt text") if piece.alt else []
            for cell in piece.cells:
                if cell.text.words:
                    found += leftovers(
                        cell.text.words, file, f"{place}, row {cell.row}, column {cell.column}"
                    )
            if piece.kind == "chart":
                written = (one for text in strings(piece.shape.chart) for one in leftovers(text, file, place))
                # missing values in charts are of check 8
                found += [one for one in written if one.code == "leftover_text"]
        if page.notes:
            found += leftovers(page.notes, file, f"{page.place}, notes")
    return found
