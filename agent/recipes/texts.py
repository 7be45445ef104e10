"""The texts of the recipes in one language: for answers, and for what the scripts write."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Self, cast

Section = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Texts:
    language: str
    sections: Mapping[str, Section]

    @classmethod
    def load(cls, language: str) -> Self:
        """English for a language that has no texts."""
        code = language if language in ("en", "ru") else "en"
        text = (files("agent.recipes") / "locales" / f"{code}.json").read_text(encoding="utf-8")
        return cls(code, cast("dict[str, dict[str, str]]", json.loads(text)))

    def say(self, key: str, **facts: object) -> str:
        """A sentence of the answer."""
        return self.sections["answer"][key].format(**facts)


def script(name: str) -> str:
    """The source of a script or module for the sandbox."""
    return (files("agent.recipes") / "scripts" / f"{name}.py").read_text(encoding="utf-8")
