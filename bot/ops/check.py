"""One line of `deckhand doctor`: what was looked at, and what was found."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Level(StrEnum):
    OK = "ok"
    WARNING = "warning"
    """Works, but a person should look at it."""
    FAILURE = "failure"


class Subject(StrEnum):
    DATA = "data"
    DISK = "disk"
    POLICY = "policy"
    ENGINE = "engine"
    IMAGE = "image"
    RENDERING = "rendering"
    SERVICE = "service"
    PROOF = "proof"
    DEGRADED = "degraded"
    EXCEPTIONS = "exceptions"
    RUNC = "runc"
    APPARMOR = "apparmor"
    HOST = "host"
    MODEL = "model"
    SKILLS = "skills"
    TELEGRAM = "telegram"
    CLOCK = "clock"
    HTTP = "http"
    RETENTION = "retention"


@dataclass(frozen=True, slots=True)
class Check:
    subject: Subject
    level: Level
    key: str
    """The sentence in `locales` that tells what was found and how to mend it."""
    facts: Mapping[str, str | int] = field(default_factory=dict[str, str | int])
    policy: str = ""
    """Whose line it is, where there are several policies."""
