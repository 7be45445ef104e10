"""What can be wrong with the statement of a fact; each message says how to write it.

FactError
├── NotAnExpression   it computes nothing, or uses what an expression may not
├── UnknownName       a column or a name that is not there
└── NotOneNumber      the result is missing, infinite, or more than one number
"""

import difflib


class FactError(ValueError):
    """A fact that cannot be stated this way."""


class NotAnExpression(FactError):
    """It computes nothing from the frame, or uses what an expression may not."""


class UnknownName(FactError):
    """A name that is neither a column nor anything that an expression knows."""

    def __init__(self, name, known, *, what="column"):
        known = [str(item) for item in known]
        close = difflib.get_close_matches(str(name), known, n=1, cutoff=0.6) or [
            item for item in known if item.lower() == str(name).lower()
        ]
        guess = f" Did you mean {close[0]!r}?" if close else ""
        shown = ", ".join(known[:30]) + (", …" if len(known) > 30 else "")
        super().__init__(f"There is no {what} {name!r}.{guess} There are: {shown}.")


class NotOneNumber(FactError):
    """The result is missing, infinite, or more than one number."""
