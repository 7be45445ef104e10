"""Numbers that a person gave: repeating them claims nothing."""

import re

from numerals_text import extract_text
from tracing_match import stems

MAX_REQUEST = 20_000
RULE = re.compile(r"(?<![\w/])\d{1,2}(?:/\d{1,2}){1,4}(?![\w/])")
"""`80/15/5`: shares that a person asks for."""


class Request:
    def __init__(self, text):
        text = text[:MAX_REQUEST]
        self.given = {}
        for one in extract_text(text):
            self.given.setdefault((round(one.value, 9), one.unit), []).append(stems(one.noun))
        for rule in RULE.findall(text):
            for part in rule.split("/"):
                self.given.setdefault((int(part) / 100, "%"), []).append(set())

    def holds(self, one):
        """`9 slides` may come back as 9 slides, never as 9 of anything else."""
        nouns = self.given.get((round(one.value, 9), one.unit), ()) if not one.exact else ()
        return any(not noun or one.unit or noun & stems(one.noun) for noun in nouns)
