"""The policy that files of results are made pictures under: ours, with an operator's limits."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from pydantic import ValidationError

from sandbox.errors import PolicyError
from sandbox.policy import RENDER_NAME, Policy
from sandbox.policyfile import load_policy

SHIPPED = Path(__file__).parent / "policies" / "render.yaml"
_THEIRS = frozenset({"version", "name", "resources", "pool"})


def load_rendering(default: Policy, folder: Path | None = None) -> Policy:
    """Ours, with the limits of the file in `folder` that has its name.

    It runs where and as whom `default` runs, on a host that lacks no more: an operator who chose a stronger
    runtime chose it for these files too.

    Raises: PolicyError: the operator's file is not valid, or sets more than limits.
    """
    policy = load_policy(SHIPPED)
    for file in sorted(folder.glob("*.yaml")) if folder is not None else ():
        limits = load_policy(file)
        if limits.name == RENDER_NAME:
            policy = _limited(policy, limits, file)
    chosen = default.container
    container = policy.container.model_copy(
        update={
            "runtime": chosen.runtime,
            "user": chosen.user,
            "user_namespace": chosen.user_namespace,
        }
    )
    return policy.model_copy(update={"container": container, "allow_degraded": default.allow_degraded})


def _limited(policy: Policy, limits: Policy, file: Path) -> Policy:
    said = limits.model_dump(by_alias=True, exclude_unset=True)
    other = {*said} - _THEIRS - {"container"} | {
        f"container.{key}" for key in {*said.get("container", {})} - {"tmpfs"}
    }
    if other:
        what = "of the policy for rendering only resources, pool and container.tmpfs can be set"
        message = f"{file}: {min(other)}: {what}"
        raise PolicyError(message)
    try:
        return Policy.model_validate(_merged(policy.model_dump(by_alias=True), said))
    except ValidationError as error:
        message = f"{file}: {error.errors()[0]['msg'].removeprefix('Value error, ')}"
        raise PolicyError(message) from error


def _merged(ours: Mapping[str, Any], said: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(ours)
    for key, value in said.items():
        merged[key] = _merged(ours[key], cast("dict[str, Any]", value)) if isinstance(value, dict) else value
    return merged
