"""What goes into a prompt, and how much of it."""

import json
import re
from collections.abc import Sequence

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

FRESH = 6
"""Messages at the end of a conversation that are always sent whole."""
WINDOW = 48_000
"""Characters of a conversation, about 12,000 tokens, above which old tool answers are shortened. Below it
nothing is touched, so that a provider's prompt cache keeps matching."""
STALE = 400
"""Characters that stay of a shortened message."""


_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f"
    "\u202a-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
    "|(?<![\u0600-\u0dff])[\u200c\u200d]"
)
"""What no reader sees and a model does. The two joiners stay in scripts that are written with them."""


def seen(text: str) -> str:
    """`text` as its writer saw it, line ends and tabs included: nothing hidden reaches a prompt."""
    return _UNSEEN.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def cut_middle(text: str, limit: int) -> str:
    """`text` in at most about `limit` characters: its head and its tail, with a mark that counts the rest."""
    if len(text) <= limit:
        return text
    head, tail = limit * 2 // 3, limit // 3
    return f"{text[:head]}\n[… {len(text) - head - tail:,} characters cut here …]\n{text[-tail:]}"


def shortened(value: object, limit: int) -> object:
    """An argument of a call for a record of it: whole when it is short, else its text cut in the middle."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return value if len(text) <= limit else cut_middle(text, limit)


def window(messages: Sequence[BaseMessage]) -> list[BaseMessage]:
    """The conversation as it is sent: once it is long, stale answers and scripts shrink to their heads."""
    if sum(size(message) for message in messages) <= WINDOW:
        return list(messages)
    border = max(len(messages) - FRESH, 0)
    return [_shrunk(message) for message in messages[:border]] + list(messages[border:])


def size(message: BaseMessage) -> int:
    """Characters of a message, with its calls."""
    calls = message.tool_calls if isinstance(message, AIMessage) else ()
    return len(message.text) + sum(len(str(call["args"])) for call in calls)


def _shrunk(message: BaseMessage) -> BaseMessage:
    if isinstance(message, ToolMessage):
        return message.model_copy(update={"content": cut_middle(message.text, STALE)})
    if isinstance(message, AIMessage) and message.tool_calls:
        calls = [
            call | {"args": {key: shortened(value, STALE) for key, value in call["args"].items()}}
            for call in message.tool_calls
        ]
        return message.model_copy(update={"tool_calls": calls})
    return message
