"""Which Deckhand this is."""

import importlib.metadata
import tomllib
from pathlib import Path


def version() -> str:
    """Of the sources, which mostly run as they are; else what an installer has noted."""
    project = Path(__file__).parents[2] / "pyproject.toml"
    if not project.exists():
        return importlib.metadata.version("deckhand")
    return str(tomllib.loads(project.read_text("utf-8"))["project"]["version"])
