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
_hashes = {}


def mark(tables, path):
    """The same tables, whose frames tell the file they were read from."""
    file = {"name": Path(path).name, "sha256": sha256(path)}
    run = current()
    run.files[file["name"]] = file["sha256"]
    for table in tables:
        table.frame.attrs[FILES] = [file]
        run.loaded.append(table.frame.copy(deep=False))
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


def loaded_files():
    """[{name, sha256}] of all that this script has loaded."""
    return [{"name": name, "sha256": digest} for name, digest in current().files.items()]


def _parts(data):
    if isinstance(data, (pd.DataFrame, pd.Series)):
        return [data]
    values = data.values() if isinstance(data, dict) else data if isinstance(data, (list, tuple)) else []
    return [item for item in values if isinstance(item, (pd.DataFrame, pd.Series))]
