"""All that the service can be asked, in one table: the routes and the OpenAPI document are made of it."""

from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel

from sandbox.service import wire

OCTETS = "application/octet-stream"


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    name: str
    """The method of `Api` that answers it."""
    method: Literal["GET", "POST", "PUT", "DELETE"]
    route: str
    summary: str
    request: type[BaseModel] | None = None
    """The JSON body. None: it has none, or is a file (PUT)."""
    answer: type[BaseModel] | str | None = None
    """A JSON model, or the media type of something else; None for no content."""
    status: int = 200
    query: tuple[str, ...] = ()
    """Parameters, each a string that must be there."""
    open: bool = False
    """Anybody may ask, with no token."""


SESSION = "/v1/sessions/{session}"

OPERATIONS = (
    Operation(
        name="health",
        method="GET",
        route="/healthz",
        summary="Whether the service answers.",
        answer=wire.Health,
        open=True,
    ),
    Operation(
        name="metrics",
        method="GET",
        route="/metrics",
        summary="Counters and gauges in Prometheus' text format.",
        answer="text/plain",
    ),
    Operation(
        name="openapi",
        method="GET",
        route="/openapi.json",
        summary="This document.",
        answer="application/json",
    ),
    Operation(
        name="policies",
        method="GET",
        route="/v1/policies",
        summary="The policies by name, with their limits.",
        answer=wire.Policies,
    ),
    Operation(
        name="create",
        method="POST",
        route="/v1/sessions",
        summary="Open a session, which takes files until it begins.",
        request=wire.CreateSession,
        answer=wire.Session,
        status=201,
    ),
    Operation(
        name="session",
        method="GET",
        route=SESSION,
        summary="How far a session is. Any request keeps it from expiring.",
        answer=wire.Session,
    ),
    Operation(
        name="close",
        method="DELETE",
        route=SESSION,
        summary="Destroy the container and every file of the session.",
        status=204,
    ),
    Operation(
        name="put",
        method="PUT",
        route=f"{SESSION}/files/{{place}}",
        summary="Put a file into the session's folder before it begins. Content-Length is needed.",
        query=("path",),
        answer=wire.File,
        status=201,
    ),
    Operation(
        name="begin",
        method="POST",
        route=f"{SESSION}/begin",
        summary="Get a container; answers when it is there. Hanging up leaves the line.",
        answer=wire.Session,
    ),
    Operation(
        name="write",
        method="POST",
        route=f"{SESSION}/write",
        summary="Check a script and stage it, unless a finding is fatal.",
        request=wire.WriteScript,
        answer=wire.Findings,
    ),
    Operation(
        name="run",
        method="POST",
        route=f"{SESSION}/run",
        summary="Run a staged script; answers when it has ended. Hanging up destroys the container.",
        request=wire.RunScript,
        answer=wire.RunAnswer,
    ),
    Operation(
        name="excerpt",
        method="POST",
        route=f"{SESSION}/excerpt",
        summary="Some lines of a file below /workspace.",
        request=wire.ReadExcerpt,
        answer=wire.ExcerptAnswer,
    ),
    Operation(
        name="inputs",
        method="GET",
        route=f"{SESSION}/inputs",
        summary="The input files.",
        answer=wire.Files,
    ),
    Operation(
        name="outputs",
        method="GET",
        route=f"{SESSION}/outputs",
        summary="The files of out/ in the container.",
        answer=wire.Files,
    ),
    Operation(
        name="fetch",
        method="GET",
        route=f"{SESSION}/output",
        summary="The bytes of one output, as the last script left it.",
        query=("path",),
        answer=OCTETS,
    ),
    Operation(
        name="session_metrics",
        method="GET",
        route=f"{SESSION}/metrics",
        summary="Sums over the session's scripts.",
        answer=wire.SessionMetrics,
    ),
)
