"""The policies in force: the operator's, with what the skills need, and the image that belongs to both."""

from collections.abc import Mapping
from pathlib import Path

from bot.settings import Settings
from sandbox.extension import extended
from sandbox.images import image_of
from sandbox.pins import read_lock
from sandbox.policy import DEFAULT_NAME, Policy
from sandbox.policyfile import DEFAULT, load_policies
from sandbox.rendering import load_rendering
from skills.catalog import SkillCatalog


def load_catalog(settings: Settings) -> SkillCatalog:
    """Raises: SkillError: a skill is not valid, or there is none of a name in DECKHAND_SKILLS."""
    folders = [settings.skills_dir] if settings.skills_dir else []
    return SkillCatalog.load(*folders, optional=settings.deckhand_skills)


def with_skills(policy: Policy, catalog: SkillCatalog) -> Policy:
    """Raises: PolicyError: a skill asks for what no policy may hold, or what contradicts this one."""
    for skill in catalog.skills:
        needs = skill.needs
        policy = extended(
            policy,
            python=needs.python,
            debian=needs.debian,
            interpreters=needs.interpreters,
            origin=f"skill {skill.name}",
        )
    return policy


def operators_policies(settings: Settings) -> Mapping[str, Policy]:
    """As they are written, by name. Raises: PolicyError: one is not valid."""
    return load_policies(settings.sandbox_policy or DEFAULT, settings.sandbox_policies)


def policies_in_force(settings: Settings, catalog: SkillCatalog) -> Mapping[str, Policy]:
    """With their images by name: whether those have been built is another question. The rules that choose
    among them have been checked.

    Raises: PolicyError: as `operators_policies` and `with_skills`, or a rule names what there is not.
    """
    policies = operators_policies(settings)
    weaker = {name: policy.exceptions for name, policy in policies.items()}
    settings.deckhand_policy_rules.check(weaker, catalog.names)
    return {name: _in_force(name, policy, settings, catalog) for name, policy in policies.items()}


def rendering_as_written(settings: Settings) -> Policy:
    """Raises: PolicyError: as `operators_policies`, or an operator's limits for it are not valid."""
    default = operators_policies(settings)[DEFAULT_NAME]
    return load_rendering(default, settings.sandbox_policies)


def rendering_policy(settings: Settings) -> Policy:
    """Of the pictures of results, with its image by name: whether that has been built is another question.

    Raises: PolicyError: as `rendering_as_written`.
    """
    policy = rendering_as_written(settings)
    return _with_image(policy, image_of(policy, None))


def _in_force(name: str, policy: Policy, settings: Settings, catalog: SkillCatalog) -> Policy:
    policy = with_skills(policy, catalog)
    return _with_image(policy, image_of(policy, read_lock(lock_of(name, policy, settings))))


def _with_image(policy: Policy, image: str) -> Policy:
    return policy.model_copy(update={"container": policy.container.model_copy(update={"image": image})})


def lock_of(name: str, policy: Policy, settings: Settings) -> Path:
    """Beside the operator's policy, so that both are kept together; of ours, in the data folder.

    `name` is what the policy goes by: the default one may have another name of its own.
    """
    default = settings.sandbox_policy.parent if settings.sandbox_policy else None
    folder = default if name == DEFAULT_NAME else settings.sandbox_policies
    return (folder or settings.data) / f"{policy.name}.lock"
