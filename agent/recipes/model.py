"""The model that is none: it answers with the tool calls of a fixed recipe."""

from collections.abc import Callable, Sequence
from typing import Any, cast

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage, ToolCall, UsageMetadata
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool

from agent.recipes.briefing import Briefing
from agent.recipes.conductor import conduct
from agent.recipes.worker import work


class RecipeModel(BaseChatModel):
    """A pure function of the messages and of the tools bound to it, so an interrupted run goes on.

    The tools tell its role: who may plan is the orchestrator.
    """

    tool_names: tuple[str, ...] = ()

    @property
    def _llm_type(self) -> str:
        return "offline-recipe"

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | None = None,
        **kwargs: Any,
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """Only schemas in the form of the chat-completions API are understood."""
        schemas = [cast("dict[str, Any]", tool) for tool in tools if isinstance(tool, dict)]
        names = tuple(str(schema["function"]["name"]) for schema in schemas)
        return self.model_copy(update={"tool_names": names})

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        briefing = Briefing.read(messages)
        said = conduct(briefing) if "create_todo_list" in self.tool_names else work(briefing)
        calls = [] if isinstance(said, str) else said
        message = AIMessage(
            content=said if isinstance(said, str) else "",
            tool_calls=[
                ToolCall(name=name, args=arguments, id=f"recipe_{briefing.turns}_{place}", type="tool_call")
                for place, (name, arguments) in enumerate(calls)
            ],
            usage_metadata=UsageMetadata(input_tokens=0, output_tokens=0, total_tokens=0),
        )
        return ChatResult(generations=[ChatGeneration(message=message)])
