"""Who may use the bot: what is made of a sender before anything of theirs is kept."""

from enum import StrEnum


class Verdict(StrEnum):
    ALLOWED = "allowed"
    ADMIN = "admin"
    STRANGER = "stranger"
    DENIED = "denied"
    """Asked away by an admin: not even the polite line."""
