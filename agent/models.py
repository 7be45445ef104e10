"""Which model plays which role. LangChain's `BaseChatModel` is the seam; nothing wraps it."""

import ssl
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_openai import ChatOpenAI
from openai import DefaultAsyncHttpxClient
from pydantic import BaseModel, Field, SecretStr

from agent.events import Role
from agent.recipes.model import RecipeModel

DEFAULT_MODEL = "Qwen/Qwen3.5-27B"
OPENAI = "https://api.openai.com/v1"
LOCAL_KEY = "none"
"""Sent where the endpoint wants no key: the client refuses to start without one."""


class ModelSettings(BaseModel, frozen=True, extra="forbid"):
    """An OpenAI-compatible endpoint, or none: then the offline recipes do the work."""

    base_url: str | None = None
    """None with a key means OpenAI's own address."""
    api_key: SecretStr | None = None
    model: str = DEFAULT_MODEL
    subagent_model: str | None = None
    """The orchestrator's model when None."""
    request_seconds: float = Field(default=300.0, gt=0)
    retries: int = Field(default=4, ge=0)
    """Of requests that certainly did not count: 408, 409, 429, 5xx, no connection. Retry-After is respected
    up to two minutes."""
    max_output_tokens: int = Field(default=8_192, ge=256)
    temperature: float | None = None
    stream: bool = False
    """For gateways that close a connection on which nothing moves for a while."""
    sees_images: bool = False
    """The subagents' model takes pictures: a fresh reviewer then looks at the slides."""
    ca_file: Path | None = None
    """Certificates of authorities that are trusted besides the system's."""
    proxy: str | None = None

    @property
    def offline(self) -> bool:
        return self.base_url is None and self.api_key is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Models:
    orchestrator: BaseChatModel
    subagent: BaseChatModel
    name: str
    """What a log calls it."""
    offline: bool = False
    stream: bool = False
    sees_images: bool = False

    def of(self, role: Role) -> BaseChatModel:
        return self.orchestrator if role is Role.ORCHESTRATOR else self.subagent


def build_models(settings: ModelSettings) -> Models:
    """The two models that `settings` name. No request is made yet."""
    if settings.offline:
        recipes = RecipeModel()
        return Models(orchestrator=recipes, subagent=recipes, name="offline recipes", offline=True)
    return Models(
        orchestrator=_chat_model(settings, settings.model),
        subagent=_chat_model(settings, settings.subagent_model or settings.model),
        name=settings.model,
        stream=settings.stream,
        sees_images=settings.sees_images,
    )


def _chat_model(settings: ModelSettings, name: str) -> BaseChatModel:
    model = ChatOpenAI(
        model=name,
        base_url=settings.base_url or OPENAI,  # named, or the library would read the environment for it
        api_key=settings.api_key or SecretStr(LOCAL_KEY),
        timeout=settings.request_seconds,
        max_retries=settings.retries,
        **_output_limit(settings),
        temperature=settings.temperature,
        stream_usage=True,
        use_responses_api=False,
        http_async_client=_http_client(settings),
    )
    # The key and the data go to the operator's address and to no other. The library's own client, which keeps
    # long silences alive and closes itself, has no other switch.
    model.root_async_client._client.follow_redirects = False  # pyright: ignore[reportPrivateUsage]
    return model


def _output_limit(settings: ModelSettings) -> dict[str, Any]:
    """OpenAI renamed the parameter; most servers that speak its protocol know the old name only."""
    if settings.base_url is None:
        return {"max_tokens": settings.max_output_tokens}
    return {"extra_body": {"max_tokens": settings.max_output_tokens}}


def _http_client(settings: ModelSettings) -> DefaultAsyncHttpxClient | None:
    if settings.ca_file is None and settings.proxy is None:
        return None  # the client's own default reads the proxy and certificate variables of the environment
    context = ssl.create_default_context()
    if settings.ca_file is not None:
        context.load_verify_locations(settings.ca_file)
    return DefaultAsyncHttpxClient(verify=context, proxy=settings.proxy)
