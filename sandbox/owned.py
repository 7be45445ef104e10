"""Folders that belong to a living process: what a killed one left is known by its name, and removed."""

import os
import re
import secrets
import shutil
from pathlib import Path

from sandbox.lease import process_start

_NAME = re.compile(r"([0-9]+)-([0-9]+)-[0-9a-f]{32}")


def new_folder(parent: Path, prefix: str = "") -> Path:
    """Raises: OSError."""
    parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    owner = os.getpid()
    folder = parent / f"{prefix}{owner}-{process_start(owner)}-{secrets.token_hex(16)}"
    folder.mkdir(mode=0o700)
    return folder


def sweep(parent: Path, prefix: str = "") -> None:
    """Remove those whose process is dead; whatever has another name stays."""
    for folder in parent.glob(f"{prefix}*"):
        match = _NAME.fullmatch(folder.name.removeprefix(prefix))
        if match is not None and process_start(int(match[1])) != int(match[2]):
            shutil.rmtree(folder, ignore_errors=True)
