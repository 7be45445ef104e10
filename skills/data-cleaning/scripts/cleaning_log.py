"""What was done to a table, with counts, and what only a person can decide."""

import pandas as pd
from cleaning_words import WORDS

MAX_DETAIL = 300


class Log:
    def __init__(self, language):
        self.language = language if language in WORDS else "en"
        self.words = WORDS[self.language]
        self._steps, self._questions = [], []

    def say(self, code, /, **told):
        """A detail, in the language of the log."""
        return self.words[code].format(**told)

    def add(self, kind, before, after, column, cells, detail):
        """`before` and `after` are frames; `cells` is how many of them changed."""
        row = (self.words[kind], str(column), len(before), len(after), int(cells), _line(detail))
        self._steps.append(row)

    def ask(self, kind, column, count, detail):
        row = (self.words[kind], str(column), int(count), _line(detail))
        if row not in self._questions:
            self._questions.append(row)

    def steps(self):
        words = self.words
        names = ["what", "column", "rows_before", "rows_after", "cells", "detail"]
        found = pd.DataFrame(self._steps, columns=[words[name] for name in names])
        found.insert(0, words["step"], range(1, len(found) + 1))
        return found

    def questions(self):
        names = ["what", "column", "count", "detail"]
        return pd.DataFrame(self._questions, columns=[self.words[name] for name in names])


def _line(detail):
    text = " ".join(str(detail).split())
    return text if len(text) <= MAX_DETAIL else text[: MAX_DETAIL - 1] + "…"
