"""The catalogue of skills: what there is, what is wrong with one, and the text of one.

A skill is a folder in the Agent Skills format: `SKILL.md` with YAML front matter (`name`, `description`), and
optionally `scripts/` whose modules are importable in the sandbox. Under `metadata` it may ask for more than
the sandbox has: `python` (name==version) and `debian` packages, and `interpreters`, a line each with a suffix
and a command.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

import yaml

SKILL_FILE = "SKILL.md"
OPTIONAL = "optional"
"""The folder of those skills of ours that ask for packages: an operator names the ones to have."""
MAX_NAME = 64
"""Characters, as in the Agent Skills specification."""
MAX_DESCRIPTION = 1024
"""Characters, as in the Agent Skills specification: the description is in every prompt."""
MAX_BODY = 24_000
"""Characters: about 6,000 tokens, more than two pages, which one `read_skill` may cost."""
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_FRONT = re.compile(r"\A---\n(?P<head>.*?)\n---\n(?P<body>.*)\Z", re.DOTALL)


class SkillError(Exception):
    """A skill that cannot be used. The message names the folder and every problem."""

    def __init__(self, folder: Path, problems: Iterable[str]) -> None:
        self.folder = folder
        self.problems = tuple(problems)
        super().__init__(f"{folder.name}: {'; '.join(self.problems)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Needs:
    """What a skill asks for beside the usual image. Whoever builds images judges the words."""

    python: tuple[str, ...] = ()
    debian: tuple[str, ...] = ()
    interpreters: tuple[tuple[str, ...], ...] = ()
    """Of each language the suffix, the program and its options."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Skill:
    name: str
    description: str
    folder: Path
    needs: Needs = field(default_factory=Needs)

    @property
    def scripts(self) -> Path | None:
        """The folder that the sandbox mounts, if the skill has one."""
        scripts = self.folder / "scripts"
        return scripts if scripts.is_dir() else None

    def body(self) -> str:
        """The instructions, without the front matter."""
        text = (self.folder / SKILL_FILE).read_text(encoding="utf-8")
        match = _FRONT.match(text)
        return (match["body"] if match else text).strip()


@dataclass(frozen=True, slots=True)
class SkillCatalog:
    """Skills by name. A folder named later wins, so that a team can replace one of ours by its own."""

    skills: tuple[Skill, ...]

    @classmethod
    def load(cls, *folders: Path, optional: Iterable[str] = ()) -> Self:
        """Every skill below `folders`, all of ours, and those of our optional ones that are named.

        Raises:
            SkillError: a folder with a SKILL.md is not a valid skill, or there is no optional one of a name.
        """
        known = {skill.name: skill for skill in _skills_in(built_in() / OPTIONAL)}
        wanted = tuple(optional)
        if unknown := [name for name in wanted if name not in known]:
            raise SkillError(
                built_in() / OPTIONAL, [f"none is called {unknown[0]}; there are: {', '.join(known)}"]
            )
        chosen = [known[name] for name in wanted]
        found = {skill.name: skill for skill in (*_skills_in(built_in()), *chosen)}
        found |= {skill.name: skill for folder in folders for skill in _skills_in(folder)}
        return cls(tuple(found[name] for name in sorted(found)))

    def find(self, name: str) -> Skill | None:
        return next((skill for skill in self.skills if skill.name == name), None)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(skill.name for skill in self.skills)

    @property
    def modules(self) -> frozenset[str]:
        """File names of the modules that scripts can import."""
        folders = [skill.scripts for skill in self.skills if skill.scripts is not None]
        return frozenset(path.name for folder in folders for path in folder.glob("*.py"))

    def index(self) -> str:
        """One line a skill, for the system prompts."""
        return "\n".join(f"- {skill.name}: {skill.description}" for skill in self.skills)


def built_in() -> Path:
    """The folder of the skills that come with Deckhand."""
    return Path(__file__).parent


def read_skill_folder(folder: Path) -> Skill:
    """Raises: SkillError: `folder` is not a valid skill."""
    try:
        text = (folder / SKILL_FILE).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise SkillError(folder, [f"there is no readable {SKILL_FILE}"]) from None
    match = _FRONT.match(text.replace("\r\n", "\n"))
    if match is None:
        raise SkillError(folder, [f"{SKILL_FILE} must begin with YAML front matter between two lines of ---"])
    try:
        head = yaml.safe_load(match["head"])
    except yaml.YAMLError as error:
        raise SkillError(folder, [f"the front matter is not YAML: {error}"]) from None
    problems = tuple(_problems(folder, head, match["body"].strip()))
    if problems:
        raise SkillError(folder, problems)
    return Skill(
        name=head["name"],
        description=" ".join(head["description"].split()),
        folder=folder.resolve(),
        needs=_needs(head.get("metadata") or {}),
    )


def check_folder(folder: Path) -> tuple[str, ...]:
    """What is wrong with a skill, or with every skill of a folder of skills; empty when nothing is."""
    candidates = (
        [folder]
        if (folder / SKILL_FILE).exists()
        else sorted(p.parent for p in folder.glob(f"*/{SKILL_FILE}"))
    )
    if not candidates:
        return (f"{folder}: no {SKILL_FILE} here or one level below",)
    problems: list[str] = []
    for candidate in candidates:
        try:
            read_skill_folder(candidate)
        except SkillError as error:
            problems += [f"{candidate.name}: {problem}" for problem in error.problems]
    return tuple(problems)


def _skills_in(folder: Path) -> Iterator[Skill]:
    for path in sorted(folder.glob(f"*/{SKILL_FILE}")):
        yield read_skill_folder(path.parent)


def _needs(metadata: dict[str, str]) -> Needs:
    lines = metadata.get("interpreters", "").splitlines()
    return Needs(
        python=tuple(metadata.get("python", "").split()),
        debian=tuple(metadata.get("debian", "").split()),
        interpreters=tuple(tuple(line.split()) for line in lines if line.strip()),
    )


def _problems(folder: Path, head: object, body: str) -> Iterator[str]:
    if not isinstance(head, dict):
        yield "the front matter must be a mapping with name and description"
        return
    facts: dict[object, object] = head  # pyright: ignore[reportUnknownVariableType]  # YAML is untyped
    name, description = facts.get("name"), facts.get("description")
    if not isinstance(name, str) or not _NAME.fullmatch(name) or len(name) > MAX_NAME:
        yield f"name must be lower-case words joined by hyphens, at most {MAX_NAME} characters"
    elif name != folder.name:
        yield f"name is {name!r}, but the folder is {folder.name!r}: they must be the same"
    if not isinstance(description, str) or not description.strip():
        yield "description must say what the skill does and when to use it"
    elif len(description) > MAX_DESCRIPTION:
        yield f"description has {len(description)} characters; {MAX_DESCRIPTION} is the most"
    yield from _metadata_problems(facts.get("metadata") or {})
    if not body:
        yield "the body is empty"
    elif len(body) > MAX_BODY:
        yield f"the body has {len(body)} characters; {MAX_BODY} is the most. Move detail into scripts/"
    for script in sorted((folder / "scripts").glob("*.py")):
        try:
            compile(script.read_bytes(), script.name, "exec")
        except (SyntaxError, ValueError) as error:
            yield f"scripts/{script.name} does not compile: {error}"


def _metadata_problems(metadata: object) -> Iterator[str]:
    if not isinstance(metadata, dict):
        yield "metadata must be a mapping of words to text"
        return
    for key in ("python", "debian", "interpreters"):
        if not isinstance(metadata.get(key, ""), str):  # pyright: ignore[reportUnknownMemberType]  # from YAML
            yield f"metadata.{key} must be text: words with spaces between them"
            return
    needs = _needs(metadata)  # pyright: ignore[reportUnknownArgumentType]  # what it reads has been checked
    if any(len(words) < 2 or not words[0].startswith(".") for words in needs.interpreters):
        yield "each line of metadata.interpreters must be a suffix and a command, as in .js /usr/bin/node"
