"""Nobody may use the bot until an admin says so, whatever kind of event they come with."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from bot.access import GUESSES, KNOCKS, Access, Verdict
from bot.chat import ChatKind, ChatRef, Event, Incoming, Joined, Left, Moved, Press, Sender
from bot.errors import Refused
from bot.stores import Store
from bot.texts import Language, texts
from storage.members import Allowance, Person, Role
from storage.people import People
from storage.records import RunStatus, Usage
from storage.runs import Runs
from storage.spending import Spending

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
USUAL = Allowance(runs_a_day=3, tokens_a_day=1000, runs_at_once=2)
ADMIN, MEMBER, DENIED, STRANGER = "1", "2", "3", "4"
ALLOWED_GROUP, STRANGE_GROUP = "-100", "-200"


class Clock:
    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def people(store: Store, clock: Clock) -> People:
    return People(store.database, clock)


@pytest.fixture
async def access(store: Store, people: People, clock: Clock) -> Access:
    return Access(people, Spending(store.database), usual=USUAL, clock=clock)


@pytest.fixture
async def town(access: Access) -> Access:
    """Somebody of each kind, and a group of each."""
    await access.allow("telegram", ADMIN, by="pairing", name="Ada", role=Role.ADMIN)
    await access.allow("telegram", MEMBER, by=ADMIN)
    await access.deny("telegram", DENIED, by=ADMIN)
    await access.allow_chat(ChatRef("telegram", ALLOWED_GROUP), by=ADMIN)
    return access


def group(chat: str, thread: str = "") -> ChatRef:
    return ChatRef("telegram", chat, thread)


def said(sender: str, chat: str | None = None, text: str = "hello", platform: str = "telegram") -> Incoming:
    kind = ChatKind.PRIVATE if chat is None else ChatKind.GROUP
    return Incoming(
        chat=ChatRef(platform, chat or sender or "9"),
        sender=Sender(id=sender, name="Ada"),
        text=text,
        kind=kind,
    )


def edited(sender: str, chat: str | None = None) -> Incoming:
    return replace(said(sender, chat), edited=True)


def forwarded(sender: str, chat: str | None = None) -> Incoming:
    return replace(said(sender, chat), forwarded=True)


def pressed(sender: str, chat: str | None = None) -> Press:
    kind = ChatKind.PRIVATE if chat is None else ChatKind.GROUP
    ref = ChatRef("telegram", chat or sender or "9", "77")
    return Press(chat=ref, sender=Sender(id=sender, name="Ada"), data="x", handle="h", kind=kind)


def added(sender: str, chat: str | None = None) -> Joined:
    return Joined(chat=group(chat or "-9"), sender=Sender(id=sender))


TABLE: dict[tuple[str, str | None], Verdict] = {
    (ADMIN, None): Verdict.ADMIN,
    (ADMIN, ALLOWED_GROUP): Verdict.ADMIN,
    (ADMIN, STRANGE_GROUP): Verdict.ADMIN,
    (MEMBER, None): Verdict.ALLOWED,
    (MEMBER, ALLOWED_GROUP): Verdict.ALLOWED,
    (MEMBER, STRANGE_GROUP): Verdict.STRANGER,
    (DENIED, None): Verdict.DENIED,
    (DENIED, ALLOWED_GROUP): Verdict.DENIED,
    (DENIED, STRANGE_GROUP): Verdict.DENIED,
    (STRANGER, None): Verdict.STRANGER,
    (STRANGER, ALLOWED_GROUP): Verdict.ALLOWED,
    (STRANGER, STRANGE_GROUP): Verdict.STRANGER,
    # who speaks for a whole group, or whom the platform does not name, is nobody's admin
    (ALLOWED_GROUP, ALLOWED_GROUP): Verdict.ALLOWED,
    (STRANGE_GROUP, STRANGE_GROUP): Verdict.STRANGER,
    ("", None): Verdict.DENIED,
    ("", ALLOWED_GROUP): Verdict.DENIED,
    # neither names nor other spellings of an id count
    ("Ada", None): Verdict.STRANGER,
    (" 1", None): Verdict.STRANGER,
    ("01", None): Verdict.STRANGER,
}


@pytest.mark.parametrize("make", [said, edited, forwarded, pressed])
async def test_78_whoever_says_or_presses_something_is_judged_by_id_and_place(
    town: Access, make: Callable[[str, str | None], Event]
) -> None:
    for _ in ("asked", "remembered"):
        assert {place: await town.judge(make(*place)) for place in TABLE} == TABLE


@pytest.mark.parametrize(
    ("event", "verdict"),
    [
        (added(ADMIN), Verdict.ADMIN),
        (added(MEMBER), Verdict.STRANGER),
        (added(STRANGER), Verdict.STRANGER),
        (added(DENIED), Verdict.DENIED),
        (added(""), Verdict.DENIED),
        (added(STRANGER, ALLOWED_GROUP), Verdict.ALLOWED),
        (Left(chat=group(ALLOWED_GROUP)), Verdict.ALLOWED),
        (Left(chat=group(MEMBER)), Verdict.ALLOWED),
        (Left(chat=group(STRANGE_GROUP)), Verdict.STRANGER),
        (Moved(chat=group(ALLOWED_GROUP), to=group("-7")), Verdict.ALLOWED),
        (Moved(chat=group(STRANGE_GROUP), to=group(ALLOWED_GROUP)), Verdict.STRANGER),
    ],
)
async def test_what_becomes_of_chats_is_judged_too(town: Access, event: Event, verdict: Verdict) -> None:
    assert await town.judge(event) is verdict


async def test_admins_read_what_people_call_themselves_now(town: Access, people: People) -> None:
    await town.allow("telegram", "77", by="1")
    for name in ("Eve", "Eve Adams"):
        said = Incoming(chat=ChatRef("telegram", "77"), sender=Sender(id="77", name=name), text="hello")
        assert await town.judge(said) is Verdict.ALLOWED
        person = await people.get("telegram", "77")
        assert person is not None
        assert (person.name, person.role, person.allowed_by) == (name, Role.MEMBER, "1")


async def test_a_right_on_one_platform_is_none_on_another(town: Access) -> None:
    assert await town.judge(said(ADMIN, platform="slack")) is Verdict.STRANGER
    assert await town.judge(said(STRANGER, ALLOWED_GROUP, platform="slack")) is Verdict.STRANGER


async def test_the_person_at_the_terminal_may_everything(access: Access) -> None:
    assert await access.judge(said("", platform="terminal")) is Verdict.ADMIN
    assert await access.admin("terminal", "")
    await access.may_begin(ChatRef("terminal", "here"), "")


async def test_a_right_that_is_taken_or_given_counts_at_once(town: Access) -> None:
    assert await town.judge(said(MEMBER)) is Verdict.ALLOWED
    await town.deny("telegram", MEMBER, by=ADMIN)
    assert await town.judge(said(MEMBER)) is Verdict.DENIED
    assert await town.judge(said(STRANGER, ALLOWED_GROUP)) is Verdict.ALLOWED
    await town.forbid_chat(group(ALLOWED_GROUP, "5"))
    assert await town.judge(said(STRANGER, ALLOWED_GROUP)) is Verdict.STRANGER


async def test_what_was_read_before_a_change_does_not_outlive_it(store: Store) -> None:
    asked, may_answer = asyncio.Event(), asyncio.Event()

    class SlowPeople(People):
        async def get(self, platform: str, person: str) -> Person | None:
            found = await super().get(platform, person)
            asked.set()
            await may_answer.wait()
            return found

    access = Access(SlowPeople(store.database), Spending(store.database), usual=USUAL)
    await access.allow("telegram", MEMBER, by=ADMIN)
    early = asyncio.create_task(access.judge(said(MEMBER)))
    await asked.wait()
    await access.deny("telegram", MEMBER, by=ADMIN)
    may_answer.set()
    await early
    assert await access.judge(said(MEMBER)) is Verdict.DENIED


async def test_the_first_admin_pairs_with_the_code_once(access: Access) -> None:
    code = await access.pairing_code("telegram")
    assert code is not None
    assert await access.judge(said(STRANGER)) is Verdict.STRANGER
    assert await access.pair(said(STRANGER, text=f"/start {code}"))
    assert await access.judge(said(STRANGER)) is Verdict.ADMIN
    assert not await access.pair(said("5", text=code))
    assert await access.pairing_code("telegram") is None


@pytest.mark.parametrize("form", ["{}", "/pair {}", "/start@my_bot {}", "  {} \n", "/START {}"])
async def test_the_code_may_come_in_several_forms(access: Access, form: str) -> None:
    code = await access.pairing_code("telegram")
    assert await access.pair(said(STRANGER, text=form.format((code or "").upper())))


@pytest.mark.parametrize("form", ["{}x", "my code is {}", "/allow {}", "{} {}", "/start"])
async def test_a_message_that_only_holds_the_code_is_none(access: Access, form: str) -> None:
    code = await access.pairing_code("telegram")
    assert not await access.pair(said(STRANGER, text=form.format(code, code)))


async def test_a_code_counts_neither_in_a_group_nor_edited_nor_forwarded(access: Access) -> None:
    code = await access.pairing_code("telegram") or ""
    assert not await access.pair(said(STRANGER, STRANGE_GROUP, text=code))
    private = said(STRANGER, text=code)
    assert not await access.pair(replace(private, edited=True))
    assert not await access.pair(replace(private, forwarded=True))
    assert await access.pair(private)


async def test_87_who_guesses_is_soon_not_heard_and_spoils_the_code_for_nobody_else(access: Access) -> None:
    code = await access.pairing_code("telegram") or ""
    for _ in range(GUESSES):
        assert not await access.pair(said("6", text="aaaaaaaa"))
    assert not await access.pair(said("6", text=code))
    assert await access.pair(said(STRANGER, text=code))


async def test_many_guessers_end_the_code(access: Access) -> None:
    code = await access.pairing_code("telegram") or ""
    for guesser in range(10):
        assert not await access.pair(said(str(100 + guesser), text="aaaaaaaa"))
    assert not await access.pair(said(STRANGER, text=code))


async def test_a_denied_person_does_not_pair(town: Access, people: People) -> None:
    code = await people.new_code("telegram")
    assert not await town.pair(said(DENIED, text=code))


async def test_admins_hear_of_a_stranger_once(town: Access) -> None:
    first = await town.knock(said(STRANGER))
    assert first is not None
    assert (first.line, [admin.id for admin in first.admins]) == ("access-stranger", [ADMIN])
    assert await town.knock(said(STRANGER)) is None
    assert await town.knock(pressed(STRANGER)) is None


async def test_who_comes_before_there_is_an_admin_hears_how_to_become_one(access: Access) -> None:
    first = await access.knock(said(STRANGER))
    assert first is not None
    assert (first.line, first.admins) == ("access-unpaired", ())


async def test_a_strange_group_gets_one_line_and_no_admin_is_told(town: Access) -> None:
    first = await town.knock(said(STRANGER, STRANGE_GROUP))
    assert first is not None
    assert (first.line, first.admins) == ("access-group", ())
    assert await town.knock(said("5", STRANGE_GROUP)) is None


async def test_a_crowd_of_strangers_does_not_flood_the_admins(town: Access, clock: Clock) -> None:
    knocks = [await town.knock(said(str(1000 + number))) for number in range(KNOCKS + 5)]
    assert sum(bool(knock and knock.admins) for knock in knocks) == KNOCKS
    clock.now += timedelta(hours=1)
    later = await town.knock(said("5000"))
    assert later is not None
    assert later.admins


async def test_a_group_is_allowed_by_an_admin_who_adds_the_bot_and_by_nobody_else(town: Access) -> None:
    assert not await town.joined(added(MEMBER, "-300"))
    assert await town.judge(said(STRANGER, "-300")) is Verdict.STRANGER
    assert await town.joined(added(ADMIN, "-300"))
    assert await town.judge(said(STRANGER, "-300")) is Verdict.ALLOWED
    assert await town.joined(added(STRANGER, "-300"))


async def test_a_group_with_a_new_address_stays_allowed_and_the_old_one_does_not(town: Access) -> None:
    assert await town.judge(said(STRANGER, "-7")) is Verdict.STRANGER
    await town.moved("telegram", ALLOWED_GROUP, "-7")
    assert await town.judge(said(STRANGER, "-7")) is Verdict.ALLOWED
    assert await town.judge(said(STRANGER, ALLOWED_GROUP)) is Verdict.STRANGER


class Bank:
    """Runs of some people in some chats."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self.store = store
        self.runs = Runs(store.database, clock)

    async def spend(self, sender: str, chat: str, *, tokens: int = 0, ended: bool = True) -> None:
        conversation = await self.store.conversations.get_or_create("telegram", chat)
        run = await self.runs.create(conversation.id, "go", language="en", sender=sender)
        await self.runs.add_usage(run.id, Usage(input_tokens=tokens))
        if ended:
            await self.runs.finish(run.id, RunStatus.FINISHED)


@pytest.fixture
def bank(store: Store, clock: Clock) -> Bank:
    return Bank(store, clock)


async def refused(access: Access, sender: str, chat: str) -> str:
    """The sentence, or nothing."""
    try:
        await access.may_begin(ChatRef.of("telegram", chat), sender)
    except Refused as refusal:
        return texts(Language.ENGLISH)(refusal.key, **refusal.facts)
    return ""


async def test_runs_of_a_day_are_counted_in_all_chats_and_free_again_after_24_hours(
    town: Access, bank: Bank, clock: Clock
) -> None:
    for chat in (MEMBER, ALLOWED_GROUP):
        await bank.spend(MEMBER, chat)
        clock.now += timedelta(hours=1)
    assert await refused(town, MEMBER, MEMBER) == ""
    await bank.spend(MEMBER, MEMBER)
    clock.now += timedelta(minutes=30)
    said_no = await refused(town, MEMBER, MEMBER)
    assert "3 runs within 24 hours" in said_no
    assert "21 h 30 min" in said_no
    assert said_no.endswith("Ada.")
    clock.now += timedelta(hours=21, minutes=31)
    assert await refused(town, MEMBER, MEMBER) == ""


async def test_tokens_are_free_again_when_enough_of_them_are_a_day_old(
    town: Access, bank: Bank, clock: Clock
) -> None:
    await bank.spend(MEMBER, MEMBER, tokens=300)
    clock.now += timedelta(hours=2)
    await bank.spend(MEMBER, MEMBER, tokens=1100)
    assert "24 h 0 min" in await refused(town, MEMBER, MEMBER)
    await town.limit("telegram", MEMBER, Allowance(tokens_a_day=1200))
    assert "22 h 0 min" in await refused(town, MEMBER, MEMBER)
    await town.limit("telegram", MEMBER, Allowance(tokens_a_day=1500))
    assert await refused(town, MEMBER, MEMBER) == ""


async def test_only_so_many_runs_of_one_person_are_under_way(town: Access, bank: Bank) -> None:
    for chat in ("-100/1", "-100/2"):
        assert await refused(town, STRANGER, chat) == ""
        await bank.spend(STRANGER, chat, ended=False)
    assert "2 runs of yours" in await refused(town, STRANGER, "-100/3")
    assert await refused(town, MEMBER, "-100/3") == ""


async def test_a_group_has_an_allowance_of_its_own_over_all_its_members_and_threads(
    town: Access, bank: Bank
) -> None:
    await town.limit("telegram", ALLOWED_GROUP, Allowance(runs_a_day=2))
    await bank.spend("21", "-100/1")
    await bank.spend("22", "-100/2")
    assert "This group has had 2 runs" in await refused(town, "23", "-100/3")
    assert await refused(town, MEMBER, MEMBER) == ""


async def test_an_allowance_of_nothing_is_one(town: Access, bank: Bank) -> None:
    await town.limit("telegram", MEMBER, Allowance(runs_a_day=0))
    assert "24 h 0 min" in await refused(town, MEMBER, MEMBER)
    await town.limit("telegram", MEMBER, Allowance(tokens_a_day=0))
    assert "24 h 0 min" in await refused(town, MEMBER, MEMBER)


async def test_admins_have_no_limits(town: Access, bank: Bank) -> None:
    for _ in range(5):
        await bank.spend(ADMIN, ADMIN, tokens=5000, ended=False)
    assert await refused(town, ADMIN, ADMIN) == ""


async def test_85_of_many_requests_at_once_none_slips_through(town: Access, bank: Bank) -> None:
    async def ask(number: int) -> bool:
        try:
            async with town.beginning(ChatRef("telegram", "-100", str(number)), MEMBER):
                await bank.spend(MEMBER, f"-100/{number}", ended=False)
        except Refused:
            return False
        return True

    assert sum(await asyncio.gather(*(ask(number) for number in range(6)))) == 2
