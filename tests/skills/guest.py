"""Scripts of skills run inside the sandbox, where their folder is on sys.path: the same here."""

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

SKILLS = Path(__file__).parents[2] / "skills"


def guest_module(skill: str, name: str) -> ModuleType:
    """A module of a skill's scripts, imported by its bare name as a guest script does."""
    for folder in (SKILLS / skill / "scripts", *sorted(SKILLS.glob("*/scripts"))):
        if str(folder) not in sys.path:
            sys.path.append(str(folder))
    return import_module(name)
