"""Where a frame came from: files with their hashes, told along with the frame and kept for the script.

pandas hands `attrs` on through filters, arithmetic and most groupings. A frame that lost them came from some
file that this script loaded, which is all that can be said of it.
"""

import contextlib
import hashlib
from pathlib import Path

import pandas as pd
from facts_run import current

FILES = "facts_files"
KEPT = 64 * 1024 * 1024
"""Bytes of frames that are remembered as they were loaded."""
_hashes = {}


def mark(tables, path):
    """The same tables, whose frames tell the file they were read from; Parquet of ours tells it already."""
    run, path = current(), Path(path)
    try:
        file = {"name": path.name, "sha256": sha256(path)}
    except OSError:
        return tables
    own = run.folder.parent.parent in path.absolute().parents
    for table in tables:
        told = files_of(table.frame)
        table.frame.attrs[FILES] = told or [file]
        run.files |= {item["name"]: item["sha256"] for item in told or [file]}
        run.derived |= {file["sha256"]} if own and not told else set()
        size = table.frame.memory_usage(deep=False).sum()
        if run.kept + size <= KEPT and not (own and not told):
            # shares its columns with the frame until one of them is changed
            run.loaded.append(table.frame.copy(deep=False))
            run.kept += size
    return tables


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


def is_derived(file):
    """Whether a script wrote the file, which does not tell what it was made of."""
    return file["sha256"] in current().derived


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
