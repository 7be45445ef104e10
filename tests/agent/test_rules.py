"""Which policy a todo gets."""

import pytest

from agent.rules import PolicyRules
from sandbox.errors import PolicyError
from sandbox.policyfile import parse_policy

RULES = PolicyRules(chats={"telegram/-1": "team"}, skills={"javascript": "node", "forecasting": "big"})
SKILLS = ("eda", "javascript", "forecasting")
POLICIES: dict[str, tuple[str, ...]] = {"default": (), "team": (), "node": (), "big": ()}


def test_without_a_rule_the_default_policy_holds() -> None:
    assert PolicyRules().policy("telegram/-1", ["javascript"]) == "default"
    assert RULES.policy("telegram/-2", ["eda"]) == "default"


def test_no_skill_leads_out_of_a_chats_policy() -> None:
    assert RULES.policy("telegram/-1", ["eda", "forecasting", "javascript"]) == "team"


def test_elsewhere_a_skill_has_its_policy() -> None:
    assert RULES.policy("telegram/-2", ["eda", "forecasting", "javascript"]) == "node"


def test_a_rule_for_a_skill_that_there_is_not_is_refused() -> None:
    with pytest.raises(PolicyError, match="no skill called forecasting; there are eda, javascript"):
        RULES.check(POLICIES, ["eda", "javascript"])


def test_a_rule_for_a_policy_that_there_is_not_is_refused() -> None:
    RULES.check(POLICIES, SKILLS)
    with pytest.raises(PolicyError, match="no policy called big; there are default, team, node"):
        RULES.check({"default": (), "team": (), "node": ()}, SKILLS)


def test_no_rule_leads_into_the_container_that_makes_pictures_of_results() -> None:
    policies = {**POLICIES, "render": ()}
    for rules in (PolicyRules(chats={"telegram/-1": "render"}), PolicyRules(skills={"eda": "render"})):
        with pytest.raises(
            PolicyError, match=r"no policy called render; there are default, team, node, big$"
        ):
            rules.check(policies, SKILLS)


def test_a_weaker_policy_is_given_to_a_chat_and_never_through_a_skill() -> None:
    weaker = parse_policy("network: {enabled: true}").exceptions
    RULES.check({**POLICIES, "team": weaker}, SKILLS)
    with pytest.raises(PolicyError, match=r"node has network\.enabled"):
        RULES.check({**POLICIES, "node": weaker}, SKILLS)
