"""The question that a run may ask its person, once: how it gets there, and what came of it."""

from collections.abc import Iterable
from typing import Protocol

from agent.events import QuestionAnswered
from storage.records import EventRecord, RunId


class Asker(Protocol):
    async def ask(self, run_id: RunId, text: str, options: tuple[str, ...], assumption: str) -> str | None:
        """An option or the person's own words; None when nobody answered in time.

        After a crash it is called again with the same arguments: it asks once a run, and goes on waiting or
        returns what was answered meanwhile. All three texts are a model's.

        Raises:
            StorageError: and nothing else. A chat that cannot be reached has not answered.
        """
        ...


def assumed(records: Iterable[EventRecord]) -> str:
    """What a run took for granted because nobody answered its question; empty when there was no need to."""
    told = [record.payload for record in records if record.kind == QuestionAnswered.__name__]
    return "" if not told or told[-1].get("by_person") else str(told[-1].get("answer", ""))


def stating(answer: str, assumption: str) -> str:
    """`answer`, and below it what was assumed, unless it says so: a model may forget to.

    The assumption is a whole sentence in the person's language, so that it can stand by itself.
    """
    said = " ".join(answer.split())
    return answer if not assumption or assumption in said else f"{answer}\n\n> {assumption}"
