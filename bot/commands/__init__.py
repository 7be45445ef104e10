"""What a person can say besides a request: a few words that never wait behind a run."""

from bot.commands.answer import Commands
from bot.commands.menu import MENU, Command, CommandSpec, parse
from bot.commands.parts import Erased, Parts, Reply

__all__ = ["MENU", "Command", "CommandSpec", "Commands", "Erased", "Parts", "Reply", "parse"]
