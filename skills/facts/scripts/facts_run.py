"""One run of a script: the files it loaded, the numbers it knows, the language it writes them in."""

import contextlib
import re
import sys
from pathlib import Path

from deck_words import words
from facts_caller import is_library

MAX_TOLD = 12
MARKER = "_todo.py"
"""Beside the scripts of a todo: names it, since two todos may both have a script of one name, and tells the
language of the run."""
LANGUAGES = ("en", "ru")
_current = None


class Run:
    """Of the script that is `__main__`. Records go below the folder that was current when it began; where no
    script runs (a notebook, a test) they stay in `records`."""

    def __init__(self, main):
        self.main = main
        path = Path(getattr(main, "__file__", None) or "<none>")
        self.folder = Path.cwd() / ".deckhand" / "facts"
        script = path.suffix == ".py" and not is_library(str(path))
        todo, self.language = _todo(path.parent)
        """Of the person whom the run is for: what libraries say to them by themselves is in it."""
        self.ledger = self.folder / f"{todo}{path.stem}.jsonl" if script else None
        self.begun = False
        """Whether the records of an earlier run are gone."""
        self.records = []
        self.files = {}
        """{name: sha256} of what was loaded, in its order."""
        self.derived = set()
        """Names of those that a script wrote."""
        self.loaded, self.kept = [], 0
        """Frames as they were loaded, and their bytes."""
        self.typed = {}
        """What scripts hold as data, by their paths."""
        self.known, self.earlier = set(), None
        """Numbers of traced records: of this run, and of scripts before it once they were read."""
        self.told = set()
        self.words = words("en")

    def remember(self, value, numbers):
        """Numbers that were computed here may be drawn."""
        for item in (value, *numbers):
            if isinstance(item, (int, float)) and not isinstance(item, bool):
                self.known.add(rounded(item))

    def tell(self, sentence, *, trouble=False):
        """Say it on the output, once and not too often: its reader is the author of the script, who can do
        nothing about our own trouble."""
        if sentence not in self.told:
            self.told.add(sentence)
            if len(self.told) <= MAX_TOLD:
                print(f"facts: {sentence}", file=sys.stderr if trouble else sys.stdout)


def _todo(code):
    """`NAME.` of the scripts' todo, empty where they belong to none; and the language, English if untold."""
    with contextlib.suppress(OSError, UnicodeDecodeError):
        with (code / MARKER).open(encoding="utf-8") as file:
            found = re.fullmatch(r'NAME = "([\w-]{1,80})"\s*(?:LANGUAGE = "([a-z]{2})"\s*)?', file.read(200))
        if found:
            return f"{found[1]}.", found[2] if found[2] in LANGUAGES else LANGUAGES[0]
    return "", LANGUAGES[0]


def current():
    """The run of the script that is `__main__` now."""
    global _current
    main = sys.modules.get("__main__")
    if _current is None or _current.main is not main:
        _current = Run(main)
    return _current


def forget():
    """Begin anew, as another script would."""
    global _current
    _current = None


def rounded(value):
    """By which numbers are compared: nine digits, so that the order of a sum does not matter."""
    return float(f"{value:.9g}")
