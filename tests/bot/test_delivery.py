from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

import pytest

from agent.events import ArtifactSaved, PlanChanged, RunFinished, to_record
from bot.chat import Delivered, MessageKind
from bot.delivery.deliverables import numbered
from bot.settings import Settings
from bot.snapshot import recorded
from storage.artifacts import put_bytes
from storage.records import ArtifactKind, EventRecord, Run, RunId, RunStatus, utc_now
from tests.bot.conftest import Rig
from tests.bot.fakes import HERE, PLAN, FakeChat


async def made(rig: Rig, run: Run, name: str, content: bytes, *, deliverable: bool = True) -> ArtifactSaved:
    """A file that a run left, as the agent records it."""
    artifact = await put_bytes(
        rig.store.artifacts, content, name=name, kind=ArtifactKind.OUTPUT, run_id=run.id
    )
    saved = ArtifactSaved(
        run_id=run.id, artifact_id=artifact.id, name=name, size=artifact.size, deliverable=deliverable
    )
    await rig.store.events.append(run.id, "ArtifactSaved", to_record(saved))
    return saved


@dataclass
class Packing(FakeChat):
    """Looks into files to know how they travel."""

    packed: list[bytes] = field(default_factory=list[bytes])

    def parcels(self, files: Sequence[Delivered]) -> tuple[tuple[Delivered, ...], ...]:
        self.packed += [file.path.read_bytes() for file in files]
        return super().parcels(files)


async def deliver(rig: Rig, run: Run) -> None:
    await rig.app.delivery.deliver(run, RunFinished(run_id=run.id, answer="Here."), rig.chat, HERE)


def in_out(settings: Settings, run: Run, name: str) -> Path:
    path = settings.data / "runs" / run.id / "out" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


@pytest.fixture
async def run(rig: Rig) -> Run:
    """One that has ended, and whose chat knows nothing of it."""
    conversation = await rig.store.conversations.get_or_create("fake", "7")
    found = await rig.store.runs.create(conversation.id, "make something", language="en")
    await rig.store.runs.finish(found.id, RunStatus.FINISHED, answer="Here.")
    return await rig.store.runs.get(found.id)


async def test_the_answer_comes_first_and_then_the_deliverables_only(rig: Rig, run: Run) -> None:
    await made(rig, run, "deck.pptx", b"deck")
    await made(rig, run, "work.csv", b"work", deliverable=False)
    await deliver(rig, run)
    assert [m.kind for m in rig.chat.last] == [MessageKind.ANSWER]
    assert [(file.name, file.path.read_bytes()) for file in rig.chat.files] == [("deck.pptx", b"deck")]


async def test_the_copy_in_the_run_folder_is_used_while_it_is_what_was_kept(
    rig: Rig, run: Run, settings: Settings
) -> None:
    await made(rig, run, "deck.pptx", b"deck")
    in_out(settings, run, "deck.pptx").write_bytes(b"deck")
    await deliver(rig, run)
    assert rig.chat.files[0].path == in_out(settings, run, "deck.pptx")


async def test_a_link_that_the_guest_left_is_not_followed(rig: Rig, run: Run, settings: Settings) -> None:
    secret = settings.data / "secret"
    secret.write_bytes(b"host")
    await made(rig, run, "deck.pptx", b"deck")
    in_out(settings, run, "deck.pptx").symlink_to(secret)
    await deliver(rig, run)
    assert rig.chat.files[0].path.read_bytes() == b"deck"


@pytest.mark.parametrize("name", ["../../../etc/passwd", "/etc/passwd", "a/../../b"])
async def test_a_name_that_leads_out_of_the_folder_is_only_a_name(
    rig: Rig, run: Run, settings: Settings, name: str
) -> None:
    await made(rig, run, name, b"x")
    await deliver(rig, run)
    (file,) = rig.chat.files
    assert file.path.is_relative_to(settings.data)
    assert "/" not in file.name
    assert file.path.read_bytes() == b"x"


async def test_a_file_saved_again_is_delivered_once_and_newest(rig: Rig, run: Run) -> None:
    await made(rig, run, "deck.pptx", b"old")
    await made(rig, run, "deck.pptx", b"newer")
    await deliver(rig, run)
    assert [file.path.read_bytes() for file in rig.chat.files] == [b"newer"]


async def test_a_lost_file_is_told_and_stops_no_other(rig: Rig, run: Run) -> None:
    lost = await made(rig, run, "lost.csv", b"gone")
    await made(rig, run, "deck.pptx", b"deck")
    artifact = await rig.store.artifacts.get(lost.artifact_id)  # pyright: ignore[reportArgumentType]  # an event's ids are plain text
    await rig.store.artifacts.delete(artifact.id)
    await deliver(rig, run)
    assert [file.name for file in rig.chat.files] == ["deck.pptx"]
    assert "“lost.csv” was made, but cannot be read" in rig.chat.texts[-1]


def test_numbers_go_before_the_suffix() -> None:
    assert list(islice(numbered("out/deck.pptx"), 3)) == [
        "out/deck.pptx",
        "out/deck (2).pptx",
        "out/deck (3).pptx",
    ]


def test_the_history_tells_how_far_a_run_came() -> None:
    def event(seq: int, kind: str, payload: dict[str, object]) -> EventRecord:
        return EventRecord(run_id=RunId("r"), seq=seq, at=utc_now(), kind=kind, payload=payload)

    events = (
        event(1, "PlanChanged", to_record(PlanChanged(run_id="r", plan=PLAN))),
        event(2, "TodoFinished", {"run_id": "r", "todo_id": "look", "status": "done", "notes": ""}),
        event(3, "Unheard", {}),
    )
    assert (recorded(events).done, len(recorded(events).plan.todos)) == (1, 2)


async def test_the_files_lie_there_when_it_is_decided_how_they_travel(rig: Rig, run: Run) -> None:
    await made(rig, run, "chart.png", b"picture")
    chat = Packing()
    await rig.app.delivery.deliver(run, RunFinished(run_id=run.id, answer="Here."), chat, HERE)
    assert chat.packed == [b"picture"]
