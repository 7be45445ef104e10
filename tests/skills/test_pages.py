"""The pages of the skills promise what a subagent really has: its tools, its libraries, two pages at most."""

import re
from pathlib import Path

import pytest

from tests.skills.guest import SKILLS

ROOT = SKILLS.parent
PAGES = sorted([*SKILLS.glob("*/SKILL.md"), *SKILLS.glob("optional/*/SKILL.md")])
TOOLS = {
    "read_skill",
    "list_input_files",
    "list_output_files",
    "read_file_content",
    "write_python_file",
    "write_and_run_python",
    "fix_and_run_python",
    "run_python_file",
    "write_and_run_script",
}
"""What a subagent may call; the last one where the policy has another language."""
OURS = {"pyflakes"}
"""In the image for the check of names; no script needs it."""


def libraries(text: str, start: str) -> list[str]:
    """The names of a list that begins with `start` and ends with its sentence."""
    sentence = text.split(start)[1].split(". ")[0]
    words = re.sub(r"\(.*?\)|below them|and the standard library", "", " ".join(sentence.split()))
    return [name.strip() for name in re.split("[,;]", words) if name.strip()]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.parent.name)
def test_a_page_is_two_pages_at_most_and_names_no_tool_that_a_subagent_lacks(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert len(text.split("---\n", 2)[2].split()) <= 800
    named = set(
        re.findall(
            r"`(\w+_(?:python|script|python_file|files|file_content|skill|todo|todo_list|shell))`", text
        )
    )
    assert named <= TOOLS
    assert not re.search(r"block the todo|complete the todo", text)


def test_the_libraries_are_those_of_the_image_in_the_words_of_the_prompt() -> None:
    page = (SKILLS / "python-scripts/SKILL.md").read_text(encoding="utf-8")
    named = libraries(page, "- Libraries: ")
    image = (ROOT / "deploy/sandbox/requirements.in").read_text(encoding="utf-8").splitlines()
    assert set(named) == {line for line in image if line and not line.startswith("#")} - OURS
    prompt = libraries((ROOT / "agent/prompts/subagent.md").read_text(encoding="utf-8"), "- Python with ")
    assert named[: len(prompt)] == prompt
