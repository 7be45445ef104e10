"""Which policy a todo's sandbox has: the operator's rules say, and no text of a chat or a model is asked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sandbox.errors import PolicyError
from sandbox.policy import DEFAULT_NAME, Policy


@dataclass(frozen=True, slots=True)
class PolicyRules:
    """Names of policies. What has none runs under the default one."""

    chats: Mapping[str, str] = field(default_factory=dict[str, str])
    """By platform and key of a conversation, as in `telegram/-100123`."""
    skills: Mapping[str, str] = field(default_factory=dict[str, str])
    """By name of a skill. Of two skills of one todo the one that was written first counts."""

    def policy(self, chat: str, skills: Sequence[str]) -> str:
        """A todo's skill says more of what it needs than the chat that it comes from."""
        wanted = next((policy for skill, policy in self.skills.items() if skill in skills), None)
        return wanted or self.chats.get(chat, DEFAULT_NAME)

    def check(self, policies: Mapping[str, Policy]) -> None:
        """A model chooses the skills of a todo, and must not choose a weaker policy with them.

        Raises: PolicyError: there is no policy of a name, or one of a skill is weaker than the baseline.
        """
        for name in (*self.chats.values(), *self.skills.values()):
            if name not in policies:
                message = f"there is no policy called {name}; there are {', '.join(policies)}"
                raise PolicyError(message)
        for skill, name in self.skills.items():
            if exceptions := policies[name].exceptions:
                message = (
                    f"the policy {name} has {', '.join(exceptions)}: a model could choose it with the skill"
                    f" {skill}, so it may only be given to a chat"
                )
                raise PolicyError(message)
