"""Records of who may use the bot, where, and how much of it."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class Role(StrEnum):
    ADMIN = "admin"
    MEMBER = "member"
    DENIED = "denied"
    """Asked away by an admin: not even the polite line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """What a person or a chat may use; None for the usual amount."""

    runs_a_day: int | None = None
    tokens_a_day: int | None = None
    runs_at_once: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    platform: str
    id: str
    role: Role
    name: str
    """As they show themselves: a claim."""
    allowed_by: str
    """The id of an admin, or `pairing`."""
    at: datetime
    allowance: Allowance = Allowance()


@dataclass(frozen=True, slots=True, kw_only=True)
class AllowedChat:
    """A group whose members may use the bot there."""

    platform: str
    chat: str
    """The chat's own id, without a thread."""
    title: str
    allowed_by: str
    at: datetime
    allowance: Allowance = Allowance()
