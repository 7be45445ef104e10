"""Threats 71 and 80: a key of ours is in no container, and what a provider says of it in no record."""

import json
import logging
import subprocess
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from pydantic import SecretStr

from agent.models import ModelSettings, build_models
from sandbox.docker import DockerSandbox
from sandbox.hardening import Placement, container_config, seccomp_profile
from sandbox.policy import DEFAULT_NAME, Policy
from storage.records import RunStatus
from tests.agent.line import open_line
from tests.conftest import containers, fresh_workspace
from tests.endpoint import Body, completion, serve
from tests.fakes import FakeSandbox

CANARY = "canary5f00d"
KEY = f"sk-{CANARY}-0123456789"
VARIABLES = (
    "LLM_API_KEY",
    "OPENAI_API_KEY",
    "TELEGRAM_BOT_TOKEN",
    "SANDBOX_TOKEN",
    "E2B_API_KEY",
    "DATABASE_URL",
    "AWS_SECRET_ACCESS_KEY",
)
ERROR = {"error": {"message": f"Incorrect API key provided: {KEY[:6]}***{CANARY}", "prompt": CANARY}}


def _plain(status: int) -> Any:
    return lambda: web.json_response(ERROR, status=status)


def _telling(folder: Path) -> list[str]:
    """Files that hold the canary."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert files
    return [path.name for path in files if CANARY.encode() in path.read_bytes()]


@pytest.mark.parametrize(
    ("answer", "stream"),
    [
        *(
            pytest.param(_plain(status), False, id=str(status))
            for status in (400, 401, 403, 404, 409, 422, 429, 500, 503)
        ),
        pytest.param(_plain(200), False, id="error in a 200 answer"),
        pytest.param(lambda: web.Response(text=f"<h1>{KEY}</h1>", status=502), False, id="page"),
        pytest.param(lambda: web.Response(text=f"not json {KEY}"), False, id="no json"),
        pytest.param(lambda: web.Response(status=302, headers={"Location": f"/{KEY}"}), False, id="redirect"),
        pytest.param(
            lambda: web.Response(text=f"data: {json.dumps(ERROR)}\n\n", content_type="text/event-stream"),
            True,
            id="error in a stream",
        ),
        pytest.param(
            lambda: web.json_response(completion(calls=[("read_skill", f'{{"name": {KEY}')])),
            False,
            id="broken arguments",
        ),
        pytest.param(
            lambda: web.json_response(completion() | {"choices": [{"index": 0, "message": KEY}]}),
            False,
            id="no message",
        ),
    ],
)
async def test_80_what_a_provider_says_about_a_key_is_in_no_record(
    answer: Any, stream: bool, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def respond(_: Body) -> web.StreamResponse:
        return answer()

    caplog.set_level(logging.INFO)
    async with serve(respond) as endpoint:
        settings = ModelSettings(base_url=endpoint.url, api_key=SecretStr(KEY), retries=0, stream=stream)
        async with open_line(tmp_path, build_models(settings), FakeSandbox()) as line:
            run = await line.run(await line.ask("Hello"))
            events = [str(record.payload) for record in await line.events.of(run.id)]
    assert (run.status, run.failure) == (RunStatus.FAILED, "model")
    assert CANARY not in f"{run} {events} {caplog.text}"
    assert _telling(tmp_path) == []


def test_71_a_containers_config_has_nothing_of_our_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.setenv(name, KEY)
    policy = Policy()
    placement = Placement(
        image="sha256:abc",
        install="here",
        root="0123",
        uid=20007,
        binds={"/workspace/input": Path("/data/leases/x/input")},
        nothing=Path("/data/leases/x/nothing"),
        seccomp=seccomp_profile(policy),
    )
    body = json.dumps(container_config(policy, placement))
    assert CANARY not in body
    assert not [name for name in VARIABLES if name in body]


SEARCH = """
import os, pathlib, socket
found = [str(dict(os.environ))]
for name in ("/proc/1/environ", "/proc/self/environ", "/proc/1/cmdline"):
    try:
        found.append(pathlib.Path(name).read_text())
    except OSError as error:
        found.append(type(error).__name__)
for folder in ("/workspace", "/tmp", "/run", "/etc", "/opt/guest"):
    for path in pathlib.Path(folder).rglob("*"):
        try:
            found.append(str(path))
            found.append(path.read_text() if path.is_file() else "")
        except (OSError, UnicodeDecodeError):
            pass
print("canary" + "5f00d" in " ".join(found), len(found) > 50)
for target in ("/workspace/input/x", "/workspace/code/x", "/workspace/skills/x", "/workspace/../x", "/etc/x"):
    try:
        pathlib.Path(target).write_text("x")
        print("wrote", target)
    except OSError:
        pass
try:
    socket.create_connection(("1.1.1.1", 80), 2)
    print("connected")
except OSError:
    print("no network")
"""


@pytest.mark.docker
async def test_71_79_a_script_finds_no_key_and_the_engine_knows_of_none(
    tmp_path: Path, docker_policy: Policy, docker_install: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in VARIABLES:
        monkeypatch.setenv(name, KEY)
    policies = {DEFAULT_NAME: docker_policy}
    async with (
        DockerSandbox(policies, root=tmp_path / "data", install=docker_install) as sandbox,
        sandbox.lease(fresh_workspace(tmp_path / "run")) as session,
    ):
        assert not [f for f in await session.write("search.py", SEARCH) if f.fatal]
        result = await session.run("search.py")
        names = containers(docker_install)
        config = subprocess.run(  # noqa: ASYNC221  # once, and nothing waits for it
            ["docker", "inspect", *names], capture_output=True, text=True, timeout=60, check=True
        ).stdout
    assert result.stdout.splitlines() == ["False True", "no network"]
    assert names
    assert CANARY not in config
    assert not [name for name in VARIABLES if name in config]
