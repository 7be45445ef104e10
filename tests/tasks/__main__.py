"""`make tasks`: does all ten tasks, checks what came out, and writes build/bench/tasks.json.

A task is played from its recording where there is one, else the offline recipes do it; `--offline` leaves the
recordings out, names of tasks choose among them, and deliverables stay in build/tasks for a look.
Every check that holds is also tried on the same result with what it checks made wrong.
"""

import asyncio
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from sandbox.docker import DockerSandbox
from sandbox.images import image_of
from sandbox.policy import DEFAULT_NAME, RENDER_NAME
from sandbox.policyfile import load_policies
from sandbox.rendering import load_rendering
from tests.conftest import changed
from tests.tasks.assessment import assess, delivery_of, row, unnoticed
from tests.tasks.mutation import Delivery
from tests.tasks.running import keep, perform
from tests.tasks.task import Task, tasks

TARGET = Path("build/bench/tasks.json")
KEPT = Path("build/tasks")
WIDTHS = (10, 10, 18, 10, 6, 7, 10)


async def do(task: Task, *, offline: bool) -> tuple[dict[str, Any], list[str]]:
    """The task's row, and what should not be."""
    with tempfile.TemporaryDirectory(prefix="deckhand-") as name:
        folder = Path(name)
        policies = load_policies()
        rendering = load_rendering(policies[DEFAULT_NAME])
        rendering = changed(rendering, "container", image=image_of(rendering, None))
        policies = {**policies, RENDER_NAME: rendering}
        async with DockerSandbox(policies, root=folder / "sandbox", install="tasks") as sandbox:
            result = await perform(task, folder, sandbox, offline=offline)
        keep(result, KEPT / task.id)
        delivery = delivery_of(result)
        verdicts = assess(task, delivery)
        wrong = [f"went another way: {difference}" for difference in result.differences]
        wrong += [f"no .{kind} came" for kind in task.deliverables if missing(kind, delivery)]
        wrong += [f"not {v.text}: {clause}" for v in verdicts for clause in v.failing]
        wrong += [f"blind: {clause}" for clause in unnoticed(verdicts, delivery, folder / "spoilt")]
    return row(result, verdicts), wrong


def missing(kind: str, delivery: Delivery) -> bool:
    return kind != "text" and all(path.suffix != f".{kind}" for path in delivery.files)


def line(name: str, done: dict[str, Any]) -> str:
    outcomes = list(done["must_have"].values())
    true, judged = sum(o is True for o in outcomes), sum(o == "unchecked" for o in outcomes)
    traced, numerals = done["traced"]
    return (
        f"{name:5}{f'{true} of {len(outcomes) - judged}':>10}{judged:>10}{f'{traced} of {numerals}':>18}"
        f"{'yes' if done['rerun_identical'] else 'no':>10}{len(done['gate']):>6}"
        f"{done['calls']:>7}{done['tokens']:>10,}"
    )


def main() -> None:
    chosen = {name for name in sys.argv[1:] if not name.startswith("-")}
    rows: dict[str, dict[str, Any]] = {}
    names = zip(("true", "unchecked", "traced", "re-run", "gate", "calls", "tokens"), WIDTHS, strict=True)
    names = zip(("true", "unchecked", "traced", "re-run", "gate", "calls", "tokens"), WIDTHS, strict=True)
    head = f"{'task':5}" + "".join(f"{name:>{width}}" for name, width in names)
    sys.stdout.write(f"{head}\n")
    for task in tasks():
        if chosen and task.id not in chosen:
            continue
        rows[task.id], wrong = asyncio.run(do(task, offline="--offline" in sys.argv))
        sys.stdout.write(
            "\n".join([line(task.id, rows[task.id]), *(f"      {what}" for what in wrong)]) + "\n"
        )
        sys.stdout.flush()
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    TARGET.write_text(json.dumps(rows, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    sys.stdout.write(f"tokens are characters / 4; written to {TARGET}\n")


if __name__ == "__main__":
    main()
