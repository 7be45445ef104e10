"""`ask_person`: one question a run, before a todo is at work. It names no person: the run has only one."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from langchain_core.messages import BaseMessage, ToolMessage
from pydantic import BaseModel, Field

from agent.context import seen
from agent.errors import ToolError
from agent.events import QuestionAnswered, QuestionAsked
from agent.plan import TodoStatus
from agent.run import RunContext
from agent.tools.drafts import Names
from agent.tools.todos import PlanDesk
from agent.tools.tool import Answer, AnyTool, Tool

NAME = "ask_person"
MAX_QUESTION = 600
MAX_OPTION = 60
"""Characters: an option is a button."""
MAX_ASSUMPTION = 400
MAX_REPLY = 2_000
"""Characters of the person's own words."""


class AskPerson(BaseModel, frozen=True):
    question: str = Field(
        min_length=1, max_length=MAX_QUESTION, description="One question, in the person's language."
    )
    options: Annotated[Names, Field(min_length=2, max_length=4)] = Field(
        description=f"Two to four possible answers of at most {MAX_OPTION} characters each."
    )
    assumption: str = Field(
        min_length=1,
        max_length=MAX_ASSUMPTION,
        description="A whole sentence in the person's language: what you go on with if nobody answers.",
    )


@dataclass(slots=True)
class QuestionDesk:
    """The question while one turn's calls are carried out."""

    context: RunContext
    plan: PlanDesk
    messages: Sequence[BaseMessage]
    """The conversation so far, which tells whether there was a question."""
    answered: bool = False
    """In this turn: what the model called after its question, it called without knowing the answer."""

    def tools(self) -> tuple[AnyTool, ...]:
        """None where nobody can be asked."""
        if self.context.asker is None:
            return ()
        return (
            Tool(
                name=NAME,
                description="Ask the person and wait for the answer. Once a run, alone in its answer, before "
                "the plan. Only when different answers would lead to different work; never for taste.",
                arguments=AskPerson,
                call=self._ask,
            ),
        )

    async def _ask(self, arguments: AskPerson) -> Answer:
        if self.answered or any(_was_answered(message) for message in self.messages):
            msg = "you have asked your one question: go on with what you know, and say what you assumed"
            raise ToolError(msg)
        if any(todo.status is TodoStatus.ACTIVE for todo in self.plan.plan.todos):
            msg = "a todo is at work, so it is too late for questions: say in the answer what you assumed"
            raise ToolError(msg)
        text, assumption = _line(arguments.question), _line(arguments.assumption)
        answer = await self._answer(text, _options(arguments.options), assumption)
        self.answered = True
        if answer is None:
            summary = f"no answer; go on with your assumption: {assumption}, and say so in the answer"
            return Answer(summary=summary)
        return Answer(summary="the person answered", body=seen(answer)[:MAX_REPLY])

    async def _answer(self, text: str, options: tuple[str, ...], assumption: str) -> str | None:
        context, asker = self.context, self.context.asker
        if asker is None:
            return None
        await context.tell(
            QuestionAsked(run_id=context.id, text=text, options=options, assumption=assumption)
        )
        with context.budget.standing_still():
            answer = await asker.ask(context.id, text, options, assumption)
        await context.tell(
            QuestionAnswered(
                run_id=context.id,
                answer=assumption if answer is None else answer[:MAX_REPLY],
                by_person=answer is not None,
            )
        )
        return answer


def _was_answered(message: BaseMessage) -> bool:
    return isinstance(message, ToolMessage) and message.name == NAME and message.text.startswith("status: ok")


def _options(given: Sequence[str]) -> tuple[str, ...]:
    options = tuple(dict.fromkeys(_line(option) for option in given))
    if len(options) < 2 or not all(0 < len(option) <= MAX_OPTION for option in options):
        msg = f"options must be two to four different texts of 1 to {MAX_OPTION} characters"
        raise ToolError(msg)
    return options


def _line(text: str) -> str:
    """One line without anything that a reader would not see."""
    return " ".join(seen(text).split())
