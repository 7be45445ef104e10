"""The system prompts: text, filled in by `str.format_map`."""

from importlib.resources import files


def load(name: str) -> str:
    """The text of `name`.md."""
    return (files("agent.prompts") / f"{name}.md").read_text(encoding="utf-8")
