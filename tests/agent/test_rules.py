"""Which policy a todo gets."""

import pytest

from agent.rules import PolicyRules
from sandbox.errors import PolicyError
from sandbox.policyfile import parse_policy

RULES = PolicyRules(chats={"telegram/-1": "team"}, skills={"javascript": "node", "forecasting": "big"})
POLICIES = {name: parse_policy(f"name: {name}") for name in ("default", "team", "node", "big")}


def test_without_a_rule_the_default_policy_holds() -> None:
    assert PolicyRules().policy("telegram/-1", ["javascript"]) == "default"
    assert RULES.policy("telegram/-2", ["eda"]) == "default"


def test_a_chat_has_its_policy_and_a_skill_goes_before_it() -> None:
    assert RULES.policy("telegram/-1", ["eda"]) == "team"
    assert RULES.policy("telegram/-1", ["eda", "forecasting", "javascript"]) == "node"


def test_a_rule_for_a_policy_that_there_is_not_is_refused() -> None:
    RULES.check(POLICIES)
    with pytest.raises(PolicyError, match="no policy called big; there are default, team, node"):
        RULES.check({name: POLICIES[name] for name in ("default", "team", "node")})


def test_a_weaker_policy_is_given_to_a_chat_and_never_through_a_skill() -> None:
    open_policy = parse_policy("network: {enabled: true}")
    RULES.check({**POLICIES, "team": open_policy})
    with pytest.raises(PolicyError, match=r"node has network\.enabled"):
        RULES.check({**POLICIES, "node": open_policy})
