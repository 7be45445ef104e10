"""The chat's template for decks: /brand."""

from typing import Final

from bot import disarm, render
from bot.commands.parts import Asked, Parts, Reply
from sandbox.names import sendable_names
from storage.records import Brand

_OFF: Final = ("off", "none", "выкл", "убрать")


async def brand(asked: Asked, parts: Parts) -> Reply:
    """With a file it is that from now on; alone it is told; `off` takes it away.

    Raises:
        Refused: the file is no template.
    """
    here, t = asked.conversation, asked.t
    if asked.words and asked.words[0].casefold() in _OFF:
        if here.brand is None:
            return Reply(t("brand-none"))
        await parts.brands.drop(here)
        return Reply(t("brand-off"))
    if asked.incoming.attachments:
        return Reply(_told("brand-set", await parts.brands.adopt(here, asked.incoming), asked))
    return Reply(t("brand-none") if here.brand is None else _told("brand-is", here.brand, asked))


def _told(key: str, brand: Brand, asked: Asked) -> str:
    name = disarm.file_name(sendable_names([brand.original])[0])
    return asked.t(key, name=name, size=render.file_size(brand.size), layouts=brand.layouts)
