"""The layout of input files: which tables and columns the profiler found, to tell whether scripts fit."""

import json
from collections.abc import Mapping, Sequence
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, TypeAdapter, ValidationError

MAX_TABLES = 300
MAX_COLUMNS = 1_000
_LIKE = {"integer": "number", "category": "text"}
_LOOSE = ("id", "empty", "bool")
"""Kinds that depend on which rows a file happens to have."""


def _few(value: object) -> object:
    # a guest's JSON: pydantic judges what is in the list
    return value[:MAX_COLUMNS] if isinstance(value, list) else value  # pyright: ignore[reportUnknownVariableType]


class Column(BaseModel, frozen=True):
    name: str
    kind: str


class Table(BaseModel, frozen=True):
    file: str
    name: str = ""
    """Of a sheet; empty where a file is one table."""
    columns: tuple[Column, ...] = ()


class _ProfiledTable(BaseModel, frozen=True):
    name: str = ""
    fields: Annotated[tuple[Column, ...], BeforeValidator(_few)] = ()


class _ProfiledFile(BaseModel, frozen=True):
    file: str
    tables: Annotated[tuple[_ProfiledTable, ...], BeforeValidator(_few)] = ()


_TABLES = TypeAdapter(tuple[Table, ...])


def tables_of(profile: str) -> tuple[Table, ...]:
    """Of the line of JSON that the profiler printed; empty when it is none."""
    try:
        said: object = json.loads(profile)
        files = TypeAdapter(tuple[_ProfiledFile, ...]).validate_python(
            # JSON is untyped until pydantic has read it
            said.get("files", ()) if isinstance(said, dict) else ()  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
        )
    except (ValidationError, ValueError, RecursionError):
        return ()
    found = [
        Table(file=file.file, name=table.name if len(file.tables) > 1 else "", columns=table.fields)
        for file in files
        for table in file.tables
    ]
    return tuple(found[:MAX_TABLES])


def dump(tables: Sequence[Table]) -> str:
    return _TABLES.dump_json(tuple(tables)).decode("utf-8", "replace")


def load(text: str) -> tuple[Table, ...]:
    return _TABLES.validate_json(text)


def pairing(
    old: Sequence[Table],
    new: Sequence[Table],
    *,
    files: Sequence[str],
    fresh: Sequence[str],
    carried: Sequence[str],
) -> Mapping[str, str] | None:
    """Which file stands for each of the old `files`, by name: a `fresh` one with the same tables, or else one
    of that name that was `carried` along. None unless each has one and all fresh files have a place."""
    before, after = _by_file(old), _by_file(new)
    pairs: dict[str, str] = {}
    for file in files:
        free = [name for name in fresh if name not in pairs.values()]
        free.sort(key=lambda name, file=file: name != file)
        fitting = [name for name in free if file in before and _same(before[file], after.get(name, ()))]
        if not fitting and file not in carried:
            return None
        pairs[file] = fitting[0] if fitting else file
    return pairs if pairs and set(fresh) <= set(pairs.values()) else None


def differences(old: Sequence[Table], new: Sequence[Table]) -> tuple[str, ...]:
    """In words for a model: columns that are gone, new or of another kind, table by table in their order."""
    told: list[str] = []
    for before, after in zip(old, new, strict=False):
        kinds, others = _kinds(before), _kinds(after)
        place = f"{after.file}{f' [{after.name}]' if after.name else ''}"
        told += [f"{place}: no column {name!r}" for name in kinds if name not in others]
        told += [f"{place}: new column {name!r}" for name in others if name not in kinds]
        told += [
            f"{place}: {name!r} was {kinds[name]}, is {others[name]}"
            for name in kinds
            if name in others and not _alike(kinds[name], others[name])
        ]
    if len(old) != len(new):
        told.append(f"{len(old)} tables before, {len(new)} now")
    return tuple(told[:40])


def _by_file(tables: Sequence[Table]) -> dict[str, list[Table]]:
    found: dict[str, list[Table]] = {}
    for table in tables:
        found.setdefault(table.file, []).append(table)
    return found


def _same(old: Sequence[Table], new: Sequence[Table]) -> bool:
    """Columns may stand in another order, sheets not: scripts take those by name or by place."""
    return len(old) == len(new) > 0 and all(
        before.columns
        and before.name == after.name
        and _kinds(before).keys() == _kinds(after).keys()
        and all(_alike(kind, _kinds(after)[name]) for name, kind in _kinds(before).items())
        for before, after in zip(old, new, strict=True)
    )


def _kinds(table: Table) -> dict[str, str]:
    return {column.name: column.kind for column in table.columns}


def _alike(one: str, other: str) -> bool:
    return _LIKE.get(one, one) == _LIKE.get(other, other) or one in _LOOSE or other in _LOOSE
