"""The system prompts: text in files, filled in for a run."""

from importlib.resources import files

from skills.catalog import SkillCatalog

LANGUAGES = {"en": "in English", "ru": "in Russian"}


def system_prompt(name: str, language: str, catalog: SkillCatalog, *, asking: bool = False) -> str:
    """The text of `name`.md for a person who speaks `language`, a code such as `en`.

    `asking`: there is somebody who could answer a question.
    """
    return _read(name).format_map(
        {
            "language": LANGUAGES.get(language, language),
            "skills": catalog.index(),
            "asking": _read("asking") if asking else "",
        }
    )


def _read(name: str) -> str:
    return (files("agent.prompts") / f"{name}.md").read_text(encoding="utf-8")
