from pathlib import Path

import pytest

from bot.policies import load_catalog, lock_of, policies_in_force
from bot.settings import Settings
from sandbox.errors import PolicyError
from sandbox.images import image_tag, is_derived
from sandbox.policy import Policy
from skills.catalog import SkillCatalog


def test_a_plain_installation_runs_in_the_usual_image() -> None:
    policy = policies_in_force(Settings(), load_catalog(Settings()))["default"]
    assert policy.container.image == image_tag()
    assert policy.container.interpreters == ()


def test_a_chosen_skill_brings_its_language_and_needs_an_image_of_its_own(tmp_path: Path) -> None:
    settings = Settings(deckhand_skills=("javascript",), deckhand_data=tmp_path)
    policy = policies_in_force(settings, load_catalog(settings))["default"]
    assert policy.container.suffixes == (".py", ".js", ".mjs")
    assert is_derived(str(policy.container.image))
    (tmp_path / "default.lock").write_text("{}")
    assert (
        policies_in_force(settings, load_catalog(settings))["default"].container.image
        != policy.container.image
    )


def test_the_lock_lies_beside_the_operators_policy_and_that_of_ours_in_the_data_folder(
    tmp_path: Path,
) -> None:
    settings = Settings(deckhand_data=tmp_path)
    assert lock_of("default", Policy(), settings) == tmp_path.resolve() / "default.lock"
    own = Settings(deckhand_data=tmp_path, sandbox_policy=Path("/etc/deckhand/policy.yaml"))
    assert lock_of("default", Policy(name="strict"), own) == Path("/etc/deckhand/strict.lock")
    many = own.model_copy(update={"sandbox_policies": Path("/etc/policies")})
    assert lock_of("big", Policy(name="big"), many) == Path("/etc/policies/big.lock")
    assert lock_of("default", Policy(name="strict"), many) == Path("/etc/deckhand/strict.lock")


def test_a_teams_skill_that_asks_for_what_no_policy_may_hold_is_named(tmp_path: Path) -> None:
    (tmp_path / "sums").mkdir()
    text = "---\nname: sums\ndescription: d\nmetadata:\n  python: humanize\n---\nbody\n"
    (tmp_path / "sums/SKILL.md").write_text(text)
    with pytest.raises(PolicyError, match="skill sums: 'humanize'"):
        policies_in_force(Settings(), SkillCatalog.load(tmp_path))["default"]


def test_every_policy_has_what_the_skills_need_and_a_lock_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "big.yaml").write_text("name: big\nresources: {memory: 4G}")
    data = tmp_path / "data"
    settings = Settings(deckhand_skills=("javascript",), deckhand_data=data, sandbox_policies=tmp_path)
    policies = policies_in_force(settings, load_catalog(settings))
    assert {name: policy.container.suffixes[1] for name, policy in policies.items()} == {
        "default": ".js",
        "big": ".js",
    }
    before = policies["big"].container.image
    (tmp_path / "big.lock").write_text("{}")
    again = policies_in_force(settings, load_catalog(settings))
    assert again["big"].container.image != before
    assert again["default"] == policies["default"]
