"""What goes wrong between a person and the agent. The sentence for each is in `locales`.

BotError
├── SettingsError       the environment or the command line asks for something we do not know
├── ChatError           a platform did not do what it was asked
│   ├── ChatBusy        it asked us to come again later: nothing has happened
│   ├── ChatUnreachable nothing has happened, for certain: worth another try
│   ├── ChatUncertain   it may have happened or not: only what can be repeated may be tried again
│   ├── ChatGone        the chat, or our right to write in it, is no more
│   ├── MessageGone     the message to edit is no more
│   └── ChatRefused     a definite no to this message
│       └── FileRefused it does not take, or not hand over, this file
└── Refused             a request that will not become a run, with the reason a person gets
"""


class BotError(Exception):
    """Something between a person and the agent went wrong."""


class SettingsError(BotError):
    """The environment or the command line asks for something we do not know."""

    def __init__(self, key: str, **facts: str) -> None:
        super().__init__(f"{key}: {', '.join(f'{name}={value}' for name, value in facts.items())}")
        self.key = key
        """The id of the sentence in `locales`."""
        self.facts = facts


class ChatError(BotError):
    """A platform did not do what it was asked."""


class ChatBusy(ChatError):
    """The platform asked us to come again later."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"come again in {seconds:g} s")
        self.seconds = seconds


class ChatUnreachable(ChatError):
    """Nothing has happened: no connection, or the platform says that it failed."""


class ChatUncertain(ChatError):
    """The connection was lost with the request on its way: nobody knows whether it arrived."""


class ChatGone(ChatError):
    """The chat, or our right to write in it, is no more."""


class MessageGone(ChatError):
    """The message to edit is no more."""


class ChatRefused(ChatError):
    """A definite no to this message; another one may do."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class FileRefused(ChatRefused):
    """The platform does not take this file, or does not hand it over."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"{name}: {reason}")
        self.name = name
        self.reason = reason


class Refused(BotError):
    """A request that will not become a run."""

    def __init__(self, key: str, **facts: str | int) -> None:
        super().__init__(key)
        self.key = key
        """The id of the sentence in `locales`."""
        self.facts = facts
