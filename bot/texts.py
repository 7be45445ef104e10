"""Every human sentence, by id and language. The sentences themselves are in `locales`, as Fluent."""

import re
from enum import StrEnum
from functools import cache
from importlib.resources import files
from typing import cast

from fluent.runtime import FluentBundle, FluentResource


class Language(StrEnum):
    ENGLISH = "en"
    RUSSIAN = "ru"


_WISHES = re.compile(
    r"""
      \bin\s+(?P<named>russian|english)\b
        (?=\s*(?:$|[^\w\s]|(?:language|please|and|but|with|for|from|of|on|about|using)\b|[а-яё]))
    | \bпо[-\s](?P<adverb>русски|английски)\b
    | \bна\s+(?P<case>русском|английском)\b
        (?=\s*(?:$|[^\w\s]|(?:языке|пожалуйста|и|но|а|с|со|по|для|из|о|об|про)\b|[a-z]))
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""What follows tells a language from "in Russian cities": the end, a mark, a small word or other letters."""
_COMMAND = re.compile(r"\s*/\s?\w*(?:@\w+)?(?:\s|$)")


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
    """The last one that the text asks for; else Russian where Cyrillic letters prevail over Latin ones.

    None when the text has neither, or is a command, whose words are the same in all languages.
    """
    if _COMMAND.match(text):
        return None
    if wishes := [match[0].casefold() for match in _WISHES.finditer(text)]:
        russian = any(stem in wishes[-1] for stem in ("russian", "русск"))
        return Language.RUSSIAN if russian else Language.ENGLISH
    letters = [letter for letter in text.casefold() if letter.isalpha()]
    cyrillic = sum("\u0400" <= letter <= "\u04ff" for letter in letters)
    latin = sum("a" <= letter <= "z" for letter in letters)
    if cyrillic == latin == 0:
        return None
    return Language.RUSSIAN if cyrillic > latin else Language.ENGLISH
