"""What a run may use up, and how much of it is gone."""

import asyncio
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum

from pydantic import BaseModel, Field

from agent.errors import BudgetExceeded
from storage.records import Usage

NEARLY = 0.85
"""Share of a limit from which on nothing is begun that a run can do without."""


class Limit(StrEnum):
    MODEL_CALLS = "model_calls"
    TOKENS = "tokens"
    SECONDS = "seconds"
    SANDBOX_SECONDS = "sandbox_seconds"


class Limits(BaseModel, frozen=True, extra="forbid"):
    """Each is per run; a resumed run goes on counting, except for the wall clock, which starts anew."""

    model_calls: int = Field(default=80, ge=1)
    tokens: int = Field(default=600_000, ge=1)
    """Input and output together, as the provider counts them."""
    seconds: float = Field(default=1_800.0, gt=0)
    sandbox_seconds: float = Field(default=900.0, gt=0)
    """Wall time of the scripts, added up over parallel todos."""
    rerun_seconds: float = Field(default=300.0, ge=0)
    """Of scripts that are run once more from clean at the end, to see whether the facts are the same. Longer
    ones are not run again; 0: none is."""
    turns_per_todo: int = Field(default=24, ge=2)
    """Model calls of one subagent: a loop in one todo must not eat the whole run."""


@dataclass(slots=True)
class Budget:
    """The meter of one run. `check` is called before anything that costs."""

    limits: Limits
    used: Usage = field(default_factory=Usage)
    clock: Callable[[], float] = time.monotonic
    started: float = field(init=False)
    _deadline: asyncio.Timeout = field(init=False)

    def __post_init__(self) -> None:
        self.started = self.clock()

    def add(self, usage: Usage) -> None:
        self.used = self.used + usage

    @property
    def seconds_left(self) -> float:
        return max(0.0, self.limits.seconds - (self.clock() - self.started))

    def deadline(self) -> asyncio.Timeout:
        """Ends what is done within it when the seconds are gone."""
        self._deadline = asyncio.timeout(self.seconds_left)
        return self._deadline

    @contextmanager
    def standing_still(self) -> Generator[None]:
        """Within a deadline: the seconds that a person takes to answer are not the run's."""
        began = self.clock()
        self._deadline.reschedule(None)
        yield
        self.started += self.clock() - began
        self._deadline.reschedule(asyncio.get_running_loop().time() + self.seconds_left)

    def check(self) -> None:
        """Raises:
        BudgetExceeded: a limit has been reached.
        """
        for limit, used, allowed in self._meters():
            if used >= allowed:
                raise BudgetExceeded(limit, used, allowed)

    @property
    def nearly_used(self) -> bool:
        return any(used >= NEARLY * allowed for _, used, allowed in self._meters())

    def _meters(self) -> tuple[tuple[Limit, float, float], ...]:
        return (
            (Limit.MODEL_CALLS, self.used.model_calls, self.limits.model_calls),
            (Limit.TOKENS, self.used.input_tokens + self.used.output_tokens, self.limits.tokens),
            (Limit.SECONDS, self.clock() - self.started, self.limits.seconds),
            (Limit.SANDBOX_SECONDS, self.used.sandbox_seconds, self.limits.sandbox_seconds),
        )
