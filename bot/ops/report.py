"""What runs have cost, as tables: all runs in a line each, or one run by phase."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from pydantic import BaseModel, ValidationError
from rich.table import Table
from rich.text import Text

from bot.render import clip, duration
from bot.settings import Prices
from bot.texts import Texts
from sandbox.names import clean_text
from skills.catalog import Skill
from storage.records import Artifact, Run


class _Line(BaseModel, frozen=True, extra="ignore"):
    """A line of trace.jsonl, as far as it counts."""

    type: str
    todo: str | None = None
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    peak_memory: int = 0
    code: str = ""
    threat: int = 0
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Phase:
    todo: str | None
    """None for the orchestrator: planning, checking and the answer."""
    model_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    model_seconds: float = 0.0
    sandbox_runs: int = 0
    sandbox_seconds: float = 0.0
    sandbox_cpu: float = 0.0
    """Seconds."""
    peak_memory: int = 0
    """Bytes, of the script that took most."""

    def plus(self, line: _Line) -> "Phase":
        if line.type == "model":
            return replace(
                self,
                model_calls=self.model_calls + 1,
                input_tokens=self.input_tokens + line.input_tokens,
                output_tokens=self.output_tokens + line.output_tokens,
                cached_tokens=self.cached_tokens + line.cached_tokens,
                model_seconds=self.model_seconds + line.seconds,
            )
        if line.type == "script":
            return replace(
                self,
                sandbox_runs=self.sandbox_runs + 1,
                sandbox_seconds=self.sandbox_seconds + line.seconds,
                sandbox_cpu=self.sandbox_cpu + line.cpu_seconds,
                peak_memory=max(self.peak_memory, line.peak_memory),
            )
        return self


def phases(trace: Iterable[str]) -> tuple[Phase, ...]:
    """One per todo in the order of their beginning, the orchestrator's first, the sum last.

    A line that a crash cut off is left out.
    """
    total = Phase(todo="")
    found: dict[str | None, Phase] = {None: Phase(todo=None)}
    for line in _lines(trace):
        total = total.plus(line)
        found[line.todo] = found.get(line.todo, Phase(todo=line.todo)).plus(line)
    return (*found.values(), total)


def _lines(trace: Iterable[str]) -> Iterable[_Line]:
    for text in trace:
        with suppress(ValidationError):
            yield _Line.model_validate_json(text)


def alert_table(trace: Iterable[str], t: Texts) -> Table | None:
    """What the sandbox raised in a run; None for nothing, as in most runs."""
    alerts = [line for line in _lines(trace) if line.type == "alert"]
    table = _table()
    for key in ("alert", "threat", "phase", "detail"):
        table.add_column(t(f"column-{key}"))
    for line in alerts:
        phase = t("phase-planning") if line.todo is None else line.todo
        cells = (line.code, str(line.threat), phase, line.detail)
        table.add_row(*(Text(clean_text(cell)) for cell in cells))
    return table if alerts else None


def phase_table(rows: Sequence[Phase], prices: Prices | None, t: Texts) -> Table:
    table = _table()
    table.add_column(t("column-phase"))
    for key in (
        "model-calls", "input", "output", "cached", "model-time",
        "sandbox-runs", "sandbox-time", "sandbox-cpu", "peak-memory",
    ):  # fmt: skip
        table.add_column(t(f"column-{key}"), justify="right")
    if prices is not None:
        table.add_column(t("column-price"), justify="right")
    for row in rows:
        last = row is rows[-1]
        name = t("phase-total") if last else t("phase-planning") if row.todo is None else row.todo
        cells = [
            clean_text(name),
            str(row.model_calls),
            f"{row.input_tokens:,}",
            f"{row.output_tokens:,}",
            f"{row.cached_tokens:,}",
            f"{row.model_seconds:.1f} s",
            str(row.sandbox_runs),
            f"{row.sandbox_seconds:.1f} s",
            f"{row.sandbox_cpu:.1f} s",
            f"{row.peak_memory >> 20} MiB" if row.peak_memory else "",
        ]
        if prices is not None:
            cells.append(f"{prices.cost(row.input_tokens, row.output_tokens, row.cached_tokens):.4f}")
        if last:
            table.add_section()
        table.add_row(*(Text(cell) for cell in cells))
    return table


def run_table(runs: Sequence[Run], interrupted: frozenset[str], t: Texts, now: datetime) -> Table:
    table = _table()
    for key, side in (
        ("run", "left"),
        ("status", "left"),
        ("started", "left"),
        ("time", "right"),
        ("tokens", "right"),
    ):
        table.add_column(t(f"column-{key}"), justify="right" if side == "right" else "left", no_wrap=True)
    table.add_column(t("column-request"), overflow="ellipsis", no_wrap=True)
    for run in runs:
        cells = (
            run.id,
            status_word(run, interrupted, t),
            (run.started_at or run.created_at).astimezone().strftime("%Y-%m-%d %H:%M"),
            duration(run_seconds(run, now)),
            f"{run.usage.input_tokens + run.usage.output_tokens:,}",
            clean_text(clip(run.request, 80)),
        )
        table.add_row(*(Text(cell) for cell in cells))
    return table


def status_word(run: Run, interrupted: frozenset[str], t: Texts) -> str:
    if not run.status.is_final and run.id in interrupted:
        return t("status-of-interrupted")
    return t(f"status-of-{run.status.value}")


def run_seconds(run: Run, now: datetime) -> float:
    """From the first attempt's beginning to the end, or to now."""
    began = run.started_at or run.finished_at or now
    return max(0.0, ((run.finished_at or now) - began).total_seconds())


def run_facts(run: Run, interrupted: frozenset[str], made: Sequence[Artifact], folder: Path, t: Texts) -> str:
    """What stands above the table of one run."""
    facts = [
        (t("show-request"), clip(run.request, 300)),
        (t("show-status"), status_word(run, interrupted, t)),
        (t("show-folder"), str(folder)),
        (t("show-files"), ", ".join(artifact.name for artifact in made)),
    ]
    if run.failure:
        facts.insert(
            2, (t("show-reason"), ": ".join(part for part in (run.failure, run.failure_detail) if part))
        )
    return "\n".join(f"{label}: {value}" for label, value in facts if value)


def skill_table(skills: Sequence[Skill], t: Texts) -> Table:
    table = _table()
    table.add_column(t("column-skill"), no_wrap=True)
    table.add_column(t("column-description"))
    for skill in skills:
        table.add_row(Text(clean_text(skill.name)), Text(clean_text(skill.description)))
    return table


def _table() -> Table:
    return Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
