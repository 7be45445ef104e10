"""The sandbox image's name: made of what goes into it.

A changed input is a new image, and the same image is never built twice.
"""

import hashlib
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # deploy/sandbox/image.sh asks for a name with the standard library alone
    from sandbox.policy import Policy

RECIPE = Path("deploy/sandbox/derived.Dockerfile")
"""How a derived image is made, from the root of the source tree."""
_DERIVED = re.compile(r"deckhand-sandbox:[0-9a-f]{12}-[0-9a-f]{12}")
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


def image_of(policy: "Policy", lock: bytes | None, root: Path | None = None) -> str:
    """The image that scripts under `policy` run in: the usual one, or one derived for the policy's packages.

    `lock` is what `sandbox.pins` keeps. Empty, or for other packages, no image has the name. None for a
    policy of ours, whose image is named by what is asked for and holds what there was when it was built: so
    every process of this source tree knows its name, whatever its data folder is.
    """
    image = policy.container.image or image_tag(root)
    packages = policy.container.packages
    if not packages:
        return image
    recipe = ((root or Path(__file__).parents[1]) / RECIPE).read_bytes()
    asked = "\n".join([*packages.python, "", *packages.debian]).encode()
    usual = image.removeprefix("deckhand-sandbox:")
    base = usual if re.fullmatch("[0-9a-f]{12}", usual) else digest({"image": image.encode()})
    parts = {"asked": asked, "recipe": recipe} | ({} if lock is None else {"lock": lock})
    return f"deckhand-sandbox:{base}-{digest(parts)}"


def is_derived(image: str) -> bool:
    return _DERIVED.fullmatch(image) is not None


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
