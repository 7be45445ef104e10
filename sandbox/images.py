"""The sandbox image's name: made of what goes into it.

A changed input is a new image, and the same image is never built twice.
"""

import hashlib
import sys
from pathlib import Path

_FILES = ("deploy/sandbox/Dockerfile", "deploy/sandbox/base.sh", "deploy/sandbox/requirements.lock")
_FOLDER = "sandbox/guest"


def image_tag(root: Path | None = None) -> str:
    """Name the image that the source tree at `root` builds; by default the tree that this module lies in.

    What the base image brings is not part of the name: `docker image rm` and a new build fetch its updates.

    Raises: FileNotFoundError: `root` is not a source tree, so there is nothing to build an image from.
    """
    root = root or Path(__file__).parents[1]
    guest = (
        path for path in (root / _FOLDER).rglob("*") if path.is_file() and "__pycache__" not in path.parts
    )
    names = sorted([*_FILES, *(path.relative_to(root).as_posix() for path in guest)])
    return f"deckhand-sandbox:{digest({name: (root / name).read_bytes() for name in names})}"


def digest(contents: dict[str, bytes]) -> str:
    """Twelve hex digits over names and contents, whatever their order."""
    total = hashlib.sha256()
    for name in sorted(contents):
        # Each of one length, so that no byte can move from a name to its content or to the next file.
        total.update(hashlib.sha256(name.encode()).digest())
        total.update(hashlib.sha256(contents[name]).digest())
    return total.hexdigest()[:12]


if __name__ == "__main__":
    sys.stdout.write(f"{image_tag()}\n")
