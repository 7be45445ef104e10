"""The factbook: what a run's scripts stated with a source, kept for questions and comparisons."""

import asyncio
import json
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, Field, ValidationError

from agent.context import seen
from storage.artifacts import ArtifactStore
from storage.records import ArtifactKind, RunId

RECORDS = ".deckhand/"
"""Names in out/ that begin so are records: never delivered, never an input of another run."""
LEDGERS = Path(".deckhand", "facts")
"""Below out/: one file of JSON lines for each script."""
EARLIER = "earlier"
"""Name of a ledger that no script wrote: it holds what the numbers of an earlier run were."""
NAME = f"{RECORDS}facts.json"
MAX_FACTS = 4_000
"""Lines that are read of a run's ledgers: what is no fact counts too, since it costs as much."""
MAX_VALUES = 2_000
"""Numbers that are kept of one table or chart."""
MAX_NUMBERS = 400_000
"""And of all of them together."""
MAX_READ = 16 << 20
"""Bytes of a run's ledgers; a line beyond is not known of."""
MAX_LEDGERS = 200
MAX_BOOK = 32 << 20
EXACT = 1 << 53
"""Up to which a whole number is one for every reader of JSON."""
MAX_FOUND = 5
_NUMBER = re.compile(r"[-−]?\d[\d\s\u00a0\u202f.,']*\d|[-−]?\d")
_WORD = re.compile(r"\w{3,}")


def _text(value: object) -> object:
    return seen(value)[:2_000] if isinstance(value, str) else value


def _finite(value: object) -> object:
    beyond = isinstance(value, int) and abs(value) > EXACT
    return None if beyond or (isinstance(value, float) and not math.isfinite(value)) else value


def _some(value: object) -> object:
    # a guest's JSON: pydantic judges what is in the list
    return value[:MAX_VALUES] if isinstance(value, list) else value  # pyright: ignore[reportUnknownVariableType]


Text = Annotated[str, BeforeValidator(_text)]
Count = Annotated[int, Field(ge=0, le=EXACT)]
Value = Annotated[float | int | str | bool | None, BeforeValidator(_finite), BeforeValidator(_text)]


class Source(BaseModel, frozen=True):
    name: Text
    sha256: Annotated[str, Field(max_length=64)] = ""


class Fact(BaseModel, frozen=True):
    """One line of a ledger. A script wrote it, so it is a claim about that script and nothing more."""

    kind: Annotated[Text, Field(max_length=20)]
    """fact, computed, table, drawn, asserted or assumption."""
    id: Text = ""
    value: Value = None
    """Of a percentage the fraction of 1."""
    unit: Text = ""
    text: Text = ""
    """As it was handed back for printing: `38.4%`."""
    expression: Text = ""
    rows: Count | None = None
    columns: Annotated[tuple[Text, ...], Field(max_length=200)] = ()
    labels: Annotated[tuple[Text, ...], BeforeValidator(_some)] = ()
    values: Annotated[tuple[Value, ...], BeforeValidator(_some)] = ()
    files: Annotated[tuple[Source, ...], Field(max_length=50)] = ()
    script: Text = ""
    line: Count | None = None
    code: Text = ""
    """That line of the script."""
    source: Text = ""
    """Of an asserted value: in words, where it is from."""
    target: Text = ""
    """Of what was drawn: in which deliverable."""
    traced: bool = False
    ledger: Annotated[str, Field(pattern=r"^[\w.-]{0,200}$")] = ""
    """Name of the file that it stood in, without its suffix: todo and script."""


def read(lines: Iterable[bytes | str]) -> Iterator[Fact]:
    """What can be read of a ledger's lines; the rest was not written by our library."""
    for line in lines:
        try:
            yield Fact.model_validate_json(line)
        except (ValidationError, ValueError, RecursionError):
            continue


def collect(out: Path) -> tuple[Fact, ...]:
    """The facts that lie in out/, in the order of the ledgers' names."""
    found: list[Fact] = []
    lines, room, numbers = MAX_FACTS, MAX_READ, MAX_NUMBERS
    for path in sorted((out / LEDGERS).glob("*.jsonl"))[:MAX_LEDGERS]:
        if path.is_symlink() or not path.is_file():
            continue
        with path.open("rb") as file:
            content = file.read(room)
        kept = content.split(b"\n", lines)[:lines]
        lines, room = lines - len(kept), room - len(content)
        for fact in read(kept):
            values = fact.values[:numbers]
            numbers -= len(values)
            found.append(fact.model_copy(update={"ledger": path.stem, "values": values}))
    return tuple(found)


def lay_out(facts: Iterable[Fact], out: Path) -> None:
    """As ledgers again: a script that runs once more replaces its own."""
    by_ledger: dict[str, list[Fact]] = {}
    for fact in facts:
        by_ledger.setdefault(fact.ledger or EARLIER, []).append(fact)
    (out / LEDGERS).mkdir(parents=True, exist_ok=True)
    for name, lines in by_ledger.items():
        text = "".join(f"{fact.model_dump_json(exclude={'ledger'})}\n" for fact in lines)
        path = out / LEDGERS / f"{name}.jsonl"
        if not path.exists():
            path.write_text(text, encoding="utf-8", errors="backslashreplace")


def dump(facts: Iterable[Fact]) -> bytes:
    lines = [fact.model_dump(mode="json", exclude_defaults=True) for fact in facts]
    return json.dumps(lines, ensure_ascii=False, indent=0).encode("utf-8", "backslashreplace")


def load(content: bytes) -> tuple[Fact, ...]:
    """What `dump` wrote."""
    try:
        lines: object = json.loads(content)
    except (ValueError, RecursionError):
        return ()
    if not isinstance(lines, list):
        return ()
    items: list[object] = lines[:MAX_FACTS]  # pyright: ignore[reportUnknownVariableType]  # JSON is untyped
    return tuple(read(json.dumps(item) for item in items))


async def of_run(artifacts: ArtifactStore, run_id: RunId) -> tuple[Fact, ...]:
    """The facts that a run left; empty when there are none.

    Raises: StorageError.
    """
    content = await record(artifacts, run_id, NAME)
    return () if content is None else await asyncio.to_thread(load, content)


async def record(artifacts: ArtifactStore, run_id: RunId, name: str) -> bytes | None:
    """The newest record of that name that a run left.

    Raises: StorageError.
    """
    kept = [
        item
        for item in await artifacts.of_run(run_id)
        if item.kind is ArtifactKind.RECORD and item.name == name and item.size <= MAX_BOOK
    ]
    return b"".join([chunk async for chunk in artifacts.open(kept[-1].id)]) if kept else None


def find(facts: Sequence[Fact], words: str) -> tuple[Fact, ...]:
    """Facts that `words` are about, the likeliest first: a number as it is written, an id, or words of one.

    A number means a fact that was printed so, or whose value is that number rounded as it is written.
    """
    number = _NUMBER.search(words)
    if number is not None:
        percent = "%" in words[number.end() : number.end() + 2]
        scored = [(_score_number(fact, number[0], percent=percent), fact) for fact in facts]
    else:
        asked = {word.casefold() for word in _WORD.findall(words.replace("_", " "))}
        scored = [(_score_words(fact, asked), fact) for fact in facts]
    best = sorted((item for item in scored if item[0] > 0), key=lambda item: -item[0])
    return tuple(fact for _, fact in best[:MAX_FOUND])


def parse_number(text: str) -> tuple[float, int] | None:
    """A number as a person writes it, and its decimals: `1,234.5`, `38,4`, `−2 300`."""
    plain = re.sub(r"[\s\u00a0\u202f']", "", text.replace("−", "-"))
    mark = max(plain.rfind(","), plain.rfind("."))
    once = mark >= 0 and plain.count(plain[mark]) == 1
    both = "," in plain and "." in plain
    thousands = mark >= 0 and plain[mark] == "," and len(plain) - mark - 1 == 3
    whole, part = plain, ""
    if once and (both or not thousands):
        whole, part = plain[:mark], plain[mark + 1 :]
    try:
        return float(f"{re.sub('[.,]', '', whole)}.{part or 0}"), len(part)
    except ValueError:
        return None


def _score_number(fact: Fact, written: str, *, percent: bool) -> int:
    """3: printed so; 2: its value, so rounded; 1: one of the numbers of its table."""
    asked = parse_number(written)
    if asked is None:
        return 0
    printed = _NUMBER.search(fact.text)
    if printed is not None and parse_number(printed[0]) == asked and percent == ("%" in fact.text):
        return 3
    if _rounds_to(fact.value, *asked, percent=percent):
        return 2
    return int(any(_rounds_to(value, *asked, percent=percent) for value in fact.values))


def _rounds_to(value: object, number: float, decimals: int, *, percent: bool) -> bool:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    shown = value * 100 if percent else value
    return abs(shown - number) <= 0.5 * 10**-decimals * (1 + 1e-9)


def _score_words(fact: Fact, asked: set[str]) -> int:
    said = f"{fact.id} {fact.text} {fact.expression} {fact.source} {' '.join(fact.columns)}".replace("_", " ")
    return len(asked & {word.casefold() for word in _WORD.findall(said)})
