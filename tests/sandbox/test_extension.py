import pytest

from sandbox.errors import PolicyError
from sandbox.extension import extended
from sandbox.policy import Interpreter, Packages, Policy

NODE = (".js", "/usr/bin/node")


def test_what_a_skill_needs_joins_what_the_policy_lists() -> None:
    policy = Policy.model_validate({"container": {"packages": {"debian": ["nodejs"]}}})
    both = extended(
        policy, python=["humanize==4.9.0"], debian=["nodejs", "gawk=1:5.2.1-2"], interpreters=[NODE]
    )
    assert both.container.packages == Packages(
        python=("humanize==4.9.0",), debian=("gawk=1:5.2.1-2", "nodejs")
    )
    assert both.container.interpreters == (Interpreter(suffix=".js", command=("/usr/bin/node",)),)
    assert (policy.container.interpreters, both.resources) == ((), policy.resources)


def test_two_skills_may_need_the_same() -> None:
    once = extended(Policy(), debian=["nodejs"], interpreters=[NODE])
    assert extended(once, debian=["nodejs"], interpreters=[NODE]) == once


def test_a_skill_cannot_bring_what_the_policy_denies() -> None:
    policy = Policy.model_validate({"commands": {"deny": ["node"]}})
    with pytest.raises(PolicyError, match="it needs node, which the policy default denies"):
        extended(policy, interpreters=[NODE])


def test_nothing_more_is_the_same_policy() -> None:
    assert extended(Policy()) == Policy()


@pytest.mark.parametrize(
    ("needs", "reason"),
    [
        ({"python": ["humanize"]}, "'humanize'"),
        ({"python": ["--index-url=x"]}, "'--index-url=x'"),
        ({"debian": ["-o=Dpkg::Pre-Install-Pkgs"]}, "'-o=Dpkg"),
        ({"interpreters": [(".js", "node")]}, "is no path of a program"),
        ({"interpreters": [(".py", "/usr/bin/node")]}, ".py is Python's"),
        ({"interpreters": [NODE, (".js", "/usr/bin/other")]}, "two interpreters for .js"),
        ({"python": ["a==1", "A==2"]}, "two versions of a"),
    ],
)
def test_a_need_that_no_policy_may_hold_is_refused_by_name(needs: dict[str, list[str]], reason: str) -> None:
    with pytest.raises(PolicyError, match="skill sums") as refused:
        extended(Policy(), **needs, origin="skill sums")
    assert reason in str(refused.value)
