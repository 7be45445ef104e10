"""A tool and its answer. Every answer has one shape: `status:`, `summary:`, then the body."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from agent.context import cut_middle
from agent.errors import ToolError
from sandbox.session import RunResult

MAX_ANSWER = 12_000
"""Characters of one answer, about 3,000 tokens: it is sent again with every later call of the same todo."""

Arguments = TypeVar("Arguments", bound=BaseModel)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    summary: str
    body: str = ""
    ok: bool = True
    runs: tuple[tuple[str, RunResult], ...] = ()
    """Scripts that ran for it, by name: for the run's meter and trace, not for the model."""

    def text(self) -> str:
        head = f"status: {'ok' if self.ok else 'error'}\nsummary: {self.summary}"
        return cut_middle(f"{head}\n\n{self.body}" if self.body else head, MAX_ANSWER)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool(Generic[Arguments]):
    name: str
    description: str
    arguments: type[Arguments]
    call: Callable[[Arguments], Awaitable[Answer]]
    subject: str = ""
    """The argument that tells a person what the call is about."""

    def schema(self) -> dict[str, Any]:
        """As the chat-completions API wants it."""
        parameters = self.arguments.model_json_schema()
        return {
            "type": "function",
            "function": {
                "name": self.name,
                "description": self.description,
                "parameters": _without_titles(parameters),
            },
        }

    async def answer(self, arguments: Mapping[str, object]) -> Answer:
        """The answer to a call with raw `arguments`. A wrong call is an answer too."""
        try:
            return await self.call(self.arguments.model_validate(arguments))
        except ValidationError as error:
            return Answer(ok=False, summary=f"{self.name} was called wrongly", body=_advice(error))
        except ToolError as error:
            return Answer(ok=False, summary=str(error))


AnyTool = Tool[Any]
"""A tool whose arguments do not matter to the one who holds it."""


def _advice(error: ValidationError) -> str:
    lines = [f"- {'.'.join(map(str, e['loc'])) or 'arguments'}: {e['msg']}" for e in error.errors()[:8]]
    return "\n".join(lines)


def _without_titles(schema: object) -> object:
    """Pydantic names every field twice; a prompt need not pay for that."""
    if isinstance(schema, dict):
        items: dict[str, object] = schema  # pyright: ignore[reportUnknownVariableType]  # JSON is untyped
        return {
            key: _without_titles(value)
            for key, value in items.items()
            if not (key == "title" and isinstance(value, str))
        }
    if isinstance(schema, list):
        values: list[object] = schema  # pyright: ignore[reportUnknownVariableType]  # JSON is untyped
        return [_without_titles(value) for value in values]
    return schema
