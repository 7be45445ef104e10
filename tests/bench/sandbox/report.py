"""What a run leaves: sandbox.json for programs, sandbox.md and sandbox.png for people."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.bench.sandbox.chart import draw
from tests.bench.sandbox.figures import Row, Target, latency_table, latency_targets
from tests.bench.sandbox.load import Load, load_table, load_targets

_HOW = """\
Medians in milliseconds of {rounds} sessions of each approach, all approaches taking turns. A session is a
lease and five scripts: print, plot, plot, deck, print. `print`, `plot` and `deck` are the first of their
kind in a session; `five` is the lease and the five scripts together.

The common flags: 1 GiB of memory without swap, 1 processor, 128 processes, read-only root, no capabilities,
no new privileges, no network, a user who is not root. Ours has its own seccomp profile and Landlock on top,
a uid of its own and limits of out/, and its figures hold the copying of the outputs to the host.

Scripts are handed over in the lease, as `docker run` and `exec` have them in a mounted folder; "{checked}"
hands each over by `write`, which checks it first: no peer does that. The bare fork is a fixed small script
with the same libraries, loaded and used once; it has no limit of time, no clean-up and no session.
"""
_LOADS = """\
Sessions at once, each of the same five scripts. Ours has a full pool before. `memory` is by how much the
host's available memory fell at most, since before the first container."""


@dataclass
class Report:
    rounds: int
    checked: str
    """Name of the row that is no approach of its own."""
    facts: Sequence[str] = ()
    rows: Mapping[str, Row] = field(default_factory=dict[str, Row])
    without: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    failures: Mapping[str, str] = field(default_factory=dict[str, str])
    loads: Sequence[Load] = ()
    container_memory: int = 0

    def targets(self) -> list[Target]:
        latency = latency_targets(self.rows) if self.rows else []
        loads = {(load.approach, load.sessions): load for load in self.loads}
        return latency + (load_targets(loads, self.container_memory) if loads else [])

    def text(self) -> str:
        parts = ["# The sandbox and its peers", "\n".join(f"- {fact}" for fact in self.facts)]
        if self.rows:
            how = _HOW.format(rounds=self.rounds, checked=self.checked)
            parts += [how, latency_table(self.rows, self.without)]
        if self.failures:
            parts += ["\n".join(f"- {name} did not run: {why}" for name, why in self.failures.items())]
        if self.loads:
            parts += [
                _LOADS,
                load_table(self.loads),
                "\n".join(f"- {load.approach}: {why}" for load in self.loads for why in load.failures[:3]),
            ]
        parts += ["```\n" + "\n".join(target.line() for target in self.targets()) + "\n```"]
        return "\n\n".join(part for part in parts if part) + "\n"

    def write(self, target: Path) -> None:
        """Raises: OSError."""
        approaches = {name: row for name, row in self.rows.items() if name != self.checked}
        figures = {
            name: {str(column): round(value, 3) for column, value in row.items()}
            for name, row in approaches.items()
        }
        (target / "sandbox.json").write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
        (target / "sandbox.md").write_text(self.text(), encoding="utf-8")
        draw(approaches, target / "sandbox.png")
