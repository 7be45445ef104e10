"""Templates for decks: the script that looks at one, run in a sandbox only."""

import json
from importlib.resources import files
from typing import cast

from sandbox.session import RunResult

SCRIPT = "brand_check.py"
INPUT = "brand.pptx"
"""Where scripts find a chat's template, this one and those that make decks."""
PROBLEMS = frozenset({"unreadable", "active", "outside", "large", "layouts"})
MAX_LAYOUTS = 1_000


def source() -> str:
    return (files("agent.brands") / "scripts" / SCRIPT).read_text(encoding="utf-8")


def verdict(result: RunResult) -> int | str:
    """How many layouts the template has, or which of `PROBLEMS` speaks against it."""
    try:
        said: object = json.loads(result.stdout.strip().splitlines()[-1]) if result.succeeded else None
    except (ValueError, IndexError, RecursionError):
        said = None
    match cast("object", said):
        case {"problem": str(problem)} if problem in PROBLEMS:
            return problem
        case {"layouts": int(layouts)} if 0 < layouts <= MAX_LAYOUTS:
            return layouts
        case _:
            return "unreadable"
