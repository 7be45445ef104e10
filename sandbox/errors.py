"""Failures of the sandbox itself, as opposed to failures of the code inside it.

SandboxError
├── SandboxUnavailable   the engine or the container is gone, or did not answer in time
│   ├── ImageMissing     the sandbox image has not been built
│   └── ContainerEnded   the leased container ended and said nothing
├── PolicyError          the YAML policy is unsafe or malformed
├── UnsafeName           a name that would not be a plain file in its folder
├── NoSuchScript         a script that was never staged
└── NoSuchFile           a path that is no regular file of the workspace
"""

from collections.abc import Sequence


class SandboxError(Exception):
    """The sandbox could not do its own part of the work."""


class SandboxUnavailable(SandboxError):
    """The engine or the leased container is gone, or did not answer in time."""


class ImageMissing(SandboxUnavailable):
    """The sandbox image has not been built."""

    def __init__(self, image: str) -> None:
        super().__init__(f"the sandbox image {image} is missing: run `make image`")
        self.image = image


class ContainerEnded(SandboxUnavailable):
    """The leased container ended and said nothing: something outside of it, or the kernel, killed it."""

    def __init__(self) -> None:
        super().__init__("the sandbox container ended without an answer")


class PolicyError(SandboxError):
    """The policy file asks for something we refuse to run. The message names the key and the reason."""


class UnsafeName(SandboxError):
    """A name that would not be a plain file in its folder."""

    def __init__(self, name: str, suffixes: Sequence[str] = (".py",)) -> None:
        super().__init__(f"{name!r} is not a plain file name ending in {' or '.join(suffixes)}")
        self.name = name


class NoSuchScript(SandboxError):
    """A script that was never staged."""

    def __init__(self, name: str) -> None:
        super().__init__(f"no script named {name!r} has been written")
        self.name = name


class NoSuchFile(SandboxError):
    """A path that is no regular file of the workspace."""

    def __init__(self, path: str) -> None:
        super().__init__(f"there is no file {path!r} in the workspace")
        self.path = path
