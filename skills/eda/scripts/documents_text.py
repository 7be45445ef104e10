"""Plain text and Markdown: sections by heading."""

import re

from documents_model import Document, Part, counted, words
from tables_text import CONTROL, detect_encoding

HEADING = re.compile(r"#{1,6}\s+(.+?)\s*#*$")


def read(path, head):
    """None for what is no prose: binary, JSON, XML, a web page."""
    encoding, _ = detect_encoding(path)
    text = path.read_text(encoding=encoding, errors="replace").lstrip("\ufeff")
    start = text[:4000]
    if not text.strip() or "\x00" in start or len(CONTROL.findall(start)) > 20 or start.lstrip()[0] in "<{[":
        return None
    sections, fenced = [("", [])], False
    for line in text.splitlines():
        fenced ^= line.lstrip().startswith("```")
        heading = None if fenced else HEADING.match(line)
        if heading:
            sections.append((heading[1], []))
        elif line.strip():
            sections[-1][1].append(line)
    parts = tuple(Part(name, "\n".join(lines)) for name, lines in sections if name or lines)
    if len(parts) == 1 and not parts[0].name:
        parts = tuple(Part("", line) for line in parts[0].text.splitlines())
    counts = counted(
        lines=sum(bool(line.strip()) for line in text.splitlines()),
        headings=len(sections) - 1,
        words=words(parts),
        characters=len(text),
    )
    return Document(path.name, "a text", counts, parts)
