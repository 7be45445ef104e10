"""Empties folders that a script wrote to: by descriptor, without recursion, at any depth.

A tree 1,500 folders deep kills a recursive cleaner, and its path is too long to name. So nested folders are
moved up to the folder being emptied until nothing nested is left. Only to be called when no script runs.
"""

# os throughout, as for descriptors

import os
import stat

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def empty(path: str) -> None:
    """Remove everything in `path`. The folder itself must be out of a script's reach."""
    top = os.open(path, _FOLDER)
    try:
        _empty(top)
    finally:
        os.close(top)


def _empty(top: int) -> None:
    serial = 0
    pending = os.listdir(top)
    taken = set(pending)
    while pending:
        name = pending.pop()
        if not _is_folder(name, top):
            os.unlink(name, dir_fd=top)
            continue
        os.chmod(name, 0o700, dir_fd=top)
        folder = os.open(name, _FOLDER, dir_fd=top)
        try:
            for child in os.listdir(folder):
                if not _is_folder(child, folder):
                    os.unlink(child, dir_fd=folder)
                    continue
                os.chmod(
                    child, 0o700, dir_fd=folder
                )  # moving a folder writes its "..", so it must be ours to write
                while (moved := f"sweep-{serial}") in taken:
                    serial += 1
                serial += 1
                os.rename(child, moved, src_dir_fd=folder, dst_dir_fd=top)
                pending.append(moved)
        finally:
            os.close(folder)
        os.rmdir(name, dir_fd=top)


def _is_folder(name: str, parent: int) -> bool:
    return stat.S_ISDIR(os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode)
