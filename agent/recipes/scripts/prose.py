"""Prose as parts of a deck: Markdown, plain text or a Word document, cut at its headings."""

import re

LONGEST = 120
HEADING = re.compile(r"^#{1,4}\s+(.+?)\s*#*$")
MARK = re.compile(r"^(?:[-*+•]|\d+[.)])\s+")


def lines_of(path):
    """Lines of Markdown."""
    if path.suffix.lower() != ".docx":
        data = path.read_bytes()
        for encoding in ("utf-8-sig", "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "cp1251"):
            try:
                return data.decode(encoding).splitlines()
            except UnicodeDecodeError:
                continue
        return data.decode("latin-1").splitlines()
    from docx import Document

    lines = []
    for item in Document(str(path)).iter_inner_content():
        if hasattr(item, "rows"):
            lines += [
                "| " + " | ".join(cell.text.strip().replace("\n", " ") for cell in row.cells) + " |"
                for row in item.rows
            ]
        elif item.style is not None and item.style.name.startswith(("Heading", "Title")):
            lines.append(f"## {item.text}" if item.text.strip() else "")
        else:
            lines += item.text.splitlines()
    return lines


def sections(lines):
    """[(heading, [bullets], [table rows])]; what stands before the first heading has none."""
    found = [("", [], [])]
    for line in lines:
        line = line.strip()
        heading = HEADING.match(line)
        if heading:
            found.append((plain(heading[1]), [], []))
        elif line.startswith("|"):
            cells = [plain(cell) for cell in line.strip("|").split("|")]
            if not all(re.fullmatch(r":?-{2,}:?", cell) for cell in cells):
                found[-1][2].append(cells)
        elif line and not set(line) <= set("-*_= "):
            found[-1][1].extend(pieces(plain(MARK.sub("", line))))
    return [part for part in found if any(part)]


def pieces(text):
    """Sentences put together while they stay readable as one bullet."""
    result = [""]
    for sentence in re.split(r"(?<=[.!?…])\s+", text):
        if result[-1] and len(result[-1]) + len(sentence) > LONGEST:
            result.append("")
        result[-1] = f"{result[-1]} {sentence}".strip()
    return result


def plain(text):
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"(\*\*|__|`)", "", text).strip()


def merged(parts, most):
    """At most so many parts: the shortest neighbours are told on one slide."""
    parts = list(parts)
    while len(parts) > max(most, 1):
        place = min(range(len(parts) - 1), key=lambda i: len(parts[i][1]) + len(parts[i + 1][1]))
        (one, first, table), (other, second, rows) = parts[place : place + 2]
        parts[place : place + 2] = [
            (one or other, [*first, *([other] if one and other else []), *second], [*table, *rows])
        ]
    return parts
