"""Checkpoints: where LangGraph's graphs stood, in a file of their own, holding only types on a list."""

import asyncio
import importlib
import threading
from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiosqlite
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointMetadata, CheckpointTuple
from langgraph.checkpoint.serde.event_hooks import SerdeEvent, register_serde_event_listener
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from storage.cancellation import settled
from storage.database import make_private_file, write_anew
from storage.errors import UnknownType
from storage.translation import translated

_PRAGMAS = (
    "PRAGMA busy_timeout = 10000",
    "PRAGMA journal_mode = WAL",
    # NORMAL could lose the last steps to a power cut. They would be done again, and a model that answers
    # otherwise the second time asks for things that the ledger, which had lost nothing, does not know.
    "PRAGMA synchronous = FULL",
    "PRAGMA secure_delete = ON",
)
# A range of the primary key, which LIKE would not use: from "prefix." to "prefix/", the character after ".".
_FORGET = (
    "DELETE FROM checkpoints WHERE thread_id = ? OR (thread_id >= ? AND thread_id < ?)",
    "DELETE FROM writes WHERE thread_id = ? OR (thread_id >= ? AND thread_id < ?)",
)


class StrictSerializer(JsonPlusSerializer):
    """LangGraph's serialiser, except that an unknown type is an error.

    LangGraph would write any type, and read one that is not on its list as bare data with a line in the log;
    the state then breaks somewhere else. Here it fails when it is written, which is when a test can see it,
    and again when it is read.
    """

    def __init__(self, allowed: Iterable[type]) -> None:
        types = tuple(allowed)
        for kind in types:
            if getattr(importlib.import_module(kind.__module__), kind.__name__, None) is not kind:
                message = f"{kind.__qualname__} must stand at the top of its module to be found again"
                raise ValueError(message)
        # JSON is the format of years ago: nothing of ours was ever written in it.
        super().__init__(allowed_msgpack_modules=types, allowed_json_modules=None, pickle_fallback=False)

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        data = super().dumps_typed(obj)
        self.loads_typed(data)
        return data

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        blocked: list[str] = []
        thread = threading.get_ident()

        def listen(event: SerdeEvent) -> None:
            # Listeners hear every serialiser of the process.
            if (
                event["kind"] in ("msgpack_blocked", "msgpack_method_blocked")
                and threading.get_ident() == thread
            ):
                blocked.append(f"{event['module']}.{event['name']}")

        stop = register_serde_event_listener(listen)
        try:
            value = super().loads_typed(data)
        finally:
            stop()
        if blocked:
            raise UnknownType(tuple(dict.fromkeys(blocked)))
        return value


class Checkpointer(AsyncSqliteSaver):
    """LangGraph's saver with our errors. Use it with `durability="sync"`: others can lose a run."""

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        with translated():
            return await super().aget_tuple(config)

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        with translated():
            return await settled(super().aput(config, checkpoint, metadata, new_versions))

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        with translated():
            await settled(super().aput_writes(config, writes, task_id, task_path))

    async def forget(self, prefix: str) -> None:
        """Delete the thread `prefix` and those below it, `prefix.…`; nothing happens when there are none.

        The file does not shrink, but what comes next is written in the place of what has gone. The log beside
        it holds what was deleted until `compact`.
        """

        async def delete() -> None:
            async with self.lock:
                for statement in _FORGET:
                    await self.conn.execute(statement, (prefix, f"{prefix}.", f"{prefix}/"))
                await self.conn.commit()

        with translated():
            await settled(delete())

    async def compact(self) -> None:
        """Write the file anew without what was deleted, and empty the log beside it.

        Raises:
            StorageUnavailable: what was deleted may still be found in the files.
        """

        async def rewrite() -> None:
            async with self.lock:
                await write_anew(self.conn)

        with translated():
            await settled(rewrite())


@asynccontextmanager
async def open_checkpointer(path: Path, allowed: Iterable[type]) -> AsyncGenerator[Checkpointer]:
    """`allowed` are the types that a checkpoint may hold beside plain data and LangChain's messages.

    Name enums that occur inside pydantic models too; models inside models need no naming.

    Raises:
        StorageUnavailable: the file cannot be opened, or is damaged.
        ValueError: a type that could not be found again by its module and name.
    """
    serializer = StrictSerializer(allowed)
    with translated():
        await asyncio.to_thread(make_private_file, path)
    async with aiosqlite.connect(path) as connection:
        saver = Checkpointer(connection, serde=serializer)
        with translated():
            for pragma in _PRAGMAS:
                await connection.execute(pragma)
            await saver.setup()
        yield saver
