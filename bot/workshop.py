"""What does the work, opened: the agent with its models, its sandbox and its checkpoints."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from agent.asking import Asker
from bot.ops.housekeeping import Threads
from bot.owner import is_alive, this_process
from bot.policies import load_catalog
from bot.sandboxes import open_sandbox
from bot.settings import Settings
from bot.stores import Store
from bot.worker import Agent
from sandbox.session import Sandbox
from storage.ledger import Ledger

if TYPE_CHECKING:
    from agent.models import ModelSettings


USUAL_HOST = "api.openai.com"
"""Where the client sends a key that comes without an address."""


@dataclass(frozen=True, slots=True)
class Workshop:
    """What does the work, and what it works with, for those who need a part of it."""

    agent: Agent
    sandbox: Sandbox | None = None
    threads: Threads | None = None


@asynccontextmanager
async def open_workshop(
    settings: Settings, store: Store, stopping: asyncio.Event, asker: Asker | None
) -> AsyncGenerator[Workshop]:
    # Imported here since they take a second, which `deckhand runs` and `--help` need not wait for.
    from agent.models import build_models
    from agent.runner import Runner
    from agent.state import STATE_TYPES
    from storage.checkpoints import open_checkpointer

    catalog = load_catalog(settings)
    async with (
        open_checkpointer(settings.data / "checkpoints.db", STATE_TYPES) as checkpointer,
        open_sandbox(settings, catalog) as (sandbox, languages),
    ):
        runner = Runner(
            models=build_models(model_settings(settings)),
            sandbox=sandbox,
            catalog=catalog,
            conversations=store.conversations,
            languages=languages,
            runs=store.runs,
            events=store.events,
            artifacts=store.artifacts,
            ledger=Ledger(store.database),
            checkpointer=checkpointer,
            limits=settings.limits,
            rules=settings.deckhand_policy_rules,
            folder=settings.data / "runs",
            owner=str(this_process()),
            is_dead=lambda owner: not is_alive(owner, this_process()),
            asker=asker,
            sample_rows=settings.send_sample_rows,
            stopping=stopping,
        )
        yield Workshop(runner, sandbox, checkpointer)


def model_host(settings: Settings) -> str:
    """Where requests and data go, without a user, a password or a path; empty with the offline recipes."""
    if settings.llm_base_url is None:
        return "" if settings.llm_api_key is None else USUAL_HOST
    return urlsplit(settings.llm_base_url).netloc.rpartition("@")[2]


def model_settings(settings: Settings) -> "ModelSettings":
    from agent.models import ModelSettings

    chosen = {
        "base_url": settings.llm_base_url,
        "api_key": settings.llm_api_key,
        "model": settings.llm_model,
        "subagent_model": settings.llm_subagent_model,
        "ca_file": settings.deckhand_ca_file,
        "proxy": settings.deckhand_proxy,
        "stream": settings.llm_stream,
        "sees_images": settings.llm_sees_images,
    }
    return ModelSettings.model_validate({name: value for name, value in chosen.items() if value is not None})
