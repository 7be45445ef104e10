"""Refusals: why a message has come to nothing, in a sentence for its person."""

from collections.abc import Sequence
from typing import Final

from bot.errors import Refused
from bot.intake.fetching import shown
from bot.telemetry import note_fault
from bot.texts import Texts
from storage.errors import DiskFull

NAMED: Final = 5
"""Of the files that were left out; the rest are counted."""


def named(names: Sequence[str]) -> str:
    """A few of the files, as a person may read them."""
    return ", ".join(shown(name) for name in names[:NAMED]) + " …" * (len(names) > NAMED)


def sorry(fault: Exception, t: Texts) -> str:
    """Why a message has come to nothing."""
    if isinstance(fault, Refused):
        known = t.has(fault.key)
        return t(fault.key if known else "file-unfetched", **fault.facts)
    if isinstance(fault, DiskFull):
        return t("disk-full")
    return t("fault", id=note_fault(fault))
