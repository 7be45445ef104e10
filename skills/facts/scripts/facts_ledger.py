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
MAX_READ = 64
"""Files of records that are read: one a script."""


def write(record):
    """Append a record; the first of a run replaces what the script wrote when it ran before."""
    run = current()
    line = _line(record)
    try:
        run.folder.mkdir(parents=True, exist_ok=True)
        with run.ledger.open("ab") as file, _locked(file):
            if not run.begun:
                _begin(run, file)
            size = os.fstat(file.fileno()).st_size
            if size + len(line) > MAX_FILE:
                line = _line({**record, "values": [], "labels": [], "cut": True})
            if size + len(line) > MAX_FILE:
                _tell(
                    run,
                    f"the records of {run.script} are longer than {MAX_FILE >> 20} MiB; the rest is left out",
                )
                return
            file.write(line)
    except OSError as error:
        run.tell(f"the facts of {run.script} could not be recorded: {error}")


def read(*, others=False):
    """Records of scripts that ran before, and of this one unless only `others` are asked for."""
    run, found = current(), []
    with contextlib.suppress(OSError):
        for path in sorted(run.folder.glob("*.jsonl"))[:MAX_READ]:
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
        except ValueError:
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
    if run.begun:
        return
    if not run.ledger.exists():
        run.begun = True
        return
    with contextlib.suppress(OSError), run.ledger.open("ab") as file, _locked(file):
        _begin(run, file)


@contextlib.contextmanager
def _locked(file):
    """Over the file for as long as it is written; where there are no locks, without one."""
    with contextlib.suppress(OSError):
        fcntl.flock(file, fcntl.LOCK_EX)
    yield
    file.flush()


os.register_at_fork(before=_begin_before_fork)
