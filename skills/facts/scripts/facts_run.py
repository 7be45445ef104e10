"""One run of a script: its name, the files it loaded, the language of its numbers."""

import sys
from pathlib import Path

from deck_words import words

_current = None


class Run:
    """`folder` is where its records go: below the folder that was the current one when it began."""

    def __init__(self, main):
        self.main = main
        path = Path(getattr(main, "__file__", None) or "script.py")
        self.script, self.code = path.name, path.parent
        self.folder = Path.cwd() / ".deckhand" / "facts"
        self.ledger = self.folder / f"{path.stem}.jsonl"
        self.begun = False
        """Whether the records of an earlier run are gone."""
        self.files = {}
        """{name: sha256} of what was loaded, in its order."""
        self.loaded = []
        """Frames as they were loaded."""
        self.told = set()
        self.words = words("en")


def current():
    """The run of the script that is `__main__` now."""
    global _current  # noqa: PLW0603 - one process runs one script
    main = sys.modules.get("__main__")
    if _current is None or _current.main is not main:
        _current = Run(main)
    return _current
