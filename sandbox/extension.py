"""What skills add to a policy: packages for its image, and languages."""

from collections.abc import Sequence

from pydantic import ValidationError

from sandbox.errors import PolicyError
from sandbox.policy import MAX_INTERPRETERS, Interpreter, Packages, Policy


def extended(
    policy: Policy,
    *,
    python: Sequence[str] = (),
    debian: Sequence[str] = (),
    interpreters: Sequence[Sequence[str]] = (),
    origin: str = "skill",
) -> Policy:
    """The policy with more packages and languages; an interpreter is its suffix and then its command.

    `origin` is named in errors.

    Raises: PolicyError: one is not such as a policy may hold, or contradicts another.
    """
    try:
        packages = policy.container.packages + Packages(python=tuple(python), debian=tuple(debian))
        more = tuple(
            Interpreter(suffix=suffix, command=tuple(command)) for suffix, *command in interpreters if command
        )
    except ValidationError as error:
        first = error.errors()[0]
        message = f"{origin}: {first.get('input')!r}: {first['msg'].removeprefix('Value error, ')}"
        raise PolicyError(message) from error
    languages = tuple(dict.fromkeys((*policy.container.interpreters, *more)))
    _one_each([language.suffix.lower() for language in languages], origin, "interpreters for")
    _one_each([name.partition("==")[0].lower() for name in packages.python], origin, "versions of")
    for language in languages:
        if (program := language.command[0].rpartition("/")[2]) in policy.commands.deny:
            message = f"{origin}: it needs {program}, which the policy {policy.name} denies"
            raise PolicyError(message)
    if len(languages) > MAX_INTERPRETERS:
        message = f"{origin}: with it there are more than {MAX_INTERPRETERS} languages"
        raise PolicyError(message)
    container = policy.container.model_copy(update={"packages": packages, "interpreters": languages})
    return policy.model_copy(update={"container": container})


def _one_each(names: Sequence[str], origin: str, what: str) -> None:
    if twice := sorted({name for name in names if names.count(name) > 1}):
        message = f"{origin}: with it there are two {what} {twice[0]}"
        raise PolicyError(message)
