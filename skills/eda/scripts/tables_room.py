"""How much of a file fits into the memory that there is."""

from pathlib import Path

LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
MAX_TEXT = 80 * 1024 * 1024
"""A text file of this size still fits into 1 GiB of memory as columns."""
FOLD = 12
"""Bytes of memory for a byte of text, at worst: words that are all different, and columns made of them."""


def memory():
    """Bytes that the container may use, None where nothing says so."""
    for path in LIMITS:
        try:
            text = Path(path).read_text(encoding="ascii").strip()
        except OSError:
            continue
        if text.isdigit():
            return int(text)
    return None


def text_limit():
    """Bytes of a text file that is read whole."""
    room = memory()
    return MAX_TEXT if room is None else min(MAX_TEXT, room // FOLD)
