"""Answers to the operations, each a few lines over the sandbox's own contract."""

import asyncio
import os
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from typing import TypeVar

import structlog
from aiohttp import web
from pydantic import BaseModel, ValidationError

from sandbox.errors import NoSuchFile
from sandbox.names import split_path
from sandbox.policy import Policy
from sandbox.service import wire
from sandbox.service.errors import Refused
from sandbox.service.metrics import CONTENT_TYPE, Metrics
from sandbox.service.openapi import document
from sandbox.service.sessions import HostedSession, Sessions
from sandbox.service.wire import ErrorCode, Place

BODY_SECONDS = 30.0
"""For a JSON body, and between two pieces of a file."""
_PIECE = 256 << 10
_log = structlog.get_logger()

ModelT = TypeVar("ModelT", bound=BaseModel)


class Api:
    """A method per operation, named as in `operations.OPERATIONS`."""

    def __init__(self, sessions: Sessions, policies: Mapping[str, Policy], metrics: Metrics) -> None:
        self._sessions = sessions
        self._policies = policies
        self._metrics = metrics
        self._document = document()

    async def health(self, request: web.Request) -> web.Response:
        del request
        return _answer(wire.Health())

    async def metrics(self, request: web.Request) -> web.Response:
        del request
        return web.Response(body=self._metrics.text(), headers={"Content-Type": CONTENT_TYPE})

    async def openapi(self, request: web.Request) -> web.Response:
        del request
        return web.json_response(self._document)

    async def policies(self, request: web.Request) -> web.Response:
        del request
        found = (
            wire.PolicyInfo(
                name=name,
                limits=limits_of(policy),
                exceptions=policy.exceptions,
                suffixes=policy.container.suffixes,
            )
            for name, policy in self._policies.items()
        )
        return _answer(wire.Policies(policies=tuple(found)))

    async def create(self, request: web.Request) -> web.Response:
        asked = await _body(request, wire.CreateSession)
        session = await self._sessions.create(asked.policy, asked.owner)
        self._metrics.created(session.policy_name)
        return _answer(self._described(session), status=201)

    async def session(self, request: web.Request) -> web.Response:
        with self._session(request).request():
            return _answer(self._described(self._session(request)))

    async def close(self, request: web.Request) -> web.Response:
        await self._sessions.close(self._session(request))
        return web.Response(status=204)

    async def put(self, request: web.Request) -> web.Response:
        session, path = self._session(request), request.query["path"]
        session.filling()
        try:
            place = Place(request.match_info["place"])
        except ValueError:
            message = f"files go to {', '.join(Place)}"
            raise Refused(ErrorCode.NO_SUCH_ROUTE, message) from None
        if (size := request.content_length) is None:
            message = "a file comes with its Content-Length"
            raise Refused(ErrorCode.MALFORMED, message)
        with session.request(), session.spool.receive(place, path, size) as file:
            received = 0
            async with _body_errors() as timeout:
                while piece := await request.content.readany():
                    timeout.reschedule(asyncio.get_running_loop().time() + BODY_SECONDS)
                    received += len(piece)
                    file.write(piece)
            if received != size:
                message = "the file is not as long as announced"
                raise Refused(ErrorCode.MALFORMED, message)
            session.filling()  # it may have begun meanwhile
        return _answer(wire.File(path=path, size=size), status=201)

    async def begin(self, request: web.Request) -> web.Response:
        session = self._session(request)
        with session.request():
            await self._sessions.begin(session)
            return _answer(self._described(session))

    async def write(self, request: web.Request) -> web.Response:
        session, asked = self._session(request), await _body(request, wire.WriteScript)
        with session.request():
            findings = await session.session().write(asked.name, asked.source)
        found = tuple(wire.FindingModel.model_validate(finding) for finding in findings)
        return _answer(wire.Findings(findings=found))

    async def run(self, request: web.Request) -> web.Response:
        session, asked = self._session(request), await _body(request, wire.RunScript)
        with session.request():
            try:
                result = await session.session().run(
                    asked.name, arguments=asked.arguments, time_limit=asked.time_limit
                )
            except ValueError as error:  # arguments beyond what the sandbox takes
                raise Refused(ErrorCode.INVALID, str(error)) from error
        session.tally.add(result)
        self._metrics.ran(session.policy_name, result)
        for alert in result.alerts:
            _log.warning(
                "sandbox.alert",
                code=alert.code.value,
                threat=alert.threat,
                detail=alert.detail,
                owner=session.owner,
            )
        return _answer(wire.RunAnswer.model_validate(result))

    async def excerpt(self, request: web.Request) -> web.Response:
        session, asked = self._session(request), await _body(request, wire.ReadExcerpt)
        with session.request():
            found = await session.session().excerpt(
                asked.path, first_line=asked.first_line, lines=asked.lines
            )
        return _answer(wire.ExcerptAnswer.model_validate(found))

    async def inputs(self, request: web.Request) -> web.Response:
        session = self._session(request)
        with session.request():
            found = await session.session().list_inputs()
        return _answer(wire.Files(files=tuple(map(wire.File.model_validate, found))))

    async def outputs(self, request: web.Request) -> web.Response:
        session = self._session(request)
        with session.request():
            found = await session.session().list_outputs()
        return _answer(wire.Files(files=tuple(map(wire.File.model_validate, found))))

    async def fetch(self, request: web.Request) -> web.StreamResponse:
        session, path = self._session(request), request.query["path"]
        if split_path(path) is None:
            raise NoSuchFile(path)
        with session.request(), session.spool.out as out:
            file = out.open(path)
            try:
                answer = web.StreamResponse(headers={"Content-Type": "application/octet-stream"})
                answer.content_length = os.fstat(file).st_size
                await answer.prepare(request)
                while piece := os.read(file, _PIECE):
                    await answer.write(piece)
                await answer.write_eof()
                return answer
            except OSError as error:  # nothing that follows may pass for a part of the file
                if request.transport is not None:
                    request.transport.abort()
                raise ConnectionResetError from error
            finally:
                os.close(file)

    async def session_metrics(self, request: web.Request) -> web.Response:
        session = self._session(request)
        with session.request():
            return _answer(wire.SessionMetrics.model_validate(session.tally))

    def _session(self, request: web.Request) -> HostedSession:
        return self._sessions.get(request.match_info["session"])

    def _described(self, session: HostedSession) -> wire.Session:
        return wire.Session(
            id=session.id,
            policy=session.policy_name,
            owner=session.owner,
            state=session.state,
            ahead=session.ahead,
            idle=self._sessions.limits.idle,
            limits=limits_of(session.policy),
        )


def limits_of(policy: Policy) -> wire.Limits:
    resources = policy.resources
    return wire.Limits(
        cpu=resources.cpu,
        memory=resources.memory,
        pids=resources.pids,
        timeout=resources.timeout,
        grace=resources.grace,
        session=resources.session,
        out_bytes=policy.out.size,
        out_files=policy.out.files,
    )


async def _body(request: web.Request, model: type[ModelT]) -> ModelT:
    if request.content_type != "application/json":
        message = "the body is application/json"
        raise Refused(ErrorCode.MALFORMED, message)
    async with _body_errors():
        content = await request.read()
    try:
        return model.model_validate_json(content)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False, include_context=False)[0]
        key = ".".join(map(str, first["loc"]))
        code = ErrorCode.MALFORMED if first["type"] == "json_invalid" else ErrorCode.INVALID
        raise Refused(code, f"{key}: {first['msg']}" if key else first["msg"]) from None


@asynccontextmanager
async def _body_errors() -> AsyncGenerator[asyncio.Timeout]:
    try:
        async with asyncio.timeout(BODY_SECONDS) as timeout:
            yield timeout
    except TimeoutError:
        message = "the body did not come in time"
        raise Refused(ErrorCode.TOO_SLOW, message) from None


def _answer(model: BaseModel, *, status: int = 200) -> web.Response:
    return web.Response(body=model.model_dump_json().encode(), status=status, content_type="application/json")
