"""A call that the Bot API refuses: its code, Telegram's own words for it, and what a client may do.

Those functions that take words raise the error themselves.
"""

from typing import NoReturn


class ApiError(Exception):
    """What the answer says instead of a result. aiogram turns the code into one of its exceptions."""

    def __init__(
        self, code: int, description: str, *, retry_after: int | None = None, migrate_to: int | None = None
    ) -> None:
        super().__init__(description)
        self.code = code
        self.description = description
        facts = {"retry_after": retry_after, "migrate_to_chat_id": migrate_to}
        self.parameters = {name: fact for name, fact in facts.items() if fact is not None}

    def answer(self) -> dict[str, object]:
        body: dict[str, object] = {"ok": False, "error_code": self.code, "description": self.description}
        return body | ({"parameters": self.parameters} if self.parameters else {})


def refuse(words: str) -> NoReturn:
    """aiogram: TelegramBadRequest."""
    raise ApiError(400, f"Bad Request: {words}")


def forbid(words: str) -> NoReturn:
    """aiogram: TelegramForbiddenError."""
    raise ApiError(403, f"Forbidden: {words}")


def not_found() -> ApiError:
    """aiogram: TelegramNotFound."""
    return ApiError(404, "Not Found")


def unauthorized() -> ApiError:
    """aiogram: TelegramUnauthorizedError."""
    return ApiError(401, "Unauthorized")


def contradict(words: str) -> NoReturn:
    """aiogram: TelegramConflictError."""
    raise ApiError(409, f"Conflict: {words}")


def too_large() -> ApiError:
    """aiogram: TelegramEntityTooLarge."""
    return ApiError(413, "Request Entity Too Large")


def too_many(seconds: int) -> ApiError:
    """aiogram: TelegramRetryAfter."""
    return ApiError(429, f"Too Many Requests: retry after {seconds}", retry_after=seconds)


def upgraded(chat: int) -> ApiError:
    """The group is a supergroup now. aiogram: TelegramMigrateToChat."""
    return ApiError(400, "Bad Request: group chat was upgraded to a supergroup chat", migrate_to=chat)
