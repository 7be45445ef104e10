"""People: who may use the bot, in which groups, how much of it, and how the first admin becomes one."""

import hashlib
import hmac
import secrets
from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime, timedelta

from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col, delete, select, update

from storage.database import Database
from storage.members import Allowance, AllowedChat, Person, Role
from storage.records import utc_now
from storage.tables import AllowedChatRow, PairingRow, PersonRow

CODE_TRIES = 10
"""Wrong guesses that end a pairing code. It has 40 bits."""
CODE_HOURS = 24
_CODE_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"


class People:
    def __init__(self, database: Database, clock: Callable[[], datetime] = utc_now) -> None:
        self._database = database
        self._clock = clock

    async def get(self, platform: str, person: str) -> Person | None:
        row = await self._database.read(lambda session: session.get(PersonRow, (platform, person)))
        return None if row is None else _person(row)

    async def list(self, platform: str) -> tuple[Person, ...]:
        """In the order of their coming."""
        query = select(PersonRow).where(col(PersonRow.platform) == platform)
        query = query.order_by(col(PersonRow.at), col(PersonRow.id))
        rows = await self._database.read(lambda session: session.scalars(query))
        return tuple(_person(row) for row in rows)

    async def put(self, platform: str, person: str, role: Role, *, name: str, by: str) -> None:
        """Give somebody a role; allowances stay as they are, and a name that nobody tells now."""
        fresh = insert(PersonRow).values(
            platform=platform,
            id=person,
            role=role,
            name=name,
            allowed_by=by,
            at=self._clock(),
            allowance=asdict(Allowance()),
        )
        told = {"name": name} if name else {}
        change = fresh.on_conflict_do_update(
            index_elements=["platform", "id"], set_={"role": role, "allowed_by": by, **told}
        )
        await self._database.write(lambda session: session.execute(change))

    async def rename(self, platform: str, person: str, name: str) -> None:
        """Nothing happens when nobody of that id is known."""
        change = update(PersonRow).where(col(PersonRow.platform) == platform, col(PersonRow.id) == person)
        await self._database.write(lambda session: session.execute(change.values(name=name)))

    async def limit(self, platform: str, person: str, allowance: Allowance) -> bool:
        """False when nobody of that id is known."""
        change = (
            update(PersonRow)
            .where(col(PersonRow.platform) == platform, col(PersonRow.id) == person)
            .values(allowance=asdict(allowance))
            .returning(col(PersonRow.id))
        )
        return await self._database.write(lambda session: session.scalar(change)) is not None

    async def forget(self, platform: str, person: str) -> None:
        gone = delete(PersonRow).where(col(PersonRow.platform) == platform, col(PersonRow.id) == person)
        await self._database.write(lambda session: session.execute(gone))

    async def chat(self, platform: str, chat: str) -> AllowedChat | None:
        row = await self._database.read(lambda session: session.get(AllowedChatRow, (platform, chat)))
        return None if row is None else _chat(row)

    async def chats(self, platform: str) -> tuple[AllowedChat, ...]:
        """In the order of their coming."""
        query = select(AllowedChatRow).where(col(AllowedChatRow.platform) == platform)
        query = query.order_by(col(AllowedChatRow.at), col(AllowedChatRow.chat))
        rows = await self._database.read(lambda session: session.scalars(query))
        return tuple(_chat(row) for row in rows)

    async def allow_chat(self, platform: str, chat: str, *, title: str, by: str) -> None:
        """Let a group's members use the bot there; an allowance that it has stays as it is."""
        values = {"title": title, "allowed_by": by}
        fresh = insert(AllowedChatRow).values(
            platform=platform, chat=chat, at=self._clock(), allowance=asdict(Allowance()), **values
        )
        change = fresh.on_conflict_do_update(index_elements=["platform", "chat"], set_=values)
        await self._database.write(lambda session: session.execute(change))

    async def limit_chat(self, platform: str, chat: str, allowance: Allowance) -> bool:
        """False when that group is not allowed."""
        change = (
            update(AllowedChatRow)
            .where(col(AllowedChatRow.platform) == platform, col(AllowedChatRow.chat) == chat)
            .values(allowance=asdict(allowance))
            .returning(col(AllowedChatRow.chat))
        )
        return await self._database.write(lambda session: session.scalar(change)) is not None

    async def move_chat(self, platform: str, chat: str, to: str) -> None:
        """The group has another id from now on. What is known of the new one counts more."""
        old = select(AllowedChatRow).where(
            col(AllowedChatRow.platform) == platform, col(AllowedChatRow.chat) == chat
        )

        async def move(session: AsyncSession) -> None:
            row = await session.scalar(old)
            if row is None:
                return
            if await session.get(AllowedChatRow, (platform, to)) is None:
                session.add(AllowedChatRow.model_validate(row.model_dump() | {"chat": to}))
            await session.delete(row)

        await self._database.write(move)

    async def forbid_chat(self, platform: str, chat: str) -> None:
        gone = delete(AllowedChatRow).where(
            col(AllowedChatRow.platform) == platform, col(AllowedChatRow.chat) == chat
        )
        await self._database.write(lambda session: session.execute(gone))

    async def new_code(self, platform: str) -> str:
        """A code that makes one person an admin, once. An older one is void from now on."""
        code = "".join(secrets.choice(_CODE_LETTERS) for _ in range(8))
        values = {
            "digest": _digest(code),
            "expires_at": self._clock() + timedelta(hours=CODE_HOURS),
            "tries_left": CODE_TRIES,
        }
        fresh = insert(PairingRow).values(platform=platform, **values)
        change = fresh.on_conflict_do_update(index_elements=["platform"], set_=values)
        await self._database.write(lambda session: session.execute(change))
        return code

    async def redeem(self, platform: str, code: str, person: str, *, name: str) -> bool:
        """Make `person` an admin if the code is the one in force. A wrong one uses up a try."""
        now = self._clock()

        async def take(session: AsyncSession) -> bool:
            row = await session.get(PairingRow, platform)
            if row is None or row.tries_left <= 0 or row.expires_at <= now:
                return False
            if not hmac.compare_digest(row.digest, _digest(code.strip().lower())):
                row.tries_left -= 1
                session.add(row)
                return False
            await session.delete(row)
            values = {"role": Role.ADMIN, "allowed_by": "pairing", "name": name}
            fresh = insert(PersonRow).values(
                platform=platform, id=person, at=now, allowance=asdict(Allowance()), **values
            )
            await session.execute(fresh.on_conflict_do_update(index_elements=["platform", "id"], set_=values))
            return True

        return await self._database.write(take)


def _digest(code: str) -> str:
    return hashlib.sha256(code.encode("utf-8", "backslashreplace")).hexdigest()


def _person(row: PersonRow) -> Person:
    return Person(
        platform=row.platform,
        id=row.id,
        role=Role(row.role),
        name=row.name,
        allowed_by=row.allowed_by,
        at=row.at,
        allowance=Allowance(**row.allowance),
    )


def _chat(row: AllowedChatRow) -> AllowedChat:
    return AllowedChat(
        platform=row.platform,
        chat=row.chat,
        title=row.title,
        allowed_by=row.allowed_by,
        at=row.at,
        allowance=Allowance(**row.allowance),
    )
