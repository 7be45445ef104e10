"""The ledger: a JSON line a record in `.deckhand/facts/SCRIPT.jsonl` of the current folder.

It never makes a script fail: what cannot be written is told once, and its numbers stay untraced.
"""

import contextlib
import fcntl
import json
import multiprocessing
import os

from facts_run import current

MAX_FILE = 2 * 1024 * 1024
MAX_SCRIPTS = 64
"""Whose records are read."""


def write(record):
    """Append a record; the first of a run replaces what the script wrote when it ran before."""
    run = current()
    if run.ledger is None:
        run.records.append(record)
        return
    try:
        run.folder.mkdir(parents=True, exist_ok=True)
        with run.ledger.open("ab") as file, _locked(file):
            if not run.begun:
                _begin(run, file)
            room = MAX_FILE - os.fstat(file.fileno()).st_size
            line = _line(record)
            if len(line) > room:
                line = _line({**record, "values": [], "labels": [], "cut": True})
            if len(line) <= room:
                file.write(line)
            else:
                run.tell(f"more than {MAX_FILE >> 20} MiB of facts; what comes now is not recorded")
    except OSError as error:
        run.tell(f"facts cannot be recorded: {error}")


def read(*, others=False):
    """Records of scripts that ran before, and of this one unless only `others` are asked for."""
    run = current()
    found = [] if others else list(run.records)
    with contextlib.suppress(OSError):
        for path in sorted(run.folder.glob("*.jsonl"))[:MAX_SCRIPTS]:
            if path != run.ledger or (run.begun and not others):
                found += _records(path)
    return found


def _records(path):
    try:
        with path.open("rb") as file:
            lines = file.read(MAX_FILE).splitlines()
    except OSError:
        return []
    found = []
    for line in lines:
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(record, dict) and isinstance(record.get("kind"), str):
            found.append(record)
    return found


def _line(record):
    text = json.dumps(record, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode("utf-8", "replace") + b"\n"


def _begin(run, file):
    run.begun = True
    if multiprocessing.parent_process() is None:
        file.truncate(0)


def _begin_before_fork():
    """So that no child takes the records of its parent, or of its siblings, for those of an earlier run."""
    run = current()
    if run.begun or run.ledger is None:
        return
    run.begun = True
    with contextlib.suppress(OSError):
        run.ledger.unlink(missing_ok=True)


@contextlib.contextmanager
def _locked(file):
    """For as long as the file is written; where there are no locks, without one."""
    with contextlib.suppress(OSError):
        fcntl.flock(file, fcntl.LOCK_EX)
    yield
    file.flush()


os.register_at_fork(before=_begin_before_fork)
