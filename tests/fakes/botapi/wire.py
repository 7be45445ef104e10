"""A request as it came over the wire, and the aiogram method that it must be, or a 400.

aiogram's models are generated from the Bot API's documentation: they are its rules of names and types. We
are stricter than Telegram in two ways, as both are mistakes: unknown fields and unused uploads are refused.
"""

import json
import mimetypes
import re
import types
from collections.abc import AsyncGenerator, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Union, get_args, get_origin

import aiogram.methods
from aiogram import Bot
from aiogram.methods import TelegramMethod
from aiogram.types import InputFile
from aiohttp import content_disposition_filename, parse_content_disposition, web
from aiohttp.helpers import parse_mimetype
from pydantic import BaseModel, ValidationError

from tests.fakes.botapi.errors import not_found, refuse

Method = TelegramMethod[Any]

METHODS: Mapping[str, type[Method]] = {
    kind.__api_method__.lower(): kind
    for kind in vars(aiogram.methods).values()
    if isinstance(kind, type) and issubclass(kind, TelegramMethod) and kind is not TelegramMethod
}

MISSING = {
    "chat_id": "chat_id is empty",
    "text": "message text is empty",
    "document": "there is no document in the request",
    "photo": "there is no photo in the request",
    "message_id": "message identifier is not specified",
}
"""Telegram's words for a field that it needs."""


class Upload(InputFile):
    """A file part of a request, byte for byte. Its type follows from its name, as at Telegram."""

    def __init__(self, name: str, data: bytes, mime: str) -> None:
        super().__init__(filename=name)
        self.name = name
        self.data = data
        self.mime = mime

    async def read(self, bot: Bot) -> AsyncGenerator[bytes]:
        yield self.data


@dataclass(slots=True)
class Received:
    """The fields as text (or as JSON values, from a JSON body), and the file parts by their field's name."""

    fields: dict[str, Any] = field(default_factory=dict)
    uploads: dict[str, Upload] = field(default_factory=dict)


async def receive(request: web.Request) -> Received:
    """All three bodies that the Bot API takes, and the query string."""
    received = Received(fields=dict(request.query))
    if request.content_type == "application/json":
        received.fields |= _object(await request.read())
    elif request.content_type.startswith("multipart/"):
        boundary = parse_mimetype(request.headers["Content-Type"]).parameters.get("boundary", "")
        for name, filename, data in _parts(await request.read(), boundary):
            if filename is None:
                received.fields[name] = _text(data)
            else:
                mime = mimetypes.guess_type(filename)[0] or "application/octet-stream"
                received.uploads[name] = Upload(filename, data, mime)
    else:
        received.fields |= {name: str(value) for name, value in (await request.post()).items()}
    return received


def _parts(body: bytes, boundary: str) -> Iterator[tuple[str, str | None, bytes]]:
    """The name, the file's name and the bytes of each part. aiohttp's own reader calls what it deprecates."""
    opening, *parts = (b"\r\n" + body).split(f"\r\n--{boundary}".encode())
    if opening or not parts or not parts[-1].startswith(b"--"):
        refuse("can't parse multipart/form-data")
    for part in parts[:-1]:
        head, _, data = part.removeprefix(b"\r\n").partition(b"\r\n\r\n")
        headers = dict(line.split(": ", 1) for line in _text(head).split("\r\n"))
        _, facts = parse_content_disposition(headers.get("Content-Disposition"))
        if "name" not in facts:
            refuse("can't parse multipart/form-data")
        yield facts["name"], content_disposition_filename(facts), data


def _object(body: bytes) -> dict[str, Any]:
    try:
        value = json.loads(body)
    except ValueError:
        value = None
    return value if isinstance(value, dict) else refuse("can't parse JSON object")


def _text(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return refuse("strings must be encoded in UTF-8")


def method_class(name: str) -> type[Method]:
    """Names of methods are not case-sensitive."""
    if name.lower() not in METHODS:
        raise not_found()
    return METHODS[name.lower()]


def decoded(kind: type[Method], received: Received) -> dict[str, Any]:
    """The fields as values, each upload in the place that it is attached to."""
    unused = set(received.uploads)
    values: dict[str, Any] = {}
    for name, raw in received.fields.items():
        if name not in kind.model_fields:
            refuse(f'unknown parameter "{name}"')
        value = _decoded(name, raw, kind.model_fields[name].annotation)
        values[name] = _attached(value, received.uploads, unused)
    for name in unused & set(kind.model_fields):
        values[name] = received.uploads[name]
        unused.discard(name)
    if unused:
        refuse(f"no field refers to the uploads {sorted(unused)}")
    return values


def build(kind: type[Method], values: dict[str, Any]) -> Method:
    try:
        method = kind.model_validate(values)
    except ValidationError as error:
        refuse(_words(error))
    _refuse_surplus(method, kind.__api_method__)
    return method


def _decoded(name: str, raw: Any, annotation: Any) -> Any:
    """A field that may be text is taken as text; all others are JSON."""
    if not isinstance(raw, str):
        return raw
    if name in ("chat_id", "from_chat_id") and re.fullmatch(r"-?\d+", raw):
        return int(raw)
    if str in _alternatives(annotation):
        return raw
    try:
        return json.loads(raw)
    except ValueError:
        words = f"can't parse {name} JSON object"
        refuse(words)


def _alternatives(annotation: Any) -> tuple[Any, ...]:
    return get_args(annotation) if get_origin(annotation) in (Union, types.UnionType) else (annotation,)


def _attached(value: Any, uploads: Mapping[str, Upload], unused: set[str]) -> Any:
    """With `attach://name` replaced by the file part of that name, however deep it is."""
    if isinstance(value, str) and value.startswith("attach://"):
        name = value.removeprefix("attach://")
        if name not in uploads:
            refuse(f'wrong file "{value}": no such part in the request')
        unused.discard(name)
        return uploads[name]
    if isinstance(value, list):
        return [_attached(item, uploads, unused) for item in value]
    if isinstance(value, dict):
        return {key: _attached(item, uploads, unused) for key, item in value.items()}
    return value


def _words(error: ValidationError) -> str:
    first = error.errors()[0]
    where = ".".join(str(step) for step in first["loc"])
    if first["type"] == "missing":
        return MISSING.get(where, f'parameter "{where}" is required')
    return f'can\'t parse parameter "{where}": {first["msg"]}'


def _refuse_surplus(value: Any, where: str) -> None:
    if isinstance(value, BaseModel):
        for name in value.model_extra or {}:
            refuse(f'unknown field "{name}" in {where}')
        for name in type(value).model_fields:
            _refuse_surplus(getattr(value, name), f"{where}.{name}")
    elif isinstance(value, list):
        for item in value:
            _refuse_surplus(item, where)
