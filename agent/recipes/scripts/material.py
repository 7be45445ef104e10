"""What the scripts work on: the inputs as tables, those that are alike put together, one of them chosen."""

from dataclasses import dataclass

import findings
import pandas as pd
import tables
from notes import ERRORS
from task import HINTS, INPUTS
from wording import say, told


@dataclass(frozen=True)
class Material:
    table: tables.Table
    findings: findings.Findings
    others: tuple = ()
    joined: tuple = ()
    failures: tuple = ()
    """A sentence for each file that holds no table."""

    @property
    def frame(self):
        return self.table.frame


def read_all():
    """Every table of the inputs, and a sentence for each file without one."""
    found, failures = [], []
    for name in INPUTS or tables.files():
        try:
            found += tables.read(name)
        except tables.TableError as error:
            failures.append(told(error, ERRORS))
    return found, failures


def load():
    """None, and sentences why, when there is no table."""
    found, failures = read_all()
    if not found:
        return None, failures
    shown = [table for table in found if not table.hidden] or found
    group = max(_alike(shown), key=lambda tables_: sum(item.frame.size for item in tables_))
    main = group[0] if len(group) == 1 else _together(group)
    others = tuple(table for table in found if all(table is not item for item in group))
    joined = tuple(_origin(item, group) for item in group) if len(group) > 1 else ()
    result = findings.standard(main, hints=HINTS)
    return Material(main, result, others, joined, tuple(failures)), failures


def _alike(found):
    """Groups of tables with nearly the same column names."""
    groups = []
    for table in found:
        names = set(table.frame.columns)
        for group in groups:
            known = set(group[0].frame.columns)
            if len(names & known) >= max(2, 0.8 * max(len(names), len(known))):
                group.append(table)
                break
        else:
            groups.append([table])
    return groups


def _origin(table, group):
    return table.name if len({item.name for item in group}) == len(group) else f"{table.file}: {table.name}"


def _together(group):
    """One below the other, joined by column name, with the origin of each row as a column."""
    origin = say("origin")
    while any(origin in item.frame.columns for item in group):
        origin += "_"
    frames = [item.frame.assign(**{origin: _origin(item, group)}) for item in group]
    frame = pd.concat(frames, ignore_index=True)
    for name in frame.columns:
        kinds = {item[name].dtype.kind for item in frames if name in item and item[name].notna().any()}
        if len(kinds) > 1 and not kinds <= set("iuf"):
            frame[name] = frame[name].map(lambda cell: cell if pd.isna(cell) else str(cell))
    notes = {(note.code, str(note)): note for item in group for note in item.notes}
    return tables.Table(group[0].file.rsplit(".", 1)[0], group[0].file, frame, tuple(notes.values()))
