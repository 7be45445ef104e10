from pathlib import Path

import pytest

from bot.policies import in_force, load_catalog, lock_of
from bot.settings import Settings
from sandbox.errors import PolicyError
from sandbox.images import image_tag, is_derived
from sandbox.policy import Policy
from skills.catalog import SkillCatalog


def test_a_plain_installation_runs_in_the_usual_image() -> None:
    policy = in_force(Policy(), Settings(), load_catalog(Settings()))
    assert policy.container.image == image_tag()
    assert policy.container.interpreters == ()


def test_a_chosen_skill_brings_its_language_and_needs_an_image_of_its_own(tmp_path: Path) -> None:
    settings = Settings(deckhand_skills=("javascript",), deckhand_data=tmp_path)
    policy = in_force(Policy(), settings, load_catalog(settings))
    assert policy.container.suffixes == (".py", ".js", ".mjs")
    assert is_derived(str(policy.container.image))
    (tmp_path / "default.lock").write_text("{}")
    assert in_force(Policy(), settings, load_catalog(settings)).container.image != policy.container.image


def test_the_lock_lies_beside_the_operators_policy_and_that_of_ours_in_the_data_folder(
    tmp_path: Path,
) -> None:
    settings = Settings(deckhand_data=tmp_path)
    assert lock_of(Policy(), settings) == tmp_path.resolve() / "default.lock"
    own = Settings(deckhand_data=tmp_path, sandbox_policy=Path("/etc/deckhand/policy.yaml"))
    assert lock_of(Policy(name="strict"), own) == Path("/etc/deckhand/strict.lock")


def test_a_teams_skill_that_asks_for_what_no_policy_may_hold_is_named(tmp_path: Path) -> None:
    (tmp_path / "sums").mkdir()
    text = "---\nname: sums\ndescription: d\nmetadata:\n  python: humanize\n---\nbody\n"
    (tmp_path / "sums/SKILL.md").write_text(text)
    with pytest.raises(PolicyError, match="skill sums: 'humanize'"):
        in_force(Policy(), Settings(), SkillCatalog.load(tmp_path))
