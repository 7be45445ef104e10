"""PDF: the words of each page. What is drawn or scanned has none."""

import logging
import time

from documents_model import Document, Part, counted, words
from tables_errors import BrokenFile, PasswordProtected

MAX_PAGES = 300
"""Pages whose words are read."""
MAX_CHARS = 2_000_000
MAX_SECONDS = 15
"""Some pages take seconds; the rest of a long file is then left unread, which the counts tell."""


def read(path):
    from pypdf import PasswordType, PdfReader  # only PDF files pay for it
    from pypdf.errors import DependencyError, PyPdfError

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # what it mends by itself is no news
    try:
        reader = PdfReader(path)
        if reader.is_encrypted and reader.decrypt("") == PasswordType.NOT_DECRYPTED:
            raise PasswordProtected(path.name)
        pages = len(reader.pages)
        parts, room, until = [], MAX_CHARS, time.monotonic() + MAX_SECONDS
        for number in range(min(pages, MAX_PAGES)):
            if not room or time.monotonic() > until:
                break
            text = reader.pages[number].extract_text()[:room].strip()
            room -= len(text)
            parts.append(Part("", text))
    except DependencyError as error:  # a cipher that we do not have
        raise PasswordProtected(path.name) from error
    except (PyPdfError, RecursionError, ValueError, KeyError, OSError) as error:
        raise BrokenFile(path.name, kind="a PDF document", reason=str(error)[:200]) from error
    if not pages:
        raise BrokenFile(path.name, kind="a PDF document", reason="no pages")
    silent = sum(not part.text for part in parts)
    unread = pages - len(parts)
    counts = counted(pages=pages, words=words(parts), pages_without_text=silent, pages_not_read=unread)
    return Document(path.name, "a PDF document", counts, tuple(parts))
