"""Where a frame came from: files with their hashes, told along with the frame and kept for the script.

pandas hands `attrs` on through filters, arithmetic and most groupings. A frame that lost them came from some
file that this script loaded, which is all that can be said of it.
"""

import contextlib
import hashlib
from pathlib import Path

import facts_ledger
import pandas as pd
from facts_run import current

FILES = "facts_files"
MAX_FILES = 10
"""That a file which a script wrote is told to come from."""
KEPT = 64 * 1024 * 1024
"""Bytes of frames that are remembered as they were loaded."""
_hashes = {}


def mark(tables, path):
    """The same tables, whose frames tell the file they were read from, and of one that a script wrote also
    those that scripts had loaded by then."""
    run, path = current(), Path(path)
    files = [load_file(path)]
    own = run.folder.parent.parent in path.absolute().parents
    if own:
        run.derived.add(path.name)
        earlier = [file for record in facts_ledger.read(others=True) for file in record.get("files") or []]
        files += [file for file in earlier if isinstance(file, dict) and {"name", "sha256"} <= file.keys()]
        files = list({(file["name"], file["sha256"]): file for file in files}.values())[:MAX_FILES]
    for table in tables:
        table.frame.attrs[FILES] = files
        size = table.frame.memory_usage(deep=False).sum()
        if run.kept + size <= KEPT and not own:
            # shares its columns with the frame until one of them is changed
            run.loaded.append(table.frame.copy(deep=False))
            run.kept += size
    return tables


def load_file(path):
    """{name, sha256} of a file that this script reads; from now on it has loaded it."""
    path = Path(path)
    file = {"name": path.name, "sha256": sha256(path)}
    current().files[file["name"]] = file["sha256"]
    return file


def sha256(path):
    """Of the file's bytes; read once as long as the file stays as it is."""
    path = Path(path)
    state = path.stat()
    key = (str(path.absolute()), state.st_size, state.st_mtime_ns)
    if key not in _hashes:
        with path.open("rb") as file:
            _hashes[key] = hashlib.file_digest(file, "sha256").hexdigest()
    return _hashes[key]


def files_of(data):
    """[{name, sha256}] that the data says it came from; of a dict or list, what its parts say."""
    found = {}
    for part in _parts(data):
        with contextlib.suppress(AttributeError, TypeError, KeyError):
            for file in part.attrs.get(FILES, []):
                found[(file["name"], file["sha256"])] = {"name": file["name"], "sha256": file["sha256"]}
    return list(found.values())


def loaded_values(name):
    """Numbers that columns of this name held when they were loaded."""
    found = set()
    for frame in current().loaded:
        if name in frame.columns:
            values = frame[name] if isinstance(frame[name], pd.Series) else frame[name].iloc[:, 0]
            found |= set(pd.to_numeric(values, errors="coerce").dropna().astype(float).unique())
    return found


def loaded_files():
    """[{name, sha256}] of all that this script has loaded."""
    return [{"name": name, "sha256": digest} for name, digest in current().files.items()]


def _parts(data):
    if isinstance(data, (pd.DataFrame, pd.Series)):
        return [data]
    values = data.values() if isinstance(data, dict) else data if isinstance(data, (list, tuple)) else []
    return [item for item in values if isinstance(item, (pd.DataFrame, pd.Series))]
