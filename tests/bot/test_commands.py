import pytest

from bot.commands import Command, parse


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("/status", Command.STATUS),
        (" /CANCEL ", Command.CANCEL),
        ("/plan@deckhand_bot", Command.PLAN),
        ("/new please", Command.NEW),
        ("/start", Command.HELP),
        ("/unknown", Command.UNKNOWN),
        ("/dance", Command.UNKNOWN),
        ("/home/ann/data.csv look", None),
        ("status", None),
        ("1/2", None),
        ("", None),
    ],
)
def test_a_command_is_a_slash_and_a_word(text: str, command: Command | None) -> None:
    assert parse(text) is command
