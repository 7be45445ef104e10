"""One run of a script: its name, the files it loaded, the language of its numbers."""

import contextlib
import re
import sys
from pathlib import Path

from deck_words import words

MAX_TOLD = 12
MARKER = "_todo.py"
"""Beside the scripts of a todo: names it, since two todos may both have a script of one name."""
_current = None


class Run:
    """`folder` is where its records go: below the folder that was the current one when it began."""

    def __init__(self, main):
        self.main = main
        path = Path(getattr(main, "__file__", None) or "script.py")
        self.script, self.code = path.name, path.parent
        self.folder = Path.cwd() / ".deckhand" / "facts"
        self.ledger = self.folder / f"{_todo(self.code)}{path.stem}.jsonl"
        self.begun = False
        """Whether the records of an earlier run are gone."""
        self.files = {}
        """{name: sha256} of what was loaded, in its order."""
        self.derived = set()
        """Hashes of those that a script wrote."""
        self.loaded, self.kept = [], 0
        """Frames as they were loaded, and their bytes."""
        self.known, self.earlier = set(), None
        """Numbers of traced records: of this run, and of scripts before it once they were read."""
        self.told = set()
        self.words = words("en")

    def remember(self, value, numbers):
        """Numbers that were computed here may be drawn."""
        for item in (value, *numbers):
            if isinstance(item, (int, float)) and not isinstance(item, bool):
                self.known.add(float(f"{item:.9g}"))

    def tell(self, sentence):
        """Say it on the output, once and not too often: its reader is the author of the script."""
        if sentence not in self.told:
            self.told.add(sentence)
            if len(self.told) <= MAX_TOLD:
                print(f"facts: {sentence}")


def _todo(code):
    """`NAME.` of the scripts' todo; empty where they belong to none."""
    with contextlib.suppress(OSError, UnicodeDecodeError):
        with (code / MARKER).open(encoding="utf-8") as file:
            found = re.fullmatch(r'NAME = "([\w-]{1,80})"\s*', file.read(200))
        return f"{found[1]}." if found else ""
    return ""


def current():
    """The run of the script that is `__main__` now."""
    global _current
    main = sys.modules.get("__main__")
    if _current is None or _current.main is not main:
        _current = Run(main)
    return _current
