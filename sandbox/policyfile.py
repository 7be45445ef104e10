"""Policies as YAML files: read strictly, refused with file, key and reason."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from sandbox.errors import PolicyError
from sandbox.policy import DEFAULT_NAME, RENDER_NAME, Policy

DEFAULT = Path(__file__).parent / "policies" / "default.yaml"
_MAX_FILE = 64 << 10


def load_policies(default: Path = DEFAULT, folder: Path | None = None) -> Mapping[str, Policy]:
    """The default policy under `default`, whatever its own name, and those of a folder by their names.

    That of rendering is not among them: `sandbox.rendering` reads it.

    Raises: PolicyError: one of them is not valid, or two have one name.
    """
    policies = {DEFAULT_NAME: load_policy(default)}
    if policies[DEFAULT_NAME].name == RENDER_NAME:
        message = f"{default}: name: {RENDER_NAME} is that of the policy for pictures of results"
        raise PolicyError(message)
    for file in sorted(folder.glob("*.yaml")) if folder is not None else ():
        policy = load_policy(file)
        if policy.name == RENDER_NAME:
            continue
        if policy.name in (*policies, policies[DEFAULT_NAME].name):
            message = f"{file}: name: there is another policy called {policy.name}"
            raise PolicyError(message)
        policies[policy.name] = policy
    return policies


def load_policy(path: Path = DEFAULT) -> Policy:
    """Raises: PolicyError: it cannot be read, is malformed, or asks for what we refuse to run."""
    try:
        with path.open("rb") as file:
            content = file.read(_MAX_FILE + 1)
    except OSError as error:
        message = f"{path}: {error.strerror}"
        raise PolicyError(message) from error
    if len(content) > _MAX_FILE:
        message = f"{path}: larger than {_MAX_FILE >> 10} KiB"
        raise PolicyError(message)
    return parse_policy(content, str(path))


def parse_policy(content: bytes | str, origin: str = "policy") -> Policy:
    """As `load_policy`; `origin` names the text in messages."""
    try:
        data: Any = yaml.load(content, _StrictLoader)  # noqa: S506  # a SafeLoader with more refused
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError, ValueError) as error:
        message = f"{origin}: not valid YAML: {' '.join(str(error).split())}"
        raise PolicyError(message) from error
    if data is None:
        data = {}
    if not isinstance(data, dict):
        message = f"{origin}: a policy is a mapping of keys to values"
        raise PolicyError(message)
    try:
        return Policy.model_validate(data)
    except ValidationError as error:
        raise PolicyError(f"{origin}: " + "; ".join(map(_reason, error.errors()))) from error


def _reason(error: Any) -> str:
    key = ".".join(str(part) for part in error["loc"])
    text = error["msg"].removeprefix("Value error, ")
    if error["type"] == "extra_forbidden":
        text = "there is no such key"
    return f"{key}: {text}" if key else text


class _StrictLoader(yaml.SafeLoader):
    """No aliases, so nothing can grow; no key twice, so nothing is silently replaced."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            message = "aliases are not allowed"
            raise yaml.YAMLError(message)
        return super().compose_node(parent, index)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[object] = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                message = "a key is a plain word"
                raise yaml.YAMLError(message)
            if key.value in seen:
                message = f"the key {key.value} is there twice"
                raise yaml.YAMLError(message)
            seen.add(key.value)
        return super().construct_mapping(node, deep=deep)
