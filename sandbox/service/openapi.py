"""The OpenAPI 3.1 document, made of the table of operations and the pydantic models."""

import re
from typing import Any

from pydantic.json_schema import models_json_schema

from sandbox.service.operations import OCTETS, OPERATIONS, Operation
from sandbox.service.wire import Failure, Place

_REFERENCE = "#/components/schemas/{model}"
_PARAMETERS: dict[str, dict[str, Any]] = {
    "session": {"type": "string", "pattern": "^[0-9a-f]{32}$"},
    "place": {"type": "string", "enum": [place.value for place in Place]},
    "path": {"type": "string", "minLength": 1, "maxLength": 1000},
}


def document() -> dict[str, Any]:
    models = [
        model
        for operation in OPERATIONS
        for model in (operation.request, operation.answer)
        if isinstance(model, type)
    ]
    _, schemas = models_json_schema(
        [(model, "validation") for model in dict.fromkeys((*models, Failure))], ref_template=_REFERENCE
    )
    paths: dict[str, dict[str, Any]] = {}
    for operation in OPERATIONS:
        paths.setdefault(operation.route, {})[operation.method.lower()] = _described(operation)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Deckhand sandbox",
            "version": "1",
            "description": "Runs scripts in sandboxes. What a sandbox may use is said by a policy that the"
            " operator has written; requests can only name one.",
        },
        "paths": paths,
        "components": {
            "schemas": schemas["$defs"],
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _described(operation: Operation) -> dict[str, Any]:
    described: dict[str, Any] = {
        "operationId": operation.name,
        "summary": operation.summary,
        # A Unix socket may do without a token, hence the empty alternative.
        "security": [{}] if operation.open else [{"token": []}, {}],
        "responses": {
            str(operation.status): _answer(operation),
            "default": {
                "description": "Refused or failed; `error.code` says why.",
                "content": _json(Failure),
            },
        },
    }
    inside = re.findall(r"{(\w+)}", operation.route)
    if parameters := [*((name, "path") for name in inside), *((name, "query") for name in operation.query)]:
        described["parameters"] = [
            {"name": name, "in": where, "required": True, "schema": _PARAMETERS[name]}
            for name, where in parameters
        ]
    if operation.request is not None:
        described["requestBody"] = {"required": True, "content": _json(operation.request)}
    elif operation.method == "PUT":
        described["requestBody"] = {"required": True, "content": {OCTETS: {}}}
    return described


def _answer(operation: Operation) -> dict[str, Any]:
    match operation.answer:
        case None:
            return {"description": "Done."}
        case str(media):
            return {"description": operation.summary, "content": {media: {}}}
        case model:
            return {"description": operation.summary, "content": _json(model)}


def _json(model: type) -> dict[str, Any]:
    return {"application/json": {"schema": {"$ref": _REFERENCE.format(model=model.__name__)}}}
