"""Where a run leaves what a person can read: one folder, the same layout for every run."""

import shutil
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class RunFolder:
    path: Path

    @property
    def events(self) -> Path:
        return self.path / "events.jsonl"

    @property
    def trace(self) -> Path:
        return self.path / "trace.jsonl"

    @property
    def plan(self) -> Path:
        return self.path / "plan.md"

    @property
    def inputs(self) -> Path:
        return self.path / "input"

    @property
    def out(self) -> Path:
        return self.path / "out"

    @property
    def previews(self) -> Path:
        """Pictures of pages, in a folder for each state of the files that they show."""
        return self.path / "previews"

    def code(self, todo_id: str) -> Path:
        return self.path / "code" / todo_id

    def make(self) -> None:
        for folder in (self.inputs, self.out, self.path / "code"):
            folder.mkdir(parents=True, exist_ok=True)

    def drop_inputs(self) -> None:
        """The inputs are kept as artifacts; the copies for the sandbox go when the run has ended."""
        shutil.rmtree(self.inputs, ignore_errors=True)
