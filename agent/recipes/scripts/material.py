"""What the scripts work on: the inputs as tables, those that are alike put together, one of them chosen."""

from dataclasses import dataclass, replace

import documents
import findings
import tables
from papers import sentence
from task import HINTS, INPUTS
from wording import told


@dataclass(frozen=True)
class Material:
    table: tables.Table
    findings: findings.Findings
    others: tuple = ()
    failures: tuple = ()
    """A sentence for each file that holds no table."""

    @property
    def frame(self):
        return self.table.frame


def read_all():
    """Every table of the inputs, the documents without one, and a sentence for each file that is neither."""
    found, papers, failures = [], [], []
    for name in INPUTS or tables.files():
        try:
            inside, document = documents.read(name)
        except tables.TableError as error:
            failures.append(told(error))
            continue
        found += inside
        papers += [] if inside else [document]
    return found, papers, failures


def load():
    """None, and sentences why, when there is no table."""
    found, papers, failures = read_all()
    failures = [*map(sentence, papers), *failures]
    if not found:
        return None, failures
    shown = [table for table in found if not table.hidden] or found
    group = max(_alike(shown), key=lambda items: sum(item.frame.size for item in items))
    main = (tables.combine(_told_apart(group)) if len(group) > 1 else None) or group[0]
    used = group if main is not group[0] else group[:1]
    others = tuple(table for table in found if all(table is not item for item in used))
    return Material(main, findings.standard(main, hints=HINTS), others, tuple(failures)), failures


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


def _told_apart(group):
    """Tables of one name from several files get the file's name too."""
    if len({item.name for item in group}) == len(group):
        return group
    return [replace(item, name=f"{item.file}: {item.name}") for item in group]
