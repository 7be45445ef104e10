"""The outbox at work, against every kind of fault and a crash at every call. No clock but the test's own."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from agent.events import (
    ArtifactSaved,
    FailureReason,
    PlanChanged,
    ResultsVerified,
    RunFailed,
    RunFinished,
    to_record,
)
from agent.verification import Verification
from bot.chat import Button, ChatRef, Delivered, Message, MessageKind, MessageRef
from bot.delivery.deliverables import Deliverables
from bot.delivery.delivery import Delivery
from bot.delivery.parts import FileRef
from bot.delivery.sending import Sender
from bot.delivery.tables import Table
from bot.errors import (
    ChatBusy,
    ChatError,
    ChatGone,
    ChatRefused,
    ChatUncertain,
    ChatUnreachable,
    FileRefused,
    MessageGone,
)
from bot.holds import Holds
from bot.settings import Settings
from bot.snapshot import Outcome
from bot.stores import Store, open_store
from storage.artifacts import put_bytes
from storage.errors import DiskFull
from storage.mail import OutboxEntry, OutboxPart, OutboxState
from storage.outbox import Outbox
from storage.records import ArtifactKind, Preferences, Run, RunId, RunStatus, utc_now
from tests.bot.fakes import HERE, PLAN, FakeChat

FILES = {"deck.pptx": b"deck", "data.csv": b"a,b"}


class Killed(BaseException):
    """`kill -9`, as far as one process can play it."""


@dataclass
class Wire(FakeChat):
    """Each call is numbered, and `before` or `after` it something may happen."""

    calls: list[str] = field(default_factory=list[str])
    before: dict[int, BaseException] = field(default_factory=dict[int, BaseException])
    after: dict[int, BaseException] = field(default_factory=dict[int, BaseException])
    kinds: dict[str, list[Exception]] = field(default_factory=dict[str, list[Exception]])
    """What the next calls of a kind raise."""

    async def post(
        self, chat: ChatRef, message: Message, *, reply_to: MessageRef | None = None
    ) -> MessageRef:
        with self._called(message.kind.value):
            return await super().post(chat, message, reply_to=reply_to)

    async def edit(self, ref: MessageRef, message: Message) -> None:
        with self._called(message.kind.value):
            await super().edit(ref, message)

    async def attach(
        self, chat: ChatRef, parcel: Sequence[Delivered], *, reply_to: MessageRef | None = None
    ) -> None:
        with self._called("parcel"):
            await super().attach(chat, parcel, reply_to=reply_to)

    def parcels(self, files: Sequence[Delivered]) -> tuple[tuple[Delivered, ...], ...]:
        return tuple((file,) for file in files)

    def _called(self, kind: str) -> "Call":
        return Call(self, kind)


@dataclass
class Call:
    wire: Wire
    kind: str

    def __enter__(self) -> None:
        number = len(self.wire.calls)
        self.wire.calls.append(self.kind)
        if fault := self.wire.before.pop(number, None):
            raise fault
        if faults := self.wire.kinds.get(self.kind):
            raise faults.pop(0)

    def __exit__(self, *fault: object) -> None:
        if late := self.wire.after.pop(len(self.wire.calls) - 1, None):
            raise late


@dataclass
class Post:
    """A run that has ended, and a delivery whose clock moves by sleeping."""

    store: Store
    folder: Path
    run: Run
    wire: Wire
    retry: Callable[[Run, ChatRef], Button] | None = None
    now: datetime = field(default_factory=utc_now)
    slept: list[float] = field(default_factory=list[float])
    haste: float = 1.0
    """How much more time passes than is slept."""
    maker: "Maker | None" = None
    outbox_type: type[Outbox] = Outbox
    holds: Holds = field(default_factory=Holds)

    @property
    def outbox(self) -> Outbox:
        return self.outbox_type(self.store.database)

    def delivery(self) -> Delivery:
        """As a process has it that has just begun."""
        deliverables = Deliverables(
            events=self.store.events, artifacts=self.store.artifacts, folder=self.folder
        )
        sender = Sender(
            outbox=self.outbox,
            runs=self.store.runs,
            deliverables=deliverables,
            holds=self.holds,
            retry=self.retry,
            clock=lambda: self.now,
            sleep=self._sleep,
            chance=lambda: 0.0,
        )
        return Delivery(
            outbox=self.outbox,
            events=self.store.events,
            deliverables=deliverables,
            sender=sender,
            tables=self.maker,
        )

    async def deliver(self, outcome: Outcome | None = None, preferences: Preferences | None = None) -> None:
        self.run = await self.store.runs.get(self.run.id)
        told = outcome or RunFinished(run_id=self.run.id, answer=self.run.answer or "")
        await self.delivery().deliver(self.run, told, self.wire, HERE, preferences)

    async def states(self) -> list[tuple[str, OutboxState]]:
        return [(entry.kind, entry.state) for entry in await self.outbox.of(self.run.id)]

    async def made(self, name: str, content: bytes, *, preview: bool = False) -> None:
        kind = ArtifactKind.PREVIEW if preview else ArtifactKind.OUTPUT
        artifact = await put_bytes(self.store.artifacts, content, name=name, kind=kind, run_id=self.run.id)
        saved = ArtifactSaved(
            run_id=self.run.id,
            artifact_id=artifact.id,
            name=name,
            size=len(content),
            deliverable=not preview,
            preview=preview,
        )
        await self.store.events.append(self.run.id, "ArtifactSaved", to_record(saved))

    async def _sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += timedelta(seconds=seconds * self.haste)
        await asyncio.sleep(0)


@dataclass
class Maker:
    folder: Path
    asked: list[tuple[Table, ...]] = field(default_factory=list[tuple[Table, ...]])

    async def make(self, run: Run, tables: Sequence[Table]) -> tuple[Delivered, ...]:
        del run
        self.asked.append(tuple(tables))
        names = [*(f"table-{n}.png" for n, _ in enumerate(tables, 1)), "tables.xlsx"]
        for name in names:
            (self.folder / name).write_bytes(name.encode())
        return tuple(Delivered(name=name, path=self.folder / name, size=len(name)) for name in names)


@asynccontextmanager
async def posting(settings: Settings, *, answer: str = "**42** it is.") -> AsyncGenerator[Post]:
    async with open_store(settings) as store:
        wire = Wire()
        progress = await FakeChat.post(wire, HERE, Message(text="Working", kind=MessageKind.PROGRESS))
        conversation = await store.conversations.get_or_create("fake", "7")
        run = await store.runs.create(
            conversation.id,
            "make something",
            language="en",
            request_message="100",
            progress_message=progress.message,
        )
        await store.runs.claim(run.id, "here:1:1")
        plan = PlanChanged(run_id=run.id, plan=PLAN)
        await store.events.append(run.id, "PlanChanged", to_record(plan))
        await store.runs.finish(run.id, RunStatus.FINISHED, answer=answer)
        post = Post(store, settings.data / "runs", await store.runs.get(run.id), wire)
        for name, content in FILES.items():
            await post.made(name, content)
        yield post


@pytest.fixture
async def post(settings: Settings) -> AsyncGenerator[Post]:
    async with posting(settings) as opened:
        yield opened


USUAL = ["settled", "headline", "answer", "parcel", "parcel"]


async def test_an_outcome_is_a_settled_line_a_headline_the_answer_in_it_and_the_files(post: Post) -> None:
    await post.deliver()
    assert post.wire.calls == USUAL
    assert post.wire.texts == ["✓ Done · 0 of 2 steps · 0:00", "**42** it is."]
    assert [message.kind for message in post.wire.messages["2"]] == [MessageKind.HEADLINE, MessageKind.ANSWER]
    assert post.wire.replies == {"2": "100"}
    assert [file.name for file in post.wire.files] == list(FILES)
    assert [file.path.read_bytes() for file in post.wire.files] == list(FILES.values())
    assert {state for _, state in await post.states()} == {OutboxState.SENT}
    assert (await post.store.runs.get(post.run.id)).progress_settled
    await post.deliver()
    assert post.wire.calls == USUAL


@pytest.mark.parametrize("number", range(len(USUAL)))
@pytest.mark.parametrize("when", ["before", "after"])
async def test_a_kill_at_any_call_leaves_one_answer_and_no_file_twice(
    post: Post, number: int, when: str
) -> None:
    getattr(post.wire, when)[number] = Killed()
    with pytest.raises(Killed):
        await post.deliver()
    await post.deliver()
    answers = [m for m in post.wire.last if m.kind is MessageKind.ANSWER]
    assert [message.text for message in answers] == ["**42** it is."]
    headlines = [m for m in post.wire.last if m.kind is MessageKind.HEADLINE]
    assert len(headlines) == (USUAL[number] == "headline" and when == "after")
    kinds = [message.kind for message in post.wire.messages["1"]]
    assert kinds[-1] is MessageKind.SETTLED
    assert set(kinds[kinds.index(MessageKind.SETTLED) :]) == {MessageKind.SETTLED}
    names = [file.name for file in post.wire.files]
    assert len(names) == len(set(names))
    missing = set(FILES) - set(names)
    notes = [m.text for m in post.wire.last if m.kind is MessageKind.NOTICE]
    assert len(notes) == (USUAL[number] == "parcel")
    assert bool(missing) == (USUAL[number] == "parcel" and when == "before")
    assert all("/resend" in note for note in notes)


async def test_a_second_kill_in_the_note_about_a_first_tells_it_once(post: Post) -> None:
    post.wire.after[3] = Killed()
    with pytest.raises(Killed):
        await post.deliver()
    post.wire.before[5] = Killed()
    with pytest.raises(Killed):
        await post.deliver()
    await post.deliver()
    assert [file.name for file in post.wire.files] == list(FILES)


@pytest.mark.parametrize("kind", ["settled", "headline", "answer", "parcel"])
async def test_a_busy_chat_is_left_alone_for_exactly_as_long_as_it_says(post: Post, kind: str) -> None:
    post.wire.kinds[kind] = [ChatBusy(7200)]
    await post.deliver()
    assert sum(post.slept) == pytest.approx(7200)
    assert post.wire.texts[-1] == "**42** it is."
    assert [file.name for file in post.wire.files] == list(FILES)
    assert post.holds.left(HERE) > 7000


async def test_a_pause_survives_the_end_of_the_process(post: Post) -> None:
    post.wire.kinds["headline"] = [ChatBusy(600)]
    slept = post.slept

    async def killed(seconds: float) -> None:
        slept.append(seconds)
        raise Killed

    post._sleep = killed  # pyright: ignore[reportAttributeAccessIssue]  # the process ends while it waits
    with pytest.raises(Killed):
        await post.deliver()
    del post._sleep
    post.now += timedelta(seconds=500)
    await post.deliver()
    assert slept[-1] == pytest.approx(100)
    assert post.wire.texts[-1] == "**42** it is."


async def test_an_answer_does_not_wait_for_a_progress_message_that_may_not_be_edited(post: Post) -> None:
    post.wire.kinds["settled"] = [ChatBusy(7200)]
    await post.deliver()
    assert post.wire.calls == ["settled", "headline", "answer", "parcel", "parcel", "settled"]


async def test_a_chat_out_of_reach_is_tried_with_growing_gaps(post: Post) -> None:
    post.wire.kinds["headline"] = [ChatUnreachable("refused") for _ in range(9)]
    await post.deliver()
    assert post.slept == pytest.approx([1, 2, 4, 8, 16, 32, 60, 60, 60], abs=0.01)
    assert post.wire.texts[-1] == "**42** it is."


async def test_a_chat_out_of_reach_for_a_day_is_given_up_and_nothing_lost(post: Post) -> None:
    for kind in ("settled", "headline", "answer", "parcel", "notice"):
        post.wire.kinds[kind] = [ChatUnreachable("down")] * 100
    post.haste, began = 60.0, post.now
    await post.deliver()
    assert timedelta(hours=24) <= post.now - began < timedelta(hours=26)
    assert {state for _, state in await post.states()} == {OutboxState.DEAD}
    post.wire.kinds.clear()
    told = RunFinished(run_id=post.run.id, answer="**42** it is.")
    await post.delivery().queue_again(post.run, told, post.wire)
    await post.delivery().send(post.run, post.wire, HERE)
    assert post.wire.texts[-1] == "**42** it is."
    assert [file.name for file in post.wire.files] == list(FILES)


async def test_an_edit_that_may_have_arrived_is_repeated(post: Post) -> None:
    post.wire.kinds["answer"] = [ChatUncertain("cut"), ChatError("odd")]
    await post.deliver()
    assert post.wire.calls.count("answer") == 3
    assert len(post.wire.messages) == 2


async def test_a_file_that_may_have_arrived_is_not_repeated_and_told_once(post: Post) -> None:
    post.wire.kinds["parcel"] = [ChatUncertain("cut"), ChatUncertain("cut")]
    await post.deliver()
    assert post.wire.files == []
    notes = [m.text for m in post.wire.last if m.kind is MessageKind.NOTICE]
    assert len(notes) == 1
    assert "/resend" in notes[0]
    told = RunFinished(run_id=post.run.id, answer="")
    assert await post.delivery().queue_again(post.run, told, post.wire) == 2
    await post.delivery().send(post.run, post.wire, HERE)
    assert [file.name for file in post.wire.files] == list(FILES)


async def test_a_bundle_that_did_not_arrive_is_sent_again_with_what_else_is_missing(post: Post) -> None:
    await post.deliver()
    kept = await put_bytes(post.store.artifacts, b"zip", name="b", kind=ArtifactKind.RECORD)
    bundle = FileRef("bundle.zip", kept.id)
    post.wire.kinds["parcel"] = [FileRefused("bundle.zip", "too big"), ChatRefused("no")]
    await post.delivery().queue_file(post.run, bundle)
    await post.delivery().send(post.run, post.wire, HERE)
    assert "/resend" in post.wire.last[-1].text
    told = RunFinished(run_id=post.run.id, answer="")
    for tries, arrived in enumerate(([*FILES], [*FILES, "bundle.zip"], [*FILES, "bundle.zip", *FILES])):
        await post.delivery().queue_again(post.run, told, post.wire)
        await post.delivery().send(post.run, post.wire, HERE)
        assert [file.name for file in post.wire.files] == arrived, tries


async def test_a_deleted_headline_is_posted_anew_once(post: Post) -> None:
    post.wire.kinds["answer"] = [MessageGone()]
    await post.deliver()
    assert post.wire.calls[:5] == ["settled", "headline", "answer", "headline", "answer"]
    assert [m.kind for m in post.wire.last][-2:] == [MessageKind.HEADLINE, MessageKind.ANSWER]


async def test_who_deletes_the_headline_again_gets_the_files_only(post: Post) -> None:
    post.wire.kinds["answer"] = [MessageGone(), MessageGone()]
    await post.deliver()
    assert post.wire.calls.count("headline") == 2
    assert [file.name for file in post.wire.files] == list(FILES)


async def test_a_deleted_progress_message_holds_up_nothing(post: Post) -> None:
    post.wire.kinds["settled"] = [MessageGone()]
    await post.deliver()
    assert post.wire.calls == USUAL


@pytest.mark.parametrize("fault", [ChatRefused("entities"), RuntimeError("a bug of the adapter")])
async def test_an_answer_that_is_refused_comes_as_plain_text(post: Post, fault: Exception) -> None:
    post.wire.kinds["answer"] = [fault]
    await post.deliver()
    last = post.wire.last[-1]
    assert (last.kind, last.text) == (MessageKind.NOTICE, "**42** it is.")


async def test_an_answer_that_is_refused_for_good_stops_no_file(post: Post) -> None:
    post.wire.kinds |= {"answer": [ChatRefused("no")], "notice": [ChatRefused("no")]}
    await post.deliver()
    assert ("answer", OutboxState.DEAD) in await post.states()
    assert [file.name for file in post.wire.files] == list(FILES)


async def test_a_refused_file_is_named_with_its_reason_and_the_others_come(post: Post) -> None:
    post.wire.parcels = lambda files: (tuple(files),)  # pyright: ignore[reportAttributeAccessIssue]  # all in one
    post.wire.kinds["parcel"] = [FileRefused("deck.pptx", "over 50 MB")]
    await post.deliver()
    assert [file.name for file in post.wire.files] == ["data.csv"]
    assert post.wire.texts[-1] == (
        "“deck.pptx” could not be handed over: over 50 MB. It is kept. /resend tries again."
    )


async def test_files_that_a_chat_does_not_take_at_all_are_told(post: Post) -> None:
    post.wire.kinds["parcel"] = [ChatRefused("no rights to send files")] * 2
    await post.deliver()
    assert "no rights to send files" in post.wire.texts[-1]


async def test_a_chat_that_is_gone_is_asked_once_and_the_result_kept(post: Post) -> None:
    post.wire.kinds["headline"] = [ChatGone("blocked")]
    await post.deliver()
    assert post.wire.calls == ["settled", "headline"]
    assert [state for _, state in await post.states()][1:] == [OutboxState.DEAD] * 4


async def test_two_runs_of_a_chat_do_not_mix(post: Post) -> None:
    delivery = post.delivery()
    second = await post.store.runs.create(post.run.conversation_id, "more", language="en")
    both = [
        delivery.deliver(run, RunFinished(run_id=run.id, answer=run.request), post.wire, HERE)
        for run in (post.run, second)
    ]
    post.wire.kinds["headline"] = [ChatBusy(60)]
    await asyncio.gather(*both)
    assert post.wire.calls in (
        ["settled", "headline", *USUAL[1:], "headline", "answer"],
        ["headline", "headline", "answer", *USUAL],
    )


@pytest.mark.parametrize(
    ("reason", "button"), [(FailureReason.MODEL, True), (FailureReason.CANCELLED, False)]
)
async def test_a_run_without_an_answer_says_why_offers_what_helps_and_brings_its_files(
    post: Post, reason: FailureReason, button: bool
) -> None:
    again = Button("Try again", "retry")
    post.retry = lambda run, chat: again
    failed = RunFailed(run_id=post.run.id, reason=reason, detail="timeout")
    await post.deliver(failed)
    assert post.wire.calls == ["settled", "failure" if button else "notice", "parcel", "parcel"]
    message = post.wire.last[-1]
    assert "The 2 files that were made are kept." in message.text
    assert message.buttons == (((again,),) if button else ())
    assert post.wire.texts[0].startswith("■ Cancelled" if not button else "✕ Stopped")


async def test_a_long_answer_is_two_messages_and_a_file(settings: Settings) -> None:
    async with posting(settings, answer="long " * 50) as post:
        post.wire.page_length = 60
        await post.deliver()
        assert post.wire.calls == [*USUAL[:3], "answer", "notice", *["parcel"] * 3]
        assert [m.page for m in post.wire.last if m.kind is MessageKind.ANSWER] == [0, 1]
        assert post.wire.files[0].path.read_text() == ("long " * 50).strip()
        assert "answer.md" in post.wire.texts[-1]


async def test_a_later_page_that_may_have_arrived_is_not_repeated(settings: Settings) -> None:
    async with posting(settings, answer="long " * 20) as post:
        post.wire.page_length = 60
        post.wire.after[3] = Killed()
        with pytest.raises(Killed):
            await post.deliver()
        await post.deliver()
        assert post.wire.calls.count("answer") == 2
        assert "/resend" in post.wire.texts[-1]


async def test_an_empty_answer_says_that_there_is_nothing_to_add(settings: Settings) -> None:
    async with posting(settings, answer="  \n") as post:
        await post.deliver()
        assert post.wire.texts[-1] == "Done. There is nothing to add to the files."


async def test_links_of_a_model_are_inert_and_those_of_the_person_are_not(settings: Settings) -> None:
    async with posting(settings, answer="![x](https://evil.com/?q=1) @all") as post:
        await post.deliver()
        assert post.wire.texts[-1] == "x – hxxps://evil[.]com/?q=1 ＠all"


WIDE = "| city | what people said about it in the survey |\n|---|---|\n| Rome | it was hot |\n"


async def test_a_wide_table_becomes_a_picture_and_a_workbook_once(settings: Settings) -> None:
    async with posting(settings, answer=f"Look:\n\n{WIDE}\nDone.") as post:
        post.maker = Maker(settings.data)
        post.wire.before[1] = Killed()
        with pytest.raises(Killed):
            await post.deliver()
        (settings.data / "tables.xlsx").unlink()
        await post.deliver()
        assert len(post.maker.asked) == 1
        assert post.wire.texts[-1] == "Look:\n\nTable 1: see the picture and tables.xlsx.\n\nDone."
        assert [file.name for file in post.wire.files] == ["table-1.png", "tables.xlsx", *FILES]


async def test_without_a_picture_a_wide_table_stays_in_the_text(settings: Settings) -> None:
    async with posting(settings, answer=WIDE) as post:
        await post.deliver()
        assert post.wire.texts[-1] == WIDE.strip()


async def test_a_chat_without_previews_gets_pictures_as_files(post: Post) -> None:
    await post.deliver(preferences=Preferences(previews=False, rich=True))
    assert all(file.as_file for file in post.wire.files)
    assert post.wire.last[-1].rich


async def test_previews_come_before_the_files_and_one_that_is_refused_is_not_missed(post: Post) -> None:
    for number in (1, 2):
        await post.made(f"deck.pptx-{number}.png", f"page {number}".encode(), preview=True)
    post.wire.kinds["parcel"] = [FileRefused("deck.pptx-1.png", "telegram-refused")]
    await post.deliver()
    assert [file.name for file in post.wire.files] == ["deck.pptx-2.png", *FILES]
    assert not any("deck.pptx-1.png" in text for text in post.wire.texts)


async def test_a_crash_while_previews_are_sent_doubles_none_and_keeps_no_file_back(post: Post) -> None:
    await post.made("deck.pptx-1.png", b"page 1", preview=True)
    post.wire.after[3] = Killed()
    with pytest.raises(Killed):
        await post.deliver()
    await post.deliver()
    assert [file.name for file in post.wire.files] == ["deck.pptx-1.png", *FILES]
    assert any("may be missing" in text or "broke off" in text for text in post.wire.texts)


async def test_a_terminal_shows_what_was_checked_and_no_previews(post: Post) -> None:
    await post.made("deck.pptx-1.png", b"page 1", preview=True)
    checked = ResultsVerified(run_id=post.run.id, verification=Verification(numerals=2, traced=2))
    await post.store.events.append(post.run.id, "ResultsVerified", to_record(checked))
    post.wire.lasting = False
    await post.deliver()
    assert post.wire.texts[-1] == "**42** it is.\n\n2 of 2 numbers traced"
    assert [file.name for file in post.wire.files] == [*FILES]


async def test_a_terminal_gets_the_answer_itself_and_again_after_a_crash(post: Post) -> None:
    post.wire.lasting = False
    post.wire.after[0] = Killed()
    with pytest.raises(Killed):
        await post.deliver()
    await post.deliver()
    assert post.wire.calls == ["answer", "answer", "parcel", "parcel"]


async def test_a_lost_file_is_told_and_stops_no_other(post: Post) -> None:
    post.wire.before[2] = Killed()
    with pytest.raises(Killed):
        await post.deliver()
    deck = next(a for a in await post.store.artifacts.of_run(post.run.id) if a.name == "data.csv")
    await post.store.artifacts.delete(deck.id)
    await post.deliver()
    assert "“data.csv” was made, but cannot be read" in post.wire.texts[-1]
    assert [file.name for file in post.wire.files] == ["deck.pptx"]


async def test_a_failure_is_told_even_when_no_receipt_can_be_kept(post: Post) -> None:
    class Full(Outbox):
        async def plan(self, run_id: RunId, parts: Sequence[OutboxPart]) -> tuple[OutboxEntry, ...]:
            raise DiskFull

    post.outbox_type = Full
    with pytest.raises(DiskFull):
        await post.deliver(RunFailed(run_id=post.run.id, reason=FailureReason.STORAGE))
    assert post.wire.last[-1].kind is MessageKind.FAILURE
