"""Why the agent stops, as opposed to what a model may still correct.

AgentError
├── ToolError            the call was wrong; the model is told and may correct it
├── BudgetExceeded       a limit of the run was reached
├── ModelUnavailable     the endpoint did not answer, or refused us
├── ModelUnusable        the endpoint answers, but three answers in a row could not be used
└── OtherVersion         another version of the program left the state that the run should go on from
"""


class AgentError(Exception):
    """The agent could not go on."""


class ToolError(AgentError):
    """The call was wrong. The message tells the model what to send instead."""


class BudgetExceeded(AgentError):
    """A limit of the run was reached."""

    def __init__(self, limit: str, used: float, allowed: float) -> None:
        super().__init__(f"{limit}: {used:g} of {allowed:g}")
        self.limit = limit
        self.used = used
        self.allowed = allowed


class ModelUnavailable(AgentError):
    """The model's endpoint did not answer, or refused us. The message holds no key and no prompt."""


class ModelUnusable(AgentError):
    """Three answers in a row could not be used."""

    def __init__(self, fault: str) -> None:
        super().__init__(f"the model's answers could not be used: {fault}")
        self.fault = fault


class OtherVersion(AgentError):
    """Another version of the program left the state that the run should go on from."""
