"""The proof of one policy on one host, and where it is kept so that not every start has to prove anew."""

import hashlib
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from sandbox.hardening import seccomp_profile
from sandbox.policy import Policy
from sandbox.probe.host import HostFacts
from sandbox.probe.proof import Proof, Standing

_FILE = "probe.json"
_SOURCES = Path(__file__).parents[1]
_BOOT = Path("/proc/sys/kernel/random/boot_id")


class Verdict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    at: datetime
    policy: Policy
    image: str
    """Id."""
    host: HostFacts
    proofs: tuple[Proof, ...]

    def with_standing(self, *standings: Standing) -> tuple[Proof, ...]:
        accepted = self.policy.allow_degraded
        return tuple(proof for proof in self.proofs if proof.standing(accepted) in standings)

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why the bot does not start; empty when it does."""
        return tuple(map(str, self.with_standing(Standing.BROKEN)))


class _Kept(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    key: str
    verdict: Verdict


_KEPT = TypeAdapter(dict[str, _Kept])


def boot_id() -> str:
    """Of this machine; empty when it tells none."""
    with suppress(OSError):
        return _BOOT.read_text().strip()
    return ""


def key(policy: Policy, image: str, host: HostFacts, boot: str) -> str:
    """A digest of all that a verdict depends on: also of the code that makes the containers and of the
    checks themselves, since another version may make and ask more.

    Raises: PolicyError: the policy's seccomp profile cannot be read.
    """
    parts = [policy.model_dump_json(by_alias=True), seccomp_profile(policy), image, repr(host), boot]
    return _digest([*(part.encode() for part in parts), code_digest().encode()])


def code_digest(folder: Path = _SOURCES) -> str:
    """Of every module of the package: which of them take part in a container is not worth a list."""
    return _digest(path.read_bytes() for path in sorted(folder.rglob("*.py")))


def _digest(parts: Iterable[bytes]) -> str:
    return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()


def recall(root: Path, name: str, key: str) -> Verdict | None:
    """The verdict that was kept under this very key."""
    kept = _read(root).get(name)
    return kept.verdict if kept is not None and kept.key == key else None


def keep(root: Path, name: str, key: str, verdict: Verdict) -> None:
    """One verdict for each policy's name. A disk that takes nothing only costs the next start a proof."""
    kept = {**_read(root), name: _Kept(key=key, verdict=verdict)}
    with suppress(OSError):
        whole = root / f"{_FILE}.new"
        whole.write_bytes(_KEPT.dump_json(kept, by_alias=True))
        whole.replace(root / _FILE)


def _read(root: Path) -> dict[str, _Kept]:
    """Nothing when it cannot be read: what another version wrote is proved anew."""
    with suppress(OSError, ValidationError):
        return _KEPT.validate_json((root / _FILE).read_bytes())
    return {}
