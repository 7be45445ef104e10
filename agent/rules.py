"""Which policy a todo's sandbox has: the operator's rules say, and no text of a chat or a model is asked."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from sandbox.errors import PolicyError
from sandbox.policy import DEFAULT_NAME, RENDER_NAME


@dataclass(frozen=True, slots=True)
class PolicyRules:
    """Names of policies. What has none runs under the default one."""

    chats: Mapping[str, str] = field(default_factory=dict[str, str])
    """By platform and key of a conversation, as in `telegram/-100123`."""
    skills: Mapping[str, str] = field(default_factory=dict[str, str])
    """By name of a skill, for chats without a rule. Of two skills of one todo the first rule counts."""

    def policy(self, chat: str, skills: Sequence[str]) -> str:
        """What a chat was given holds for all in it: a model, which names the skills, must not lead out."""
        if chat in self.chats:
            return self.chats[chat]
        return next((policy for skill, policy in self.skills.items() if skill in skills), DEFAULT_NAME)

    def check(self, policies: Mapping[str, Sequence[str]], skills: Collection[str]) -> None:
        """A model chooses the skills of a todo, and must not choose a weaker policy with them. `policies` are
        those that there are, each with its `Policy.exceptions`; `skills` those that there are.

        Raises: PolicyError: a rule names what there is not, or gives a skill a weaker policy.
        """
        if unknown := sorted({*self.skills} - {*skills}):
            message = f"there is no skill called {unknown[0]}; there are {', '.join(sorted(skills))}"
            raise PolicyError(message)
        known = [name for name in policies if name != RENDER_NAME]  # which is for pictures of results alone
        for name in (*self.chats.values(), *self.skills.values()):
            if name not in known:
                message = f"there is no policy called {name}; there are {', '.join(known)}"
                raise PolicyError(message)
        for skill, name in self.skills.items():
            if exceptions := policies[name]:
                message = (
                    f"the policy {name} has {', '.join(exceptions)}: a model could choose it with the skill"
                    f" {skill}, so it may only be given to a chat"
                )
                raise PolicyError(message)
