"""Who may use the bot is known by the platform's id, and the first admin becomes one with a code."""

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from storage.database import Database
from storage.members import Allowance, Role
from storage.people import CODE_HOURS, CODE_TRIES, People

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


class Clock:
    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        return self.now


async def role(people: People, person: str, platform: str = "telegram") -> Role | None:
    found = await people.get(platform, person)
    return None if found is None else found.role


async def test_nobody_is_known_at_first(database: Database) -> None:
    people = People(database)
    assert await people.get("telegram", "5") is None
    assert await people.chat("telegram", "-1") is None
    assert await people.list("telegram") == ()
    assert await people.chats("telegram") == ()


async def test_a_role_is_given_on_one_platform_only(database: Database) -> None:
    people = People(database, Clock())
    await people.put("telegram", "5", Role.MEMBER, name="Аня", by="1")
    found = await people.get("telegram", "5")
    assert found is not None
    assert (found.role, found.name, found.allowed_by, found.at) == (Role.MEMBER, "Аня", "1", NOON)
    assert found.allowance == Allowance()
    assert await role(people, "5", "slack") is None


async def test_another_role_leaves_the_allowance_and_a_name_that_is_not_told(database: Database) -> None:
    people = People(database)
    await people.put("telegram", "5", Role.MEMBER, name="Ann", by="1")
    assert await people.limit("telegram", "5", Allowance(runs_a_day=3))
    await people.put("telegram", "5", Role.DENIED, name="", by="2")
    found = await people.get("telegram", "5")
    assert found is not None
    assert (found.role, found.name, found.allowed_by) == (Role.DENIED, "Ann", "2")
    assert found.allowance == Allowance(runs_a_day=3)


async def test_only_somebody_known_has_an_allowance(database: Database) -> None:
    people = People(database)
    assert not await people.limit("telegram", "5", Allowance(runs_a_day=3))
    assert not await people.limit_chat("telegram", "-1", Allowance(runs_a_day=3))
    assert await people.list("telegram") == ()


async def test_people_are_listed_in_the_order_of_their_coming(database: Database) -> None:
    clock = Clock()
    people = People(database, clock)
    for person in ("9", "3", "5"):
        await people.put("telegram", person, Role.MEMBER, name="", by="1")
        clock.now += timedelta(seconds=1)
    await people.put("slack", "U1", Role.MEMBER, name="", by="1")
    assert [person.id for person in await people.list("telegram")] == ["9", "3", "5"]
    await people.forget("telegram", "3")
    assert [person.id for person in await people.list("telegram")] == ["9", "5"]


async def test_a_group_is_allowed_again_with_the_allowance_that_it_had(database: Database) -> None:
    people = People(database, Clock())
    await people.allow_chat("telegram", "-1", title="Sales", by="1")
    assert await people.limit_chat("telegram", "-1", Allowance(tokens_a_day=9))
    await people.allow_chat("telegram", "-1", title="Sales 2", by="2")
    chat = await people.chat("telegram", "-1")
    assert chat is not None
    assert (chat.title, chat.allowed_by, chat.at) == ("Sales 2", "2", NOON)
    assert chat.allowance == Allowance(tokens_a_day=9)
    await people.forbid_chat("telegram", "-1")
    assert await people.chats("telegram") == ()


async def test_a_group_that_moves_takes_its_permission_along(database: Database) -> None:
    people = People(database)
    await people.allow_chat("telegram", "-1", title="Sales", by="1")
    await people.limit_chat("telegram", "-1", Allowance(runs_a_day=2))
    await people.move_chat("telegram", "-1", "-1001")
    await people.move_chat("telegram", "-1", "-1001")  # told twice
    (chat,) = await people.chats("telegram")
    assert (chat.chat, chat.title, chat.allowance) == ("-1001", "Sales", Allowance(runs_a_day=2))


async def test_a_group_that_moves_onto_a_known_one_leaves_that_as_it_is(database: Database) -> None:
    people = People(database)
    await people.allow_chat("telegram", "-1", title="old", by="1")
    await people.allow_chat("telegram", "-1001", title="new", by="2")
    await people.move_chat("telegram", "-1", "-1001")
    assert [(chat.chat, chat.title) for chat in await people.chats("telegram")] == [("-1001", "new")]


async def test_a_code_makes_one_person_an_admin_once(database: Database) -> None:
    people = People(database)
    code = await people.new_code("telegram")
    won = await asyncio.gather(
        *(people.redeem("telegram", f" {code.upper()} ", str(person), name="") for person in range(6))
    )
    assert sum(won) == 1
    assert [person.role for person in await people.list("telegram")] == [Role.ADMIN]
    assert [person.id for person in await people.list("telegram")] == [str(won.index(True))]


async def test_a_code_is_for_its_platform_and_void_once_there_is_a_newer_one(database: Database) -> None:
    people = People(database)
    old = await people.new_code("telegram")
    new = await people.new_code("telegram")
    assert not await people.redeem("slack", new, "5", name="")
    assert not await people.redeem("telegram", old, "5", name="")
    assert await people.redeem("telegram", new, "5", name="")


async def test_a_code_ends_with_its_time(database: Database) -> None:
    clock = Clock()
    people = People(database, clock)
    code = await people.new_code("telegram")
    clock.now += timedelta(hours=CODE_HOURS)
    assert not await people.redeem("telegram", code, "5", name="")
    clock.now -= timedelta(seconds=1)
    assert await people.redeem("telegram", code, "5", name="")


@pytest.mark.parametrize(("wrong", "works"), [(CODE_TRIES - 1, True), (CODE_TRIES, False)])
async def test_wrong_guesses_end_a_code(database: Database, wrong: int, works: bool) -> None:
    people = People(database)
    code = await people.new_code("telegram")
    for _ in range(wrong):
        assert not await people.redeem("telegram", "aaaaaaa\ud800", "6", name="")
    assert await people.redeem("telegram", code, "5", name="") is works


async def test_the_code_itself_is_not_kept(database: Database, database_file: Path) -> None:
    code = await People(database).new_code("telegram")

    assert not [path for path in database_file.parent.iterdir() if code.encode() in path.read_bytes()]


async def test_a_code_lifts_a_person_who_was_a_member(database: Database) -> None:
    people = People(database)
    await people.put("telegram", "5", Role.MEMBER, name="Ann", by="1")
    assert await people.redeem("telegram", await people.new_code("telegram"), "5", name="Ann")
    assert await role(people, "5") is Role.ADMIN
