"""What may go wrong between a bot and Telegram, ordered by a test.

| fault                     | took effect | what aiogram raises                                         |
|---------------------------|-------------|-------------------------------------------------------------|
| Refusal(code, words)      | no          | TelegramBadRequest, TelegramForbiddenError, … by the code;  |
|                           |             | TelegramServerError from 500 on                             |
| Flood(seconds)            | no          | TelegramRetryAfter                                          |
| HtmlPage(code)            | `applied`   | ClientDecodeError                                           |
| Hang()                    | `applied`   | TelegramNetworkError, at the session's timeout              |
| Cut(Moment.IN_REQUEST)    | no          | TelegramNetworkError                                        |
| Cut(Moment.BEFORE_ANSWER) | `applied`   | TelegramNetworkError                                        |
| Cut(Moment.IN_ANSWER)     | `applied`   | TelegramNetworkError                                        |
| Slow(seconds)             | yes         | nothing                                                     |
| `await server.down()`     | no          | TelegramNetworkError                                        |

Downloads have the method name "file"; there aiogram lets aiohttp's own errors through (ClientResponseError,
ClientPayloadError, …), and TimeoutError.
"""

from dataclasses import dataclass
from enum import StrEnum


class Moment(StrEnum):
    """When the connection is cut."""

    IN_REQUEST = "in request"
    BEFORE_ANSWER = "before answer"
    IN_ANSWER = "in answer"


@dataclass(frozen=True, slots=True)
class Refusal:
    code: int
    description: str
    """Whole, with its "Bad Request: "."""


@dataclass(frozen=True, slots=True)
class Flood:
    retry_after: int
    """Seconds."""


@dataclass(frozen=True, slots=True)
class HtmlPage:
    """What a proxy in front of the API shows when the API is down."""

    code: int = 502
    applied: bool = False


@dataclass(frozen=True, slots=True)
class Hang:
    """No answer, ever."""

    applied: bool = False


@dataclass(frozen=True, slots=True)
class Cut:
    moment: Moment = Moment.BEFORE_ANSWER
    applied: bool = False


@dataclass(frozen=True, slots=True)
class Slow:
    """The answer takes its time; the effect is at once."""

    seconds: float


Fault = Refusal | Flood | HtmlPage | Hang | Cut | Slow

SERVER_ERROR = Refusal(500, "Internal Server Error")


@dataclass(slots=True)
class _Ordered:
    method: str
    fault: Fault
    times: int | None
    chat: int | None
    about: str


class Faults:
    """The faults still to come, in their order: each request takes at most one."""

    def __init__(self) -> None:
        self._ordered: list[_Ordered] = []

    def add(
        self, method: str, fault: Fault, *, times: int | None = 1, chat: int | None = None, about: str = ""
    ) -> None:
        """For the next `times` requests (None: for all) of this method; "*" is any but getUpdates and getMe.

        `about`: only those that have these words in them. A cut in the middle of the request comes before
        we know what is in it: it can be bound neither to a chat nor to words.
        """
        if isinstance(fault, Cut) and fault.moment is Moment.IN_REQUEST and (chat is not None or about):
            words = "what is in a request is unknown until it was read"
            raise ValueError(words)
        self._ordered.append(_Ordered(method, fault, times, chat, about))

    def clear(self) -> None:
        self._ordered.clear()

    def take(self, method: str, chat: int | None, *, unread: bool, said: str = "") -> Fault | None:
        """The fault for this request; `unread` asks for one that comes before it was read."""
        for order in self._ordered:
            early = isinstance(order.fault, Cut) and order.fault.moment is Moment.IN_REQUEST
            meant = method == order.method or (order.method == "*" and method not in ("getUpdates", "getMe"))
            if early is unread and meant and order.chat in (None, chat) and order.about in said:
                if order.times is not None:
                    order.times -= 1
                    if not order.times:
                        self._ordered.remove(order)
                return order.fault
        return None
