"""Failures of the sandbox itself, as opposed to failures of the code inside it.

SandboxError
├── SandboxUnavailable   the engine or the container is gone, or did not answer in time
│   ├── ImageMissing     the sandbox image, or the one of a policy's packages, has not been built
│   ├── ContainerEnded   the leased container ended and said nothing
│   └── OtherFolder      the engine does not see the files that we put into the data folder
├── BuildFailed          a policy's packages could not be fetched, or their image not be built
├── Degraded             this host breaks a promise of the policy that its operator has not accepted
├── PolicyError          the YAML policy is unsafe or malformed
├── UnsafeName           a name that would not be a plain file in its folder
├── NoSuchScript         a script that was never staged
└── NoSuchFile           a path that is no regular file of the workspace
"""

from collections.abc import Sequence

from sandbox.images import is_derived


class SandboxError(Exception):
    """The sandbox could not do its own part of the work."""


class SandboxUnavailable(SandboxError):
    """The engine or the leased container is gone, or did not answer in time."""


class ImageMissing(SandboxUnavailable):
    """The sandbox image, or the one of a policy's packages, has not been built."""

    def __init__(self, image: str) -> None:
        self.image = image
        self.command = "deckhand sandbox build" if is_derived(image) else "make image"
        """What builds it."""
        super().__init__(f"the sandbox image {image} is missing: run `{self.command}`")


class ContainerEnded(SandboxUnavailable):
    """The leased container ended and said nothing: something outside of it, or the kernel, killed it."""

    def __init__(self) -> None:
        super().__init__("the sandbox container ended without an answer")


class OtherFolder(SandboxUnavailable):
    """The engine does not see the files that we put into the data folder."""

    def __init__(self, folder: str) -> None:
        super().__init__(
            f"the engine finds other files at {folder} than we do. Where Deckhand itself runs in a container,"
            " or the engine on another machine, the data folder must have one path for both: mount it with"
            f" -v {folder}:{folder}, or set DECKHAND_DATA to the host's own path of it"
        )
        self.folder = folder


class Degraded(SandboxError):
    """This host breaks a promise of the policy that its operator has not accepted."""

    def __init__(self, policy: str, reasons: tuple[str, ...]) -> None:
        super().__init__(f"policy {policy}: {' '.join(reasons)}")
        self.policy = policy
        self.reasons = reasons
        """Each with the code, what was expected, what was found, and how to mend it."""


class BuildFailed(SandboxError):
    """A policy's packages could not be fetched, or their image not be built."""

    def __init__(self, doing: str, why: str, lines: Sequence[str] = ()) -> None:
        super().__init__("\n".join([f"{doing} failed: {why}", *lines]))
        self.doing = doing
        self.why = why
        self.lines = tuple(lines)
        """The end of what was printed."""


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
