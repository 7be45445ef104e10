"""The record of a run: what observers are told, what is stored, and the files that a person can read."""

import asyncio
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import structlog

from agent.budget import Budget
from agent.context import shortened
from agent.events import AlertRaised, ModelCalled, PlanChanged, Role, RunEvent, ScriptRan, to_record
from agent.folder import RunFolder
from agent.turn import Turn
from sandbox.alerts import Alert, AlertCode
from sandbox.session import RunResult
from storage.events import Events
from storage.records import RunId, Usage
from storage.runs import Runs

_log = structlog.stdlib.get_logger(__name__)

MAX_ARGUMENT = 2_000
"""Characters of one argument in the trace; scripts lie whole in code/."""


class Journal:
    """One writer per run. Every event goes to the database, to events.jsonl and to the run's listener."""

    def __init__(
        self, run_id: RunId, folder: RunFolder, *, runs: Runs, events: Events, budget: Budget
    ) -> None:
        self.run_id = run_id
        self.told: asyncio.Queue[RunEvent | None] = asyncio.Queue()
        """What the listener has still to read; None is the end."""
        self._folder = folder
        self._runs = runs
        self._events = events
        self._budget = budget
        self._alerts: set[AlertCode] = set()

    async def tell(self, event: RunEvent) -> None:
        kind, facts = type(event).__name__, to_record(event)
        await self._events.append(self.run_id, kind, facts)
        self._append(self._folder.events, {"kind": kind} | facts)
        if isinstance(event, PlanChanged):
            text = event.plan.to_markdown()
            self._folder.plan.write_text(text, encoding="utf-8", errors="backslashreplace")
        self.told.put_nowait(event)

    async def model_called(self, role: Role, todo_id: str | None, turn: Turn) -> None:
        await self._use(
            Usage(
                model_calls=1,
                input_tokens=turn.input_tokens,
                output_tokens=turn.output_tokens,
                cached_tokens=turn.cached_tokens,
                model_seconds=turn.seconds,
            )
        )
        facts = {
            "role": role.value,
            "todo": todo_id,
            "input_tokens": turn.input_tokens,
            "output_tokens": turn.output_tokens,
            "cached_tokens": turn.cached_tokens,
            "seconds": round(turn.seconds, 3),
            "fault": turn.fault.value if turn.fault else None,
        } | ({"estimated": True} if turn.estimated else {})
        self._append(self._folder.trace, {"type": "model"} | facts)
        await self.tell(
            ModelCalled(
                run_id=self.run_id,
                todo_id=todo_id,
                role=role,
                input_tokens=turn.input_tokens,
                output_tokens=turn.output_tokens,
                cached_tokens=turn.cached_tokens,
                seconds=turn.seconds,
                fault=turn.fault.value if turn.fault else None,
            )
        )

    def model_failed(self, role: Role, todo_id: str | None, why: str, seconds: float) -> None:
        """A call without an answer: it may have cost, but nobody told how much."""
        facts = {"role": role.value, "todo": todo_id, "seconds": round(seconds, 3), "fault": why}
        zero = {"input_tokens": 0, "output_tokens": 0, "cached_tokens": 0}
        self._append(self._folder.trace, {"type": "model"} | facts | zero)

    def tool_called(
        self,
        todo_id: str | None,
        tool: str,
        arguments: Mapping[str, object],
        result: str,
        ok: bool,
        seconds: float,
    ) -> None:
        role = Role.ORCHESTRATOR if todo_id is None else Role.SUBAGENT
        shown = {name: shortened(value, MAX_ARGUMENT) for name, value in arguments.items()}
        self._append(
            self._folder.trace,
            {
                "type": "tool",
                "role": role.value,
                "todo": todo_id,
                "tool": tool,
                "arguments": shown,
                "result_chars": len(result),
                "ok": ok,
                "seconds": round(seconds, 3),
            },
        )

    async def script_ran(self, todo_id: str | None, name: str, result: RunResult) -> None:
        await self._use(Usage(sandbox_runs=1, sandbox_seconds=result.seconds))
        self._append(
            self._folder.trace,
            {
                "type": "script",
                "todo": todo_id,
                "name": name,
                "status": result.status.value,
                "exit_code": result.exit_code,
                "seconds": round(result.seconds, 3),
                "cpu_seconds": round(result.cpu_seconds, 3),
                "peak_memory": result.peak_memory,
                "processes": result.processes,
                "out_bytes": result.out_bytes,
                "sha256": result.script_sha256,
                "files": [file.path for file in result.files],
            },
        )
        await self.tell(
            ScriptRan(
                run_id=self.run_id,
                todo_id=todo_id,
                script=name,
                status=result.status.value,
                exit_code=result.exit_code,
                seconds=result.seconds,
                cpu_seconds=result.cpu_seconds,
                peak_memory=result.peak_memory,
                processes=result.processes,
                out_bytes=result.out_bytes,
            )
        )
        for alert in result.alerts:
            if alert.code not in self._alerts:  # so there are never more of them than codes
                self._alerts.add(alert.code)
                await self._raise(todo_id, alert)

    async def _raise(self, todo_id: str | None, alert: Alert) -> None:
        facts = {"code": alert.code.value, "threat": alert.threat, "detail": alert.detail}
        _log.warning("sandbox.alert", run_id=self.run_id, todo_id=todo_id, **facts)
        self._append(self._folder.trace, {"type": "alert", "todo": todo_id} | facts)
        await self.tell(
            AlertRaised(
                run_id=self.run_id,
                todo_id=todo_id,
                code=alert.code.value,
                threat=alert.threat,
                detail=alert.detail,
            )
        )

    async def _use(self, usage: Usage) -> None:
        self._budget.add(usage)
        await self._runs.add_usage(self.run_id, usage)

    def _append(self, path: Path, facts: Mapping[str, object]) -> None:
        line = json.dumps(
            {"at": datetime.now(UTC).isoformat(timespec="milliseconds")} | dict(facts), ensure_ascii=False
        )
        with path.open("a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(line + "\n")
