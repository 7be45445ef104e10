"""Tables of an answer as files, made in a sandbox: the host writes what to draw, and moves the bytes."""

import asyncio
import json
import shutil
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import structlog

from agent import tables as scripts
from agent.disguise import objection
from bot.chat import Delivered
from bot.delivery.tables import Table
from bot.texts import Language, Texts, texts
from sandbox.errors import SandboxError
from sandbox.session import InputFile, Sandbox, Workspace
from storage.records import Run

PATIENCE = 120.0
"""Seconds for all of it, a wait for a container included: then the tables stay in the text."""
MAX_TABLES = 9
"""Pictures of one answer; of more tables none is drawn, so that every one is where the text says."""

_log = structlog.stdlib.get_logger(__name__)


class SandboxTables:
    """A `TableMaker`."""

    def __init__(self, sandbox: Sandbox, folder: Path, *, patience: float = PATIENCE) -> None:
        """`folder` has those of the runs."""
        self._sandbox = sandbox
        self._folder = folder
        self._patience = patience

    async def make(self, run: Run, tables: Sequence[Table]) -> tuple[Delivered, ...]:
        """Nothing, and a line in the log, where the sandbox fails: the answer counts more than its looks."""
        if not 0 < len(tables) <= MAX_TABLES:
            return ()
        t = texts(Language(run.language))
        folder = self._folder / run.id / "tables"
        try:
            async with asyncio.timeout(self._patience):
                await asyncio.to_thread(_prepare, folder, _order(tables, t))
                if not await self._draw(run, folder):
                    return ()
            return await asyncio.to_thread(_collected, folder / "out", len(tables), t)
        except (SandboxError, OSError) as fault:  # a TimeoutError is an OSError
            _log.warning("tables_not_made", run_id=run.id, reason=f"{type(fault).__name__}: {fault}")
            return ()

    async def _draw(self, run: Run, folder: Path) -> bool:
        workspace = Workspace(
            owner=f"{run.id}-tables",
            inputs=(InputFile(name=scripts.INPUT, source=folder / scripts.INPUT),),
            code=folder / "code",
            out=folder / "out",
        )
        async with self._sandbox.lease(workspace) as session:
            for name, source in scripts.sources().items():
                await session.write(name, source)
            result = await session.run(f"{scripts.MAIN}.py")
        if not result.succeeded:
            reason = f"{result.status}: {result.stderr[-1000:]}"
            _log.warning("tables_not_made", run_id=run.id, reason=reason)
        return result.succeeded


def _order(tables: Sequence[Table], t: Texts) -> str:
    """What the scripts read. They put numbers in place of {count} and {number}."""
    asked = {
        "language": t.language.value,
        "tables": [asdict(table) for table in tables],
        "sheet": t("tables-sheet", number="{number}"),
        "more_rows": t("tables-more-rows", count="{count}"),
        "more_columns": t("tables-more-columns", count="{count}"),
    }
    return json.dumps(asked)


def _prepare(folder: Path, order: str) -> None:
    """What an interrupted attempt left is gone. Raises: OSError."""
    shutil.rmtree(folder, ignore_errors=True)
    for name in ("code", "out"):
        (folder / name).mkdir(parents=True)
    (folder / scripts.INPUT).write_text(order, encoding="utf-8")


def _collected(out: Path, count: int, t: Texts) -> tuple[Delivered, ...]:
    """Raises: OSError: one of the files is not there, or not what its name says."""
    numbers = range(1, count + 1)
    made = [out / scripts.PICTURE.format(number=number) for number in numbers]
    names = [f"{t('tables-picture', number=number)}.png" for number in numbers]
    paths = (*made, out / scripts.WORKBOOK)
    for path in paths:
        if reason := "a link" if path.is_symlink() else objection(path):
            detail = f"{path.name}: {reason}"
            raise OSError(detail)
    shown = (*names, f"{t('tables-workbook')}.xlsx")
    return tuple(
        Delivered(name=name, path=path, size=path.stat().st_size)
        for name, path in zip(shown, paths, strict=True)
    )
