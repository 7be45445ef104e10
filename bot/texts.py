"""Every human sentence, by id and language. The sentences themselves are in `locales`, as Fluent."""

from enum import StrEnum
from functools import cache
from importlib.resources import files
from typing import cast

from fluent.runtime import FluentBundle, FluentResource


class Language(StrEnum):
    ENGLISH = "en"
    RUSSIAN = "ru"


class Texts:
    """The sentences of one language."""

    def __init__(self, language: Language, bundle: FluentBundle) -> None:
        self.language = language
        self._bundle = bundle

    def __call__(self, key: str, **facts: str | float) -> str:
        """Raises:
        KeyError: there is no such sentence.
        ValueError: the sentence needs a fact that was not given.
        """
        pattern = self._bundle.get_message(key.replace("_", "-")).value
        if pattern is None:
            raise KeyError(key)
        text, faults = self._bundle.format_pattern(pattern, facts)
        if faults:
            detail = f"{key}: {faults[0]}"
            raise ValueError(detail) from faults[0]
        return cast("str", text)

    def has(self, key: str) -> bool:
        return self._bundle.has_message(key.replace("_", "-"))


@cache
def texts(language: Language) -> Texts:
    bundle = FluentBundle([language.value], use_isolating=False)
    for resource in sorted(files("bot").joinpath("locales", language.value).iterdir(), key=lambda r: r.name):
        if resource.name.endswith(".ftl"):
            bundle.add_resource(FluentResource(resource.read_text(encoding="utf-8")))
    return Texts(language, bundle)


def language_of(text: str) -> Language | None:
    """Russian where Cyrillic letters prevail over Latin ones; None when the text has neither."""
    letters = [letter for letter in text.casefold() if letter.isalpha()]
    cyrillic = sum("\u0400" <= letter <= "\u04ff" for letter in letters)
    latin = sum("a" <= letter <= "z" for letter in letters)
    if cyrillic == latin == 0:
        return None
    return Language.RUSSIAN if cyrillic > latin else Language.ENGLISH
