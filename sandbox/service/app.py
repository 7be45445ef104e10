"""The web application: routes from the table, and around each access, typed queries and JSON errors."""

import asyncio
import secrets
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import suppress
from pathlib import Path

import structlog
from aiohttp import web
from aiohttp.typedefs import Middleware

from sandbox.errors import SandboxError
from sandbox.policy import Policy
from sandbox.service.access import Access
from sandbox.service.api import Api
from sandbox.service.errors import STATUS, Refused, problem_of
from sandbox.service.metrics import Metrics
from sandbox.service.operations import OPERATIONS, Operation
from sandbox.service.sessions import ServiceLimits, Sessions
from sandbox.service.wire import ErrorCode, Failure, Problem
from sandbox.session import Sandbox

MAX_BODY = 4 << 20
"""Bytes of a JSON body: a script at its limit, every character of it escaped, fits. Files have limits of
their own."""
_log = structlog.get_logger()

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def service_app(
    sandbox: Sandbox,
    policies: Mapping[str, Policy],
    *,
    root: Path,
    access: Access,
    limits: ServiceLimits | None = None,
) -> web.Application:
    """An application over an open sandbox. `root` is on the file system of the sandbox's own folders."""
    limits = limits or ServiceLimits()
    sessions = Sessions(sandbox, policies, root=root, limits=limits)
    metrics = Metrics(sandbox, sessions)
    api = Api(sessions, policies, metrics)

    async def lifetime(app: web.Application) -> AsyncGenerator[None]:
        del app
        await sessions.sweep()
        expiry = asyncio.create_task(sessions.expire(every=min(15.0, limits.idle / 4)))
        yield
        expiry.cancel()
        with suppress(asyncio.CancelledError):
            await expiry
        await sessions.close_all()

    async def stop(app: web.Application) -> None:
        del app
        await sessions.close_all()  # so that no request waits for what will not come

    app = web.Application(middlewares=[_guard(access, metrics)], client_max_size=MAX_BODY)
    for operation in OPERATIONS:
        app.router.add_route(
            operation.method, operation.route, _typed(operation, access, getattr(api, operation.name))
        )
    app.on_shutdown.append(stop)
    app.cleanup_ctx.append(lifetime)
    return app


def _typed(operation: Operation, access: Access, answer: Handler) -> Handler:
    """Nothing is answered before it is known who asks, and that the query is what the operation names."""

    async def handler(request: web.Request) -> web.StreamResponse:
        if not operation.open:
            access.check(request.headers.get("Authorization"), request.transport)
        if sorted(request.query.keys()) != sorted(operation.query):
            message = f"the query takes {', '.join(operation.query) or 'nothing'}"
            raise Refused(ErrorCode.INVALID, message)
        return await answer(request)

    return handler


def _guard(access: Access, metrics: Metrics) -> Middleware:
    @web.middleware
    async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
        """Every failure becomes a code and a sentence; what we did not expect goes to the log alone."""
        resource = request.match_info.route.resource
        route = resource.canonical if resource is not None else "none"
        try:
            answer = await handler(request)
        except SandboxError as error:
            answer = _failure(problem_of(error))
        except web.HTTPRequestEntityTooLarge:
            answer = _failure(Problem(code=ErrorCode.TOO_LARGE, message=f"more than {MAX_BODY} bytes"))
        except web.HTTPException as error:
            message = "there is no such route"
            try:
                access.check(request.headers.get("Authorization"), request.transport)
                problem = Problem(code=ErrorCode.NO_SUCH_ROUTE, message=message)
            except Refused as refused:
                problem = problem_of(refused)
            answer = _failure(problem, status=error.status)
        except ConnectionError:  # nobody hears the answer
            raise
        except Exception:
            reference = secrets.token_hex(4)
            _log.exception("service.failed", reference=reference, route=route)
            message = f"something unexpected went wrong; the service's log has it under {reference}"
            answer = _failure(Problem(code=ErrorCode.INTERNAL, message=message))
        metrics.answered(route, answer.status)
        return answer

    return guard


def _failure(problem: Problem, *, status: int | None = None) -> web.Response:
    return web.Response(
        body=Failure(error=problem).model_dump_json().encode(),
        status=STATUS[problem.code] if status is None else status,
        content_type="application/json",
    )
