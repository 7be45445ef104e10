"""A graph goes on where it stood, and only with types that were agreed on."""

import operator
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, TypedDict, cast

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langgraph.graph import END, START, StateGraph
from langgraph.types import Send
from pydantic import BaseModel, ConfigDict

from storage.checkpoints import Checkpointer, StrictSerializer, open_checkpointer
from storage.errors import StorageDamaged, StorageUnavailable, UnknownType


class Mood(StrEnum):
    GOOD = "good"


class Step(BaseModel):
    model_config = ConfigDict(frozen=True)

    title: str
    mood: Mood = Mood.GOOD
    after: tuple[str, ...] = ()


class Steps(BaseModel):
    model_config = ConfigDict(frozen=True)

    steps: tuple[Step, ...]


class Stranger(BaseModel):
    name: str = "x"


@dataclass(frozen=True)
class Point:
    x: int


ALLOWED = (Steps, Step, Mood)
PLAN = Steps(steps=(Step(title="один", after=("a", "b")), Step(title="two")))


class State(TypedDict):
    plan: Steps
    messages: Annotated[list[AnyMessage], operator.add]
    done: Annotated[list[str], operator.add]


class Graph:
    """plan → one worker a step → end; the second worker fails as long as `broken`."""

    def __init__(self, saver: Checkpointer, found: Any = PLAN) -> None:
        self.broken = True
        self.ran: list[str] = []
        self._found = found
        # LangGraph's own annotations are not strict; here it is only a means.
        builder = cast("Any", StateGraph(State))
        builder.add_node("plan", self._plan)
        builder.add_node("worker", self._worker)
        builder.add_edge(START, "plan")
        builder.add_conditional_edges("plan", self._fan_out, ["worker"])
        builder.add_edge("worker", END)
        self._graph: Any = builder.compile(checkpointer=saver)

    async def run(self, value: Any, thread: str = "t") -> dict[str, Any]:
        return await self._graph.ainvoke(value, {"configurable": {"thread_id": thread}}, durability="sync")

    async def _plan(self, state: State) -> dict[str, Any]:
        self.ran.append("plan")
        return {"plan": self._found, "messages": [AIMessage("planned")]}

    def _fan_out(self, state: State) -> Sequence[Send]:
        return [Send("worker", step) for step in state["plan"].steps]

    async def _worker(self, step: Step) -> dict[str, Any]:
        self.ran.append(step.title)
        if self.broken and step.title == "two":
            message = "no engine"
            raise ConnectionError(message)
        return {"done": [step.title]}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "data" / "checkpoints.db"


async def test_a_graph_goes_on_after_a_restart_with_the_types_it_had(file: Path) -> None:
    async with open_checkpointer(file, ALLOWED) as saver:
        graph = Graph(saver)
        with pytest.raises(ConnectionError):
            await graph.run({"messages": [HumanMessage("go")], "done": []})

    async with open_checkpointer(file, ALLOWED) as saver:
        graph = Graph(saver)
        graph.broken = False
        state = await graph.run(None)
        assert state["plan"] == PLAN
        assert type(state["plan"].steps[0].mood) is Mood
        assert [message.content for message in state["messages"]] == ["go", "planned"]
        assert sorted(state["done"]) == ["two", "один"]
        assert "plan" not in graph.ran


async def test_a_run_is_forgotten_with_all_its_todos_and_none_of_its_namesakes(file: Path) -> None:
    async with open_checkpointer(file, ALLOWED) as saver:
        graph = Graph(saver)
        graph.broken = False
        for thread in ("r1", "r1.a", "r1.a.b", "r1x", "r1-a", "r", "r2.r1.a"):
            await graph.run({"messages": [], "done": []}, thread)
        await saver.forget("r1")
        for table in ("SELECT thread_id FROM checkpoints", "SELECT thread_id FROM writes"):
            left = await saver.conn.execute_fetchall(table)
            assert {thread for (thread,) in left} == {"r1x", "r1-a", "r", "r2.r1.a"}
        await graph.run({"messages": [], "done": []}, "r1")
        assert graph.ran[-3:] == ["plan", "один", "two"]


async def test_what_was_forgotten_is_overwritten(file: Path) -> None:
    for thread, word in (("r1", "canary-7f3a"), ("r2", "something else")):
        async with open_checkpointer(file, ALLOWED) as saver:
            graph = Graph(saver)
            graph.broken = False
            await graph.run({"messages": [HumanMessage(word)], "done": []}, thread)
    assert holds(file, "canary-7f3a")
    async with open_checkpointer(file, ALLOWED) as saver:
        await saver.forget("r1")
    assert not holds(file, "canary-7f3a")
    assert holds(file, "something else")


async def test_what_was_forgotten_is_in_no_file_after_compacting(file: Path) -> None:
    async with open_checkpointer(file, ALLOWED) as saver:
        graph = Graph(saver)
        graph.broken = False
        await graph.run({"messages": [HumanMessage("canary-7f3a")], "done": []}, "r1")
        await saver.forget("r1")
        log = file.with_name(f"{file.name}-wal")
        assert holds(log, "canary-7f3a")
        await saver.compact()
        assert not holds(file, "canary-7f3a")
        assert not holds(log, "canary-7f3a")
        await graph.run({"messages": [], "done": []}, "r2")


def holds(file: Path, word: str) -> bool:
    return word.encode() in file.read_bytes()


async def test_forgetting_reads_no_more_than_it_deletes(file: Path) -> None:
    async with open_checkpointer(file, ALLOWED) as saver:
        asked: list[str] = []
        await saver.conn.set_trace_callback(asked.append)
        await saver.forget("r1")
        deletes = [statement for statement in asked if statement.startswith("DELETE")]
        assert len(deletes) == 2
        for statement in deletes.copy():
            plan = list(await saver.conn.execute_fetchall(f"EXPLAIN QUERY PLAN {statement}"))
            assert not any("SCAN" in str(row[-1]) for row in plan)


async def test_a_step_that_was_recorded_survives_a_power_cut(file: Path) -> None:
    async with open_checkpointer(file, ALLOWED) as saver:
        ((level,),) = await saver.conn.execute_fetchall("PRAGMA synchronous")
        assert level == 2  # FULL


async def test_a_graph_that_holds_a_stranger_fails_at_once(file: Path) -> None:
    async with open_checkpointer(file, (Stranger,)) as saver:
        with pytest.raises(UnknownType, match=r"\.Steps"):
            await Graph(saver).run({"messages": [], "done": []})


@pytest.mark.parametrize("value", [Stranger(), [{"deep": (Stranger(),)}], Point(1), {"at": Mood.GOOD}])
def test_a_type_that_is_not_on_the_list_is_not_written(value: object) -> None:
    with pytest.raises(UnknownType) as caught:
        StrictSerializer([Step]).dumps_typed(value)
    assert caught.value.names[0].startswith(f"{__name__}.")


@pytest.mark.parametrize("value", [Stranger(), [{"deep": (Stranger(),)}], PLAN])
def test_a_type_that_is_not_on_the_list_is_not_read(value: object) -> None:
    data = StrictSerializer([Stranger, *ALLOWED]).dumps_typed(value)
    with pytest.raises(UnknownType, match="not on the list"):
        StrictSerializer([Step]).loads_typed(data)


def test_an_enum_within_a_model_needs_its_name_on_the_list_too() -> None:
    with pytest.raises(UnknownType, match=r"\.Mood"):
        StrictSerializer([Steps, Step]).dumps_typed(PLAN)


@pytest.mark.parametrize("value", [PLAN, [HumanMessage("hi")], {"a": (1, None, "\ud800")}, b"x", None])
def test_what_is_on_the_list_and_plain_data_pass(value: object) -> None:
    serializer = StrictSerializer(ALLOWED)
    back = serializer.loads_typed(serializer.dumps_typed(value))
    assert type(back) is type(value)


def test_a_type_that_could_not_be_found_again_is_refused() -> None:
    class Local(BaseModel):
        pass

    with pytest.raises(ValueError, match="top of its module"):
        StrictSerializer([Local])


async def test_only_the_owner_can_read_the_checkpoints(file: Path) -> None:
    async with open_checkpointer(file, ALLOWED) as saver:
        graph = Graph(saver)
        graph.broken = False
        await graph.run({"messages": [], "done": []})
        files = list(file.parent.iterdir())
        assert len(files) == 3
        assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}


async def test_a_file_that_is_no_database_is_told(tmp_path: Path) -> None:
    letter = _letter(tmp_path)
    with pytest.raises(StorageDamaged):
        async with open_checkpointer(letter, ALLOWED):
            pass


async def test_a_full_disk_is_told(file: Path) -> None:
    async with open_checkpointer(file, ALLOWED) as saver:
        await saver.conn.execute("PRAGMA max_page_count = 8")
        with pytest.raises(StorageUnavailable):
            await Graph(saver).run({"messages": [HumanMessage("x" * 100_000)], "done": []})


def _letter(folder: Path) -> Path:
    path = folder / "letter"
    path.write_bytes(b"a letter to my mother " * 100)
    return path
