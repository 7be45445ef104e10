"""Commands answer at once, show nothing of other chats, and obey only those who may."""

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

import pytest

from agent.factbook import Fact
from agent.plan import Plan, Todo, TodoStatus
from bot.access import Access
from bot.buttons import Action
from bot.chat import Button, ChatKind, ChatRef, Incoming, Press, Sender
from bot.commands import MENU, Command, Commands, Erased, Parts, Reply, parse
from bot.commands.admins import introduction
from bot.commands.answer import HANDLERS
from bot.dispatch import JobState, Standing
from bot.ops.check import Check, Level, Subject
from bot.settings import Prices
from bot.snapshot import Outcome, Snapshot
from bot.stores import Store
from bot.texts import Language, texts
from storage.mail import OutboxPart
from storage.members import Allowance, Role
from storage.outbox import Outbox
from storage.people import People
from storage.records import (
    ArtifactId,
    Brand,
    Conversation,
    ConversationId,
    InputRef,
    Run,
    RunId,
    RunStatus,
    Usage,
)
from storage.runs import Runs
from storage.spending import Spending

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
ADMIN, ANN, BOB = "1", "2", "3"
GROUP = "-100"
EN, RU = texts(Language.ENGLISH), texts(Language.RUSSIAN)


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("/status", Command("status")),
        (" /CANCEL ", Command("cancel")),
        ("/plan@deckhand_bot", Command("plan")),
        ("/limits@bot 12345  runs=1 ", Command("limits", "12345  runs=1")),
        ("/new please", Command("new", "please")),
        ("/pair abcd", Command("start", "abcd")),
        ("/allow\n12", Command("allow", "12")),
        ("/dance", Command("dance")),
        ("/home/ann/data.csv look", None),
        ("status", None),
        ("1/2", None),
        ("", None),
    ],
)
def test_a_command_is_a_slash_and_a_word(text: str, command: Command | None) -> None:
    assert parse(text) == command


def test_every_command_of_the_menu_is_obeyed_and_described_in_both_languages() -> None:
    assert {spec.name for spec in MENU} == set(HANDLERS)
    for spec in MENU:
        assert 3 <= len(EN(spec.key)) <= 100
        assert 3 <= len(RU(spec.key)) <= 100


@dataclass(frozen=True)
class Kept:
    name: str
    size: int = 2048


@dataclass
class World:
    """What the commands need of the others, as fakes that remember."""

    store: Store
    now: datetime = NOON
    running: list[Standing] = field(default_factory=list[Standing])
    cancelled: list[RunId] = field(default_factory=list[RunId])
    welcomed: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    resent: list[tuple[RunId, bool]] = field(default_factory=list[tuple[RunId, bool]])
    erased: list[tuple[str, str, str, bool]] = field(default_factory=list[tuple[str, str, str, bool]])
    left: int = 0
    examined: int = 0
    files: dict[RunId, list[str]] = field(default_factory=dict[RunId, list[str]])
    stated: dict[RunId, Sequence[Fact]] = field(default_factory=dict[RunId, Sequence[Fact]])
    bundled: list[RunId] = field(default_factory=list[RunId])

    def __post_init__(self) -> None:
        database = self.store.database
        self.people = People(database, self.clock)
        self.access = Access(
            self.people, Spending(database), usual=Allowance(runs_a_day=50), clock=self.clock
        )
        self.outbox = Outbox(database)
        self.runs = Runs(database, self.clock)
        self.commands = Commands(
            Parts(
                access=self.access,
                people=self.people,
                spending=Spending(database),
                conversations=self.store.conversations,
                runs=self.runs,
                events=self.store.events,
                outbox=self.outbox,
                dispatcher=self,
                worker=self,
                made=self,
                buttons=self,
                resends=self,
                erases=self,
                welcomes=self,
                brands=self,
                bundles=self,
                facts=self.facts,
                examine=self.examine,
                prices=Prices(input=1.0, output=2.0),
                clock=self.clock,
            )
        )

    def clock(self) -> datetime:
        return self.now

    def standings(self, conversation_id: ConversationId | None = None) -> tuple[Standing, ...]:
        return tuple(one for one in self.running if conversation_id in (None, one.run.conversation_id))

    def cancel(self, run_id: RunId) -> bool:
        self.cancelled.append(run_id)
        return True

    def snapshot(self, run_id: RunId) -> Snapshot | None:
        todos = (Todo(id="a", title="a", status=TodoStatus.DONE), Todo(id="b", title="b"))
        return Snapshot(plan=Plan(todos=todos), tokens=1234)

    async def of(self, run_id: RunId, /) -> tuple[Sequence[Kept], Sequence[str]]:
        return [Kept(name) for name in self.files.get(run_id, ())], ()

    def button(self, chat: ChatRef, text: str, action: Action, subject: str, choice: str = "") -> Button:
        said = ".".join((action, subject, choice))
        mac = hashlib.sha256(f"{chat}{said}".encode()).digest()[:16]
        data = f"{said}.{base64.urlsafe_b64encode(mac).decode().rstrip('=')}"
        assert data.count(".") == 3
        assert len(data.encode("ascii")) <= 64
        return Button(text, data)

    async def welcome(self, platform: str, person: str) -> None:
        self.welcomed.append((platform, person))

    async def resend(self, run: Run, outcome: Outcome, *, everything: bool = False) -> int:
        self.resent.append((run.id, everything))
        return 2

    async def erase_person(self, platform: str, person: str, *, rights: bool = False) -> Erased:
        self.erased.append(("person", platform, person, rights))
        return Erased(3, self.left)

    async def erase_chat(self, platform: str, chat: str) -> Erased:
        self.erased.append(("chat", platform, chat, False))
        return Erased(1, self.left)

    async def adopt(self, conversation: Conversation, incoming: Incoming) -> Brand:
        raise NotImplementedError

    async def drop(self, conversation: Conversation) -> None:
        await self.store.conversations.set_brand(conversation.id, None)

    async def send(self, run: Run) -> bool:
        self.bundled.append(run.id)
        return True

    async def facts(self, run_id: RunId) -> Sequence[Fact]:
        return self.stated.get(run_id, ())

    async def examine(self) -> Sequence[Check]:
        self.examined += 1
        return [
            Check(Subject.ENGINE, Level.OK, "doctor-engine-ok"),
            Check(Subject.MODEL, Level.WARNING, "doctor-model-offline"),
        ]

    def say(self, text: str, sender: str = ANN, chat: str | None = None, **more: str) -> Incoming:
        return Incoming(
            chat=ChatRef.of("telegram", chat or sender),
            sender=Sender(id=sender, name="Ann"),
            text=text,
            kind=ChatKind.PRIVATE if chat is None else ChatKind.GROUP,
            reply_to=more.get("reply_to"),
            title="Sales",
        )

    async def ask(self, said: Incoming) -> Reply:
        command = parse(said.text)
        assert command is not None
        return await self.commands.obey(command, said, EN)

    async def answer(self, text: str, sender: str = ANN, chat: str | None = None, **more: str) -> str:
        return (await self.ask(self.say(text, sender, chat, **more))).text

    async def run(
        self, request: str, sender: str = ANN, chat: str | None = None, *, ended: bool = True, files: str = ""
    ) -> Run:
        self.now += timedelta(milliseconds=1)  # so that the order is known
        place = await self.store.conversations.get_or_create("telegram", chat or sender)
        inputs = [
            InputRef(name=name, original=name, artifact_id=ArtifactId("a"), size=10) for name in files.split()
        ]
        run = await self.runs.create(place.id, request, language="en", sender=sender, inputs=inputs)
        if ended:
            await self.runs.finish(run.id, RunStatus.FINISHED, answer="42")
        return await self.runs.get(run.id)

    async def work(self, request: str, sender: str, chat: str | None, state: JobState, ahead: int = 0) -> Run:
        run = await self.run(request, sender, chat, ended=False)
        self.running.append(Standing(run=run, state=state, ahead=ahead))
        return run

    async def press(
        self, button: Button, sender: str = ANN, chat: str | None = None, *, where: str = ""
    ) -> Reply:
        action, subject, choice, _ = button.data.split(".")
        kind = ChatKind.PRIVATE if chat is None else ChatKind.GROUP
        ref = ChatRef.of("telegram", where or chat or sender)
        press = Press(chat=ref, sender=Sender(id=sender), data=button.data, handle="h", kind=kind)
        return await self.commands.press(Action(action), subject, choice, press, EN)


@pytest.fixture
async def world(store: Store) -> World:
    world = World(store)
    await world.access.allow("telegram", ADMIN, by="pairing", name="Ada", role=Role.ADMIN)
    await world.access.allow("telegram", ANN, by=ADMIN, name="Ann")
    await world.access.allow_chat(ChatRef("telegram", GROUP), by=ADMIN, title="Sales")
    return world


def only(reply: Reply) -> Button:
    ((button,),) = reply.buttons
    return button


async def test_start_says_what_to_send_and_what_becomes_of_it(world: World) -> None:
    said = await world.commands.obey(Command("start"), world.say("/start"), RU)
    assert "Пришлите" in said.text
    assert "/delete" in said.text


async def test_help_tells_admins_of_their_commands_where_they_can_use_them(world: World) -> None:
    assert "/allow" not in await world.answer("/help")
    assert "/allow" not in await world.answer("/help", ADMIN, GROUP)
    assert "/allow" in await world.answer("/help", ADMIN)
    assert "/status" in await world.answer("/help", ANN, GROUP)


async def test_an_unknown_command_gets_a_kind_word_and_the_list(world: World) -> None:
    text = await world.answer("/dance")
    assert text.startswith("I do not know")
    assert "/status" in text


async def test_status_tells_of_this_conversation_alone(world: World) -> None:
    await world.work("count the rows", ANN, None, JobState.WORKING)
    await world.work("then a deck", ANN, None, JobState.QUEUED, ahead=1)
    await world.work("secret of a group", BOB, GROUP, JobState.WORKING)
    world.now += timedelta(minutes=3)
    first, second = (await world.answer("/status")).splitlines()
    assert first.startswith("1. Working on “count the rows” for 3:00: 1 of 2 steps done")
    assert second.startswith("2. Waiting: “then a deck” (one run comes first")
    assert "secret" in await world.answer("/status", ANN, GROUP)
    assert await world.answer("/status", BOB, f"{GROUP}/7") == EN("status-idle")


async def test_an_admin_in_private_reads_how_busy_the_machine_is_and_not_with_what(world: World) -> None:
    await world.work("secret", ANN, None, JobState.WORKING)
    await world.work("secret", BOB, GROUP, JobState.QUEUED)
    text = await world.answer("/status", ADMIN)
    assert "1 at work, 1 waiting" in text
    assert "secret" not in text
    assert "whole machine" not in await world.answer("/status", ADMIN, GROUP)


async def test_plan_tells_all_of_the_newest_plan_or_of_the_one_replied_to(world: World) -> None:
    assert await world.answer("/plan") == EN("plan-none")
    runs = [await world.run("first"), await world.run("second")]
    for run, title in zip(runs, ("Old", "New"), strict=True):
        todo = Todo(
            id="t", title=title, skills=("eda",), inputs=("a.csv",), success="checked", outputs=("b.pptx",)
        )
        await world.store.events.append(
            run.id, "PlanChanged", {"plan": Plan(todos=(todo,)).model_dump(mode="json")}
        )
    (entry,) = await world.outbox.plan(runs[0].id, [OutboxPart(kind="page", payload={})])
    await world.outbox.sent(entry, "70")
    text = await world.answer("/plan")
    assert all(word in text for word in ("New", "eda", "a.csv", "checked", "b.pptx"))
    assert "Old" in await world.answer("/plan", reply_to="70")
    assert await world.answer("/plan", BOB, GROUP, reply_to="70") == EN("plan-none")


async def test_cancel_stops_what_one_asked_for_here_and_says_what(world: World) -> None:
    mine = await world.work("mine here", ANN, GROUP, JobState.WORKING)
    await world.work("of Bob", BOB, GROUP, JobState.QUEUED)
    await world.work("mine elsewhere", ANN, None, JobState.WORKING)
    text = await world.answer("/cancel", ANN, GROUP)
    assert world.cancelled == [mine.id]
    assert "mine here" in text
    assert "Bob" not in text


async def test_an_admin_stops_everything_here(world: World) -> None:
    runs = [await world.work("x", person, GROUP, JobState.WORKING) for person in (ANN, BOB)]
    await world.answer("/cancel", ADMIN, GROUP)
    assert world.cancelled == [run.id for run in runs]


async def test_cancel_with_a_number_or_as_a_reply_stops_one(world: World) -> None:
    first, second, third = [await world.work(str(n), ANN, None, JobState.QUEUED) for n in range(3)]
    await world.runs.show_progress_in(third.id, "80")
    await world.answer("/cancel 2")
    await world.answer("/cancel", reply_to="80")
    assert world.cancelled == [second.id, third.id]
    for word in ("9", "0", "two", "-1", "²"):
        assert "3 runs here" in await world.answer(f"/cancel {word}")
    assert first.id not in world.cancelled


async def test_nobody_stops_a_run_of_another_member(world: World) -> None:
    await world.work("of Bob", BOB, GROUP, JobState.WORKING)
    assert await world.answer("/cancel 1", ANN, GROUP) == EN("cancel-not-yours")
    assert world.cancelled == []
    assert await world.answer("/cancel", ANN) == EN("status-idle")


async def test_files_are_those_of_this_conversation_since_it_was_begun(world: World) -> None:
    run = await world.run("one", files="sales.csv")
    world.files[run.id] = ["deck.pptx"]
    await world.run("two", ANN, GROUP, files="group.csv")
    text = await world.answer("/files")
    assert "sales.csv — 10 B" in text
    assert "deck.pptx — 2.0 KB" in text
    assert "group.csv" not in text
    assert "sales" not in await world.answer("/files", ANN, GROUP)
    await world.answer("/new")
    assert await world.answer("/files") == EN("files-none")


async def test_a_long_list_of_files_is_cut(world: World) -> None:
    await world.run("one", files=" ".join(f"{number}.csv" for number in range(33)))
    text = await world.answer("/files")
    assert len(text.splitlines()) == 32
    assert text.endswith("… and 3 more")


async def test_resend_is_for_the_newest_run_that_has_ended_here_or_the_one_replied_to(world: World) -> None:
    assert await world.answer("/resend") == EN("resend-none")
    old = await world.run("old")
    new = await world.run("new")
    waiting = await world.run("later", ended=False)
    await world.run("elsewhere", BOB)
    await world.runs.delivered(new.id)
    await world.runs.show_progress_in(old.id, "82")
    await world.runs.show_progress_in(waiting.id, "83")
    assert await world.answer("/resend all") == EN("resending")
    await world.answer("/resend", reply_to="82")
    assert await world.answer("/resend", reply_to="83") == EN("resend-too-early")
    assert world.resent == [(new.id, True), (old.id, False)]


async def test_usage_is_ones_own_and_in_a_group_only_of_there(world: World) -> None:
    for sender, chat, tokens in ((ANN, None, 1_000_000), (ANN, GROUP, 10), (BOB, GROUP, 500)):
        run = await world.run("x", sender, chat)
        await world.runs.add_usage(run.id, Usage(input_tokens=tokens))
    world.now += timedelta(days=2)
    run = await world.run("y")
    await world.runs.add_usage(run.id, Usage(output_tokens=500_000))
    day, month = (await world.answer("/usage")).splitlines()
    assert "one run, 500,000 tokens, price 1.00" in day
    assert "3 runs, 1,500,010 tokens, price 2.00" in month
    in_group = await world.answer("/usage", ANN, GROUP)
    assert "one run, 10 tokens" in in_group
    assert "Bob" not in in_group
    assert f"Ann ({ANN}): 3 runs" in await world.answer("/usage", ADMIN)
    assert "Ann" not in await world.answer("/usage", ADMIN, GROUP)


async def test_a_language_is_chosen_by_word_or_button_and_stays(world: World) -> None:
    here = await world.store.conversations.get_or_create("telegram", ANN)

    async def chosen() -> str | None:
        return (await world.store.conversations.get(here.id)).language

    assert "по-русски" in await world.answer("/language русский")
    assert await chosen() == "ru"
    reply = await world.ask(world.say("/language"))
    (row,) = reply.buttons
    assert [button.text for button in row] == ["English", "✓ Русский", "As you write"]
    await world.press(row[0])
    assert await chosen() == "en"
    await world.press(row[2])
    assert await chosen() is None


async def test_settings_switch_with_each_press(world: World) -> None:
    reply = await world.ask(world.say("/settings"))
    assert [row[0].text for row in reply.buttons[:2]] == [
        "Rich formatting (newer apps only): off",
        "Pictures before the files: on",
    ]
    reply = await world.press(reply.buttons[0][0])
    reply = await world.press(reply.buttons[1][0])
    here = await world.store.conversations.get_or_create("telegram", ANN)
    assert (here.preferences.rich, here.preferences.previews) == (True, False)
    assert reply.buttons[1][0].text.endswith("off")


@pytest.mark.parametrize("spec", [spec.name for spec in MENU if spec.admin])
async def test_87_what_is_for_admins_is_for_nobody_else_nowhere_else_and_not_passed_on(
    world: World, spec: str
) -> None:
    text = f"/{spec} {BOB}"
    assert await world.answer(text) == EN("command-admins-only")
    assert await world.answer(text, ANN, GROUP) == EN("command-admins-only")
    if spec != "allow":
        assert await world.answer(text, ADMIN, GROUP) == EN("command-in-private")
    for changed in ("forwarded", "edited"):
        said = replace(world.say(text, ADMIN), **{changed: True})
        assert (await world.ask(said)).text == EN("command-said-anew")
    assert await world.people.get("telegram", BOB) is None
    assert world.examined == 0


async def test_an_admin_lets_people_in_by_id_or_by_something_that_they_wrote(world: World) -> None:
    await world.answer(f"/allow {BOB}", ADMIN)
    said = replace(world.say("/allow", ADMIN), reply_author=Sender(id="77", name="Cleo"))
    await world.ask(said)
    in_group = replace(world.say("/allow", ADMIN, "-5"), reply_author=Sender(id="78", name="Dan"))
    await world.ask(in_group)
    found = {person.id: (person.role, person.name) for person in await world.people.list("telegram")}
    assert found[BOB] == (Role.MEMBER, "")
    assert found["77"] == (Role.MEMBER, "Cleo")
    assert found["78"] == (Role.MEMBER, "Dan")
    assert await world.people.chat("telegram", "-5") is None


@pytest.mark.parametrize("whom", ["", "@bob", "bob", "Bob", "12 345x", "12;34", "１２"])
async def test_a_name_lets_nobody_in(world: World, whom: str) -> None:
    before = await world.people.list("telegram")
    text = await world.answer(f"/allow {whom}", ADMIN)
    assert text == EN("whom-missing", command="/allow 12345") or whom == "12 345x"
    after = await world.people.list("telegram")
    assert {person.id for person in after} - {person.id for person in before} <= {"12"}


async def test_another_admin_is_made_and_none_is_unmade_by_being_let_in(world: World) -> None:
    await world.answer(f"/allow {BOB} admin", ADMIN)
    assert await world.access.admin("telegram", BOB)
    assert await world.answer(f"/allow {ADMIN}", BOB) == EN("allowed-already")
    assert await world.access.admin("telegram", ADMIN)


async def test_an_admin_lets_a_group_in_there_and_turns_it_away_by_its_id(world: World) -> None:
    assert await world.answer("/allow", ADMIN, "-5/9") == EN("allowed-group")
    chat = await world.people.chat("telegram", "-5")
    assert chat is not None
    assert (chat.title, chat.allowed_by) == ("Sales", ADMIN)
    await world.answer("/deny -5", ADMIN)
    assert await world.people.chat("telegram", "-5") is None
    assert await world.answer("/allow -5", ADMIN) == EN("allowed-group-there")


async def test_an_admin_turns_people_away_but_not_themselves(world: World) -> None:
    await world.answer(f"/deny {ANN}", ADMIN)
    assert await world.answer(f"/deny {ADMIN}", ADMIN) == EN("denied-yourself")
    text = await world.answer("/users", ADMIN)
    assert "Admins:\nAda (1)" in text
    assert "Turned away:\nAnn (2)" in text
    assert "Groups:\nSales (-100)" in text


async def test_a_stranger_is_let_in_or_turned_away_with_a_button_once(world: World) -> None:
    admin = ChatRef("telegram", ADMIN)
    stranger = Sender(id=BOB, name="Bob\u202e\n/allow 666 " + "x" * 99)
    reply = introduction(stranger, admin, world, EN)
    ((yes, no),) = reply.buttons
    assert "\u202e" not in reply.text
    assert "\n" not in reply.text
    assert (await world.press(yes, ANN)).text == EN("command-admins-only")
    assert (await world.press(yes, ADMIN, GROUP)).text == EN("command-admins-only")
    assert await world.people.get("telegram", BOB) is None
    await world.press(yes, ADMIN)
    assert (await world.press(no, ADMIN)).text == EN("button-old")
    person = await world.people.get("telegram", BOB)
    assert person is not None
    assert person.role is Role.MEMBER
    assert world.welcomed == [("telegram", BOB)]


async def test_limits_are_told_set_and_taken_back(world: World) -> None:
    assert "runs=50, tokens=usual" in await world.answer("/limits", ADMIN)
    assert await world.answer("/limits 999", ADMIN) == EN("limits-unknown")
    await world.answer(f"/limits {ANN} runs=10 tokens=1000000 at_once=2", ADMIN)
    assert (
        await world.answer(f"/limits {ANN} runs=usual", ADMIN) == "2: runs=usual, tokens=1000000, at_once=2"
    )
    person = await world.people.get("telegram", ANN)
    assert person is not None
    assert person.allowance == Allowance(tokens_a_day=1_000_000, runs_at_once=2)
    await world.answer(f"/limits {GROUP} runs=3", ADMIN)
    chat = await world.people.chat("telegram", GROUP)
    assert chat is not None
    assert chat.allowance == Allowance(runs_a_day=3)
    for wrong in ("runs=-1", "runs=many", "files=3", "runs"):
        assert await world.answer(f"/limits {ANN} at_once=9 {wrong}", ADMIN) == EN("limits-how")
    assert (await world.people.get("telegram", ANN)) == person


async def test_doctor_tells_in_short_what_is_missing(world: World) -> None:
    text = await world.answer("/doctor", ADMIN)
    assert [line[0] for line in text.splitlines()] == ["✓", "!"]


async def test_a_person_deletes_their_own_data_after_one_more_press(world: World) -> None:
    reply = await world.ask(world.say("/delete me"))
    assert world.erased == []
    assert (await world.press(only(reply))).text.startswith("Deleted, with 3 runs.")
    reply = await world.ask(world.say("/delete me", ANN, GROUP))
    await world.press(only(reply), ANN, GROUP)
    assert world.erased == [("person", "telegram", ANN, False)] * 2


async def test_nobody_else_presses_that_button(world: World) -> None:
    reply = await world.ask(world.say("/delete me", ANN, GROUP))
    for other in (BOB, ADMIN):  # an admin does such things in private
        assert (await world.press(only(reply), other, GROUP)).text == EN("delete-not-yours")
    assert world.erased == []


async def test_a_question_of_yesterday_deletes_nothing(world: World) -> None:
    reply = await world.ask(world.say("/delete me"))
    world.now += timedelta(hours=1, minutes=1)
    assert (await world.press(only(reply))).text == EN("button-old")
    assert world.erased == []


@pytest.mark.parametrize(
    ("text", "erased"),
    [
        ("/delete 77", ("person", "telegram", "77", False)),
        ("/delete 77 rights", ("person", "telegram", "77", True)),
        ("/delete -100", ("chat", "telegram", "-100", False)),
        ("/delete here", ("chat", "telegram", ADMIN, False)),
    ],
)
async def test_an_admin_deletes_anybodys_data_in_private(
    world: World, text: str, erased: tuple[str, str, str, bool]
) -> None:
    reply = await world.ask(world.say(text, ADMIN))
    await world.press(only(reply), ADMIN)
    assert world.erased == [erased]


@pytest.mark.parametrize(
    ("text", "sender", "chat", "key"),
    [
        ("/delete", ANN, None, "delete-how"),
        ("/delete", ADMIN, None, "delete-how-admin"),
        ("/delete @bob", ADMIN, None, "delete-how-admin"),
        ("/delete 77", ANN, None, "command-admins-only"),
        ("/delete here", ANN, GROUP, "command-admins-only"),
        ("/delete here", ADMIN, GROUP, "command-in-private"),
        ("/delete 77", ADMIN, GROUP, "command-in-private"),
    ],
)
async def test_other_deletions_are_explained_or_refused(
    world: World, text: str, sender: str, chat: str | None, key: str
) -> None:
    reply = await world.ask(world.say(text, sender, chat))
    assert (reply.text, reply.buttons) == (EN(key), ())


async def test_a_member_may_delete_their_private_chat_and_no_other(world: World) -> None:
    reply = await world.ask(world.say("/delete here"))
    assert (await world.press(only(reply), BOB)).text == EN("delete-not-yours")
    assert (await world.press(only(reply))).text.startswith("Deleted, with one run.")


async def test_what_is_still_stopping_is_told(world: World) -> None:
    world.left = 1
    reply = await world.ask(world.say("/delete me"))
    assert "one is still stopping" in (await world.press(only(reply))).text


@pytest.mark.parametrize(
    ("action", "subject", "choice"),
    [
        ("dance", "", ""),
        (Action.LANGUAGE, "", "xx"),
        (Action.SETTING, "admin", "on"),
        (Action.SETTING, "rich", "maybe"),
        (Action.ERASE, ANN, "p"),
        (Action.ERASE, ANN, "x99999999"),
        (Action.ERASE, ANN, ""),
    ],
)
async def test_a_button_of_another_version_does_nothing(
    world: World, action: Action, subject: str, choice: str
) -> None:
    press = Press(chat=ChatRef("telegram", ANN), sender=Sender(id=ANN), data="", handle="h")
    assert (await world.commands.press(action, subject, choice, press, EN)).text == EN("button-old")
    assert world.erased == []
