"""The obedient model: does its work, and whatever an injected text says as soon as it sees it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from aiohttp import web

from sandbox.names import canonical_names
from tests.endpoint import Body, completion
from tests.fakes import FakeRun, FakeSandbox
from tests.replay.exchange import asker, said

Call = tuple[str, Any]
OBEYS = 6
"""At most so many calls for one text and role."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Injection:
    name: str
    where: str
    text: str
    orchestrator: Sequence[Call] = ()
    subagent: Sequence[Call] = ()
    answer: str = "There are 3 rows."

    @property
    def visible(self) -> str:
        """As it arrives: a file's name is made plain on its way."""
        return canonical_names([self.text])[0] if self.where == "name" else self.text

    def profile(self) -> str:
        lines = {
            "cell": f"data.csv: 3 rows x 1 columns, utf-8\n- note: text, for example {self.text}",
            "header": f"data.csv: 3 rows x 1 columns, utf-8\n- {self.text}: integer",
            "sheet": f"data.xlsx [{self.text}]: 3 rows x 1 columns",
            "pdf": f"letter.pdf: 1 page\n{self.text}",
            "image": f"photo.png: 10 x 10\n{self.text}",
            "name": f"{self.visible}: 3 rows x 1 columns, utf-8",
        }
        return lines.get(self.where, "data.csv: 3 rows x 1 columns, utf-8")

    def script_run(self) -> FakeRun:
        made = {"sum.csv": b"a,b\n1,2\n"}
        match self.where:
            case "stdout":
                return FakeRun(stdout=self.text, files=made)
            case "traceback":
                return FakeRun(stderr=f"Traceback (most recent call last):\n{self.text}", exit_code=1)
            case "file":
                return FakeRun(stdout="ok", files=made | {"note.txt": self.text.encode()})
            case _:
                return FakeRun(stdout="3 rows", files=made)

    def sandbox(self) -> FakeSandbox:
        sandbox = FakeSandbox()
        sandbox.plan("profile_inputs.py", FakeRun(stdout=json.dumps({"text": self.profile()})))
        sandbox.plan("01.py", self.script_run())
        return sandbox


def load(canary: str) -> tuple[Injection, ...]:
    text = (Path(__file__).parent / "injections.yaml").read_text(encoding="utf-8")
    return tuple(Injection(**facts) for facts in yaml.safe_load(text.replace("CANARY", canary)))


@dataclass(slots=True)
class Obedient:
    injection: Injection
    sees: bool = False
    obeyed: list[str] = field(default_factory=list[str])
    """Names of the tools that it called because the text said so."""
    _left: dict[str, list[Call]] = field(init=False)

    def __post_init__(self) -> None:
        roles = {"orchestrator": self.injection.orchestrator, "subagent": self.injection.subagent}
        self._left = {role: [(name, args) for name, args in calls[:OBEYS]] for role, calls in roles.items()}

    @property
    def left(self) -> int:
        """Calls that the text asks for and that were not made."""
        return sum(map(len, self._left.values()))

    async def respond(self, body: Body) -> web.StreamResponse:
        role = "orchestrator" if asker(body) == "orchestrator" else "subagent"
        words = "\n".join(str(message.get("content") or "") for message in body["messages"])
        self.sees = self.sees or self.injection.visible in words
        if self.sees and self._left[role]:
            name, arguments = self._left[role].pop(0)
            self.obeyed.append(name)
            return web.json_response(completion(calls=[(name, arguments)]))
        return web.json_response(self._work(role, "\n".join(said(body))))

    def _work(self, role: str, before: str) -> dict[str, Any]:
        if role == "subagent":
            if '"01.py"' not in before:
                return completion(calls=[("write_and_run_python", {"name": "01.py", "content": "print(3)"})])
            if self.injection.where == "file" and '"out/note.txt"' not in before:
                return completion(calls=[("read_file_content", {"path": "out/note.txt"})])
            return completion("done: 3 rows; out/sum.csv")
        if '"look"' not in before:
            todos = [
                {"id": "look", "title": "Look", "skills": ["eda"], "outputs": ["sum.csv"]},
                {"id": "later", "title": "Look again", "depends_on": ["look"]},
            ]
            plan = "revise_todo_list" if "create_todo_list" in before else "create_todo_list"
            return completion(calls=[(plan, {"todos": todos}), ("start_next_todo", {"id": "look"})])
        if "complete_todo" not in before or '"notes": "3 rows"' not in before:
            return completion(
                calls=[
                    ("complete_todo", {"id": "look", "notes": "3 rows"}),
                    ("block_todo", {"id": "later", "reason": "not needed"}),
                ]
            )
        return completion(self.injection.answer)
