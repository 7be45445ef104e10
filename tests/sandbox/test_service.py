"""The service as a program of another language sees it: plain HTTP, and nothing but what the table names."""

import asyncio
import io
import json
import os
import socket
import stat
import subprocess
import sys
import tempfile
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, closing, suppress
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from openapi_spec_validator import OpenAPIV31SpecValidator

from sandbox.alerts import AlertCode
from sandbox.errors import SandboxUnavailable
from sandbox.policy import DEFAULT_NAME, Policy
from sandbox.service import wire
from sandbox.service.access import Access
from sandbox.service.app import service_app
from sandbox.service.listen import UnixAddress, listening
from sandbox.service.openapi import document
from sandbox.service.operations import OPERATIONS
from sandbox.service.sessions import ServiceLimits, Sessions
from sandbox.session import Excerpt, RunResult, Sandbox, SandboxSession, Workspace
from tests.conftest import changed
from tests.fakes import FakeRun, FakeSandbox
from tests.serving import Engaged, served, until

TOKEN = "a token of more than 16"  # noqa: S105  # of nobody
SMALL = changed(
    Policy(), "resources", out=Policy().resources.out.model_copy(update={"size": 1 << 20, "files": 3})
)


@dataclass
class Caller:
    """An HTTP client that knows nothing of ours."""

    http: aiohttp.ClientSession
    base: str

    async def __call__(self, method: str, path: str, **request: Any) -> tuple[int, Any]:
        async with self.http.request(method, self.base + path, **request) as answer:
            content = await answer.read()
            is_json = answer.content_type == "application/json"
            return answer.status, json.loads(content) if is_json else content

    async def refused(self, method: str, path: str, **request: Any) -> tuple[int, str]:
        status, answer = await self(method, path, **request)
        assert set(answer) == {"error"}
        assert set(answer["error"]) == {"code", "message"}
        return status, answer["error"]["code"]

    async def opened(self, policy: str = DEFAULT_NAME) -> str:
        """The path of a new session."""
        status, answer = await self("POST", "/v1/sessions", json={"policy": policy, "owner": "todo-1"})
        assert status == 201
        return f"/v1/sessions/{answer['id']}"

    async def begun(self) -> str:
        path = await self.opened()
        assert (await self("POST", f"{path}/begin"))[0] == 200
        return path


@asynccontextmanager
async def calling(sandbox: Sandbox, root: Path, **options: Any) -> AsyncGenerator[Caller]:
    async with served(sandbox, root, **options) as url:
        if url.startswith("unix://"):
            connector, base = aiohttp.UnixConnector(url.removeprefix("unix://")), "http://sandbox"
        else:
            connector, base = aiohttp.TCPConnector(), url
        async with aiohttp.ClientSession(connector=connector) as http:
            yield Caller(http, base)


@pytest.fixture
def fake() -> FakeSandbox:
    return FakeSandbox()


@pytest.fixture
async def call(fake: FakeSandbox, tmp_path: Path) -> AsyncIterator[Caller]:
    async with calling(fake, tmp_path) as caller:
        yield caller


async def test_a_session_from_its_creation_to_its_end(
    call: Caller, fake: FakeSandbox, tmp_path: Path
) -> None:
    fake.plan("a.py", FakeRun(stdout="42\n", files={"sub/a.txt": b"answer"}, peak_memory=7))
    path = await call.opened()
    for place, name, content in (
        ("input", "data ä.csv", b"a,b\n"),
        ("code", "old.py", b"print()\n"),
        ("skills", "charts/scripts/draw.py", b"x = 1\n"),
        ("out", "earlier/b.txt", b""),
    ):
        status, put = await call("PUT", f"{path}/files/{place}", params={"path": name}, data=content)
        assert (status, put) == (201, {"path": name, "size": len(content)})
    assert (await call("GET", path))[1]["state"] == "filling"
    status, session = await call("POST", f"{path}/begin")
    assert (status, session["state"], session["limits"]["timeout"]) == (200, "ready", 60.0)
    workspace = fake.sessions[0].workspace
    assert [(file.name, file.source.read_bytes()) for file in workspace.inputs] == [("data ä.csv", b"a,b\n")]
    assert (workspace.code / "old.py").read_bytes() == b"print()\n"
    assert [(skill / "scripts/draw.py").read_bytes() for skill in workspace.skills] == [b"x = 1\n"]
    assert (await call("POST", f"{path}/write", json={"name": "a.py", "source": "print(42)"}))[1] == {
        "findings": []
    }
    status, result = await call("POST", f"{path}/run", json={"name": "a.py", "arguments": ["x"]})
    assert (status, result["status"], result["stdout"]) == (200, "ok", "42\n")
    assert result["files"] == [{"path": "sub/a.txt", "size": 6}]
    assert fake.sessions[0].runs == [("a.py", ("x",))]
    outputs = (await call("GET", f"{path}/outputs"))[1]["files"]
    assert [file["path"] for file in outputs] == ["earlier/b.txt", "sub/a.txt"]
    assert await call("GET", f"{path}/output", params={"path": "sub/a.txt"}) == (200, b"answer")
    assert (await call("GET", f"{path}/inputs"))[1]["files"] == [{"path": "data ä.csv", "size": 4}]
    excerpt = (await call("POST", f"{path}/excerpt", json={"path": "out/sub/a.txt"}))[1]
    assert excerpt["text"] == "answer"
    metrics = (await call("GET", f"{path}/metrics"))[1]
    assert (metrics["runs"], metrics["peak_memory"]) == ({"ok": 1}, 7)
    assert (await call("DELETE", path))[0] == 204
    assert fake.live == 0
    assert await call.refused("GET", path) == (404, "no-such-session")
    assert list((tmp_path / "spool").iterdir()) == []


async def test_things_out_of_their_order_are_refused(call: Caller) -> None:
    path = await call.opened()
    assert await call.refused("GET", f"{path}/outputs") == (409, "wrong-state")
    assert await call.refused("POST", f"{path}/run", json={"name": "a.py"}) == (409, "wrong-state")
    await call("POST", f"{path}/begin")
    assert await call.refused("POST", f"{path}/begin") == (409, "wrong-state")
    late = call.refused("PUT", f"{path}/files/input", params={"path": "late.csv"}, data=b"x")
    assert await late == (409, "wrong-state")


async def test_what_the_sandbox_refuses_has_a_code_of_its_own(call: Caller) -> None:
    path = await call.begun()
    written = call.refused("POST", f"{path}/write", json={"name": "../a.py", "source": ""})
    assert await written == (422, "unsafe-name")
    assert await call.refused("POST", f"{path}/run", json={"name": "a.py"}) == (404, "no-such-script")
    for name in ("out/a.txt", "../../etc/passwd"):
        assert await call.refused("POST", f"{path}/excerpt", json={"path": name}) == (404, "no-such-file")
        assert await call.refused("GET", f"{path}/output", params={"path": name}) == (404, "no-such-file")
    unknown = call.refused("POST", "/v1/sessions", json={"policy": "open", "owner": "a"})
    assert await unknown == (404, "no-such-policy")


async def test_an_engine_that_is_gone_is_unavailable(call: Caller, fake: FakeSandbox) -> None:
    path = await call.begun()
    fake.unavailable = "no engine answers"
    status, answer = await call("GET", f"{path}/outputs")
    assert (status, answer["error"]) == (503, {"code": "sandbox-unavailable", "message": "no engine answers"})
    other = await call.opened()
    assert await call.refused("POST", f"{other}/begin") == (503, "sandbox-unavailable")
    assert (await call("GET", other))[1]["state"] == "over"
    assert await call.refused("GET", f"{other}/outputs") == (503, "sandbox-unavailable")


@pytest.mark.parametrize(
    ("method", "path", "request_", "expected"),
    [
        ("GET", "/etc/passwd", {}, (404, "no-such-route")),
        ("GET", "/v1/sessions/..%2f..%2fhealthz", {}, (404, "no-such-session")),
        ("DELETE", "/v1/sessions", {}, (405, "no-such-route")),
        ("GET", f"/v1/sessions/{'0' * 32}", {}, (404, "no-such-session")),
        ("POST", "/v1/sessions", {"data": b"{"}, (400, "malformed")),
        ("POST", "/v1/sessions", {"json": []}, (422, "invalid")),
        ("POST", "/v1/sessions", {"json": {"owner": "A b"}}, (422, "invalid")),
        ("POST", "/v1/sessions", {"data": io.BytesIO(b" " * (5 << 20))}, (413, "too-large")),
        ("POST", "/v1/sessions?image=alpine", {"json": {"owner": "a"}}, (422, "invalid")),
        ("GET", "/v1/policies?path=x", {}, (422, "invalid")),
    ],
)
async def test_a_bad_request_is_json_with_a_code(
    call: Caller, method: str, path: str, request_: dict[str, Any], expected: tuple[int, str]
) -> None:
    if "data" in request_:
        request_ = request_ | {"headers": {"Content-Type": "application/json"}}
    assert await call.refused(method, path, **request_) == expected


async def test_a_body_of_another_kind_is_refused(call: Caller) -> None:
    form = {"owner": "a"}  # what a page in somebody's browser could send
    assert await call.refused("POST", "/v1/sessions", data=form) == (400, "malformed")


@pytest.mark.parametrize(
    ("place", "name"),
    [
        ("input", "../a.csv"),
        ("input", "sub/a.csv"),
        ("input", "/etc/passwd"),
        ("input", ""),
        ("input", "a\nb"),
        ("code", "a/b.py"),
        ("skills", "a.py"),
        ("skills", "charts/SKILL.md"),
        ("skills", "charts/scripts/../../b.py"),
        ("out", "a//b"),
        ("out", "./a"),
        ("out", "x" * 300),
    ],
)
async def test_an_upload_under_an_unsafe_name_is_refused(
    call: Caller, tmp_path: Path, place: str, name: str
) -> None:
    path = await call.opened()
    put = call.refused("PUT", f"{path}/files/{place}", params={"path": name}, data=b"x")
    assert await put == (422, "unsafe-name")
    assert [file for file in (tmp_path / "spool").rglob("*") if file.is_file()] == []


async def test_uploads_end_where_the_policy_ends(fake: FakeSandbox, tmp_path: Path) -> None:
    limits = ServiceLimits(input_bytes=1 << 20)
    async with calling(fake, tmp_path, policies={DEFAULT_NAME: SMALL}, limits=limits) as call:
        path = await call.opened()

        async def put(place: str, name: str, size: int) -> int:
            answer = await call("PUT", f"{path}/files/{place}", params={"path": name}, data=b"x" * size)
            return answer[0]

        assert await put("input", "a.csv", 600 << 10) == 201
        assert await put("input", "b.csv", 600 << 10) == 413
        assert await put("out", "a", 1 << 20) == 201
        assert await put("out", "b", 1) == 413
        other = await call.opened()
        path = other
        assert [await put("out", f"{number}", 1) for number in range(4)] == [201, 201, 201, 413]
        assert await put("image", "a", 1) == 404


async def test_an_upload_has_a_length(call: Caller, tmp_path: Path) -> None:
    async def pieces() -> AsyncIterator[bytes]:
        yield b"endless"

    path = await call.opened()
    put = call.refused("PUT", f"{path}/files/input", params={"path": "a"}, data=pieces())
    assert await put == (400, "malformed")
    assert [file for file in (tmp_path / "spool").rglob("*") if file.is_file()] == []


async def test_an_upload_that_breaks_off_leaves_nothing(call: Caller, tmp_path: Path) -> None:
    async def pieces() -> AsyncIterator[bytes]:
        yield b"half"
        raise OSError

    path = await call.opened()
    with suppress(aiohttp.ClientError, OSError):
        await call(
            "PUT",
            f"{path}/files/input",
            params={"path": "a"},
            data=pieces(),
            headers={"Content-Length": "8"},
        )
    await until(lambda: not [file for file in (tmp_path / "spool").rglob("*") if file.is_file()])


def held(folder: Path) -> list[str]:
    """Files below it that this process has open, removed or not."""
    found: list[str] = []
    for descriptor in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):  # the one that lists them
            found.append(str(descriptor.readlink()))
    return [name for name in found if name.startswith(f"{folder}/")]


class Slowly:
    """A file of 9 bytes, of which the last one waits."""

    def __init__(self) -> None:
        self.rest = asyncio.Event()

    async def pieces(self) -> AsyncIterator[bytes]:
        yield b"the rest"
        await self.rest.wait()
        yield b"."

    async def put(self, call: Caller, path: str) -> int:
        headers = {"Content-Length": "9"}
        params = {"path": "a"}
        answer = await call("PUT", f"{path}/files/input", params=params, data=self.pieces(), headers=headers)
        return answer[0]


async def test_closing_ends_an_upload_that_is_on_its_way(call: Caller, tmp_path: Path) -> None:
    path = await call.opened()
    putting = asyncio.create_task(Slowly().put(call, path))
    await until(lambda: held(tmp_path / "spool") != [])
    assert (await call("DELETE", path))[0] == 204
    assert held(tmp_path / "spool") == []
    assert list((tmp_path / "spool").iterdir()) == []
    with pytest.raises(aiohttp.ClientError):
        await putting


async def test_closing_ends_a_fetch_that_is_on_its_way(
    call: Caller, fake: FakeSandbox, tmp_path: Path
) -> None:
    path = await call.begun()
    with (fake.sessions[0].workspace.out / "big").open("wb") as file:
        file.truncate(64 << 20)
    async with call.http.get(f"{call.base}{path}/output", params={"path": "big"}) as answer:
        assert held(tmp_path / "spool") != []
        assert (await call("DELETE", path))[0] == 204
        assert held(tmp_path / "spool") == []
        with pytest.raises(aiohttp.ClientPayloadError):
            await answer.read()
    assert list((tmp_path / "spool").iterdir()) == []


async def test_an_upload_that_ends_after_the_beginning_is_refused(
    call: Caller, fake: FakeSandbox, tmp_path: Path
) -> None:
    path, slowly = await call.opened(), Slowly()
    putting = asyncio.create_task(slowly.put(call, path))
    await until(lambda: held(tmp_path / "spool") != [])
    await call("POST", f"{path}/begin")
    slowly.rest.set()
    assert await putting == 409
    assert fake.sessions[0].workspace.inputs == ()
    assert [file for file in (tmp_path / "spool").rglob("*") if file.is_file()] == []


async def test_who_begins_what_is_closed_in_the_same_moment_does_not_wait_for_ever(
    fake: FakeSandbox, tmp_path: Path
) -> None:
    sessions = Sessions(fake, {DEFAULT_NAME: Policy()}, root=tmp_path, limits=ServiceLimits())
    session = await sessions.create(DEFAULT_NAME, "todo-1")

    async def begin() -> None:
        with session.request():
            await sessions.begin(session)

    beginning = asyncio.create_task(begin())
    await sessions.close(session)
    await asyncio.wait([beginning], timeout=20)
    assert beginning.cancelled()
    assert (fake.sessions, list((tmp_path / "spool").iterdir())) == ([], [])


async def test_an_output_is_never_fetched_through_a_link(
    call: Caller, fake: FakeSandbox, tmp_path: Path
) -> None:
    (tmp_path / "secret").write_text("secret")
    path = await call.begun()
    out = fake.sessions[0].workspace.out
    (out / "link").symlink_to(tmp_path / "secret")
    (out / "folder").symlink_to(tmp_path)
    os.mkfifo(out / "pipe")
    for name in ("link", "folder/secret", "pipe"):
        assert await call.refused("GET", f"{path}/output", params={"path": name}) == (404, "no-such-file")


async def test_without_the_token_there_is_nothing_but_a_sign_of_life(
    fake: FakeSandbox, tmp_path: Path
) -> None:
    async with calling(fake, tmp_path, token=TOKEN, tcp=True) as call:
        assert await call("GET", "/healthz") == (200, {"status": "ok"})
        for operation in OPERATIONS:
            if operation.open:
                continue
            route = operation.route.format(session="0" * 32, place="input")
            for given_ in (None, "", "Bearer", f"Bearer {TOKEN}x", f"Basic {TOKEN}", "Bearer ключ", TOKEN):
                headers = {} if given_ is None else {"Authorization": given_}
                refused = await call.refused(operation.method, route, headers=headers)
                assert refused == (401, "unauthorized"), operation.name
        assert (await call.refused("GET", "/admin"))[1] == "unauthorized"
        assert (await call("GET", "/v1/policies", headers={"Authorization": f"Bearer {TOKEN}"}))[0] == 200


async def test_tcp_without_a_token_answers_nobody(fake: FakeSandbox, tmp_path: Path) -> None:
    async with calling(fake, tmp_path, tcp=True) as call:
        assert await call.refused("GET", "/v1/policies") == (401, "unauthorized")


async def test_what_nobody_expected_stays_in_the_log(tmp_path: Path) -> None:
    class Broken(FakeSandbox):
        def stats(self) -> Any:
            message = "at line 42 of /srv/secret.py"
            raise ZeroDivisionError(message)

    async with calling(Broken(), tmp_path) as call:
        path = await call.opened()
        status, answer = await call("GET", "/metrics")
        assert (status, answer["error"]["code"]) == (500, "internal")
        assert "secret" not in str(answer)
        assert (await call("GET", path))[0] == 200


async def test_who_waits_is_told_and_who_hangs_up_leaves_the_line(tmp_path: Path) -> None:
    engaged = Engaged()
    async with calling(engaged, tmp_path) as call:
        paths = [await call.opened() for _ in range(2)]
        begins = [asyncio.create_task(call("POST", f"{path}/begin")) for path in paths]
        await until(lambda: engaged.in_line == 2)
        seen = (await call("GET", paths[0]))[1]
        assert (seen["state"], seen["ahead"]) == ("waiting", 3)
        begins[0].cancel()
        await until(lambda: engaged.in_line == 1)
        engaged.free.set()
        assert (await begins[1])[1]["state"] == "ready"
        assert (await call("GET", paths[0]))[1]["state"] == "over"


class SlowToEnd(FakeSandbox):
    """Its leases end when `end` is set."""

    def __init__(self) -> None:
        super().__init__()
        self.ending = asyncio.Event()
        self.end = asyncio.Event()

    @asynccontextmanager
    async def lease(
        self, workspace: Workspace, *, waiting: Callable[[int], None] = lambda ahead: None
    ) -> AsyncGenerator[SandboxSession]:
        async with super().lease(workspace) as session:
            yield session
            self.ending.set()
            await self.end.wait()


async def test_a_session_counts_until_it_is_closed(tmp_path: Path) -> None:
    slow = SlowToEnd()
    async with calling(slow, tmp_path, limits=ServiceLimits(sessions=1)) as call:
        closing = asyncio.create_task(call("DELETE", await call.begun()))
        await slow.ending.wait()
        again = {"json": {"owner": "b"}}
        refused = await call("POST", "/v1/sessions", **again)
        slow.end.set()
        assert refused[0] == 429
        assert (await closing)[0] == 204
        assert (await call("POST", "/v1/sessions", **again))[0] == 201


async def test_a_close_is_finished_also_when_nobody_waits_for_it(tmp_path: Path) -> None:
    slow = SlowToEnd()
    async with calling(slow, tmp_path) as call:
        closing = asyncio.create_task(call("DELETE", await call.begun()))
        await slow.ending.wait()
        closing.cancel()
        slow.end.set()
        await until(lambda: list((tmp_path / "spool").iterdir()) == [])


async def test_stopping_ends_every_session(fake: FakeSandbox, tmp_path: Path) -> None:
    engaged = Engaged()
    async with calling(engaged, tmp_path) as call:
        path = await call.opened()
        begin = asyncio.create_task(call("POST", f"{path}/begin"))
        await until(lambda: engaged.in_line == 1)
    with suppress(aiohttp.ClientError):
        assert (await begin)[0] == 503
    async with calling(fake, tmp_path) as call:
        await call.begun()
        await call.opened()
        assert fake.live == 1
    assert (fake.live, engaged.in_line) == (0, 0)
    assert list((tmp_path / "spool").iterdir()) == []


async def test_a_session_without_requests_expires(fake: FakeSandbox, tmp_path: Path) -> None:
    async with calling(fake, tmp_path, limits=ServiceLimits(idle=0.05)) as call:
        path = await call.begun()
        await until(lambda: fake.live == 0)
        assert await call.refused("GET", path) == (404, "no-such-session")
        await until(lambda: list((tmp_path / "spool").iterdir()) == [])


async def test_sessions_are_bounded(fake: FakeSandbox, tmp_path: Path) -> None:
    async with calling(fake, tmp_path, limits=ServiceLimits(sessions=1)) as call:
        path = await call.opened()
        again = {"json": {"owner": "b"}}
        assert await call.refused("POST", "/v1/sessions", **again) == (429, "too-many-sessions")
        await call("DELETE", path)
        assert (await call("POST", "/v1/sessions", **again))[0] == 201


async def test_a_killed_service_is_tidied_up_after(fake: FakeSandbox, tmp_path: Path) -> None:
    dead = tmp_path / "spool" / f"{2**22 + 1}-1-{'0' * 32}"
    alive = tmp_path / "spool" / "other"
    dead.mkdir(parents=True)
    alive.mkdir()
    async with calling(fake, tmp_path):
        assert list((tmp_path / "spool").iterdir()) == [alive]


async def test_metrics_count_without_naming_anybody(call: Caller, fake: FakeSandbox) -> None:
    fake.plan("a.py", FakeRun(exit_code=1))
    path = await call.begun()
    await call("POST", f"{path}/write", json={"name": "a.py", "source": "x"})
    await call("POST", f"{path}/run", json={"name": "a.py"})
    await call("GET", "/somebody's/name")
    text = (await call("GET", "/metrics"))[1].decode()
    assert 'deckhand_sandbox_runs_total{policy="default",status="error"} 1.0' in text
    assert 'deckhand_sandbox_containers{state="leased"} 1.0' in text
    assert "deckhand_sandbox_open_sessions 1.0" in text
    assert 'deckhand_sandbox_requests_total{route="none",status="404"} 1.0' in text
    assert "name" not in text
    assert path.rpartition("/")[2] not in text
    assert "todo-1" not in text


async def test_policies_are_told_by_name_and_limits(fake: FakeSandbox, tmp_path: Path) -> None:
    async with calling(fake, tmp_path, policies={DEFAULT_NAME: Policy(), "small": SMALL}) as call:
        found = (await call("GET", "/v1/policies"))[1]["policies"]
        assert [(policy["name"], policy["limits"]["out_files"]) for policy in found] == [
            ("default", 2000),
            ("small", 3),
        ]
        await call("POST", f"{await call.opened('small')}/begin")
        assert fake.sessions[0].workspace.policy == "small"


async def test_the_document_is_valid_openapi_and_closed(call: Caller) -> None:
    told = (await call("GET", "/openapi.json"))[1]
    assert told == json.loads(json.dumps(document()))
    OpenAPIV31SpecValidator(told).validate()
    objects = [schema for schema in told["components"]["schemas"].values() if schema["type"] == "object"]
    assert len(objects) > 10
    assert all(schema["additionalProperties"] is False for schema in objects)
    assert {
        word for word in ("image", "bind", "mount", "privileged") if f'"{word}' in json.dumps(told)
    } == set()


def test_answers_say_all_that_the_contract_says() -> None:
    assert [*wire.RunAnswer.model_fields] == [field.name for field in fields(RunResult)]
    assert [*wire.ExcerptAnswer.model_fields] == [field.name for field in fields(Excerpt)]
    assert AlertCode.SOCKET.value in str(document())


SMUGGLED = st.dictionaries(
    st.sampled_from(
        ["image", "Image", "binds", "HostConfig", "mounts", "privileged", "cap_add", "network", "user", "env"]
    )
    | st.text(min_size=1, max_size=20),
    st.recursive(
        st.none() | st.booleans() | st.text(max_size=20) | st.integers(-(2**70), 2**70),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
        max_leaves=5,
    ),
    min_size=1,
    max_size=4,
)
VALID: dict[str, dict[str, Any]] = {
    "create": {"owner": "a"},
    "write": {"name": "a.py", "source": "print(1)"},
    "run": {"name": "a.py"},
    "excerpt": {"path": "input/a.csv"},
}


@pytest.fixture(scope="module")
def hosted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., tuple[int, str]]]:
    """A service with one session; asks it something and returns status and code."""
    with asyncio.Runner() as runner:
        caller = calling(FakeSandbox(), tmp_path_factory.mktemp("service"))
        call = runner.run(caller.__aenter__())
        path = runner.run(call.begun())

        def ask(name: str, body: object) -> tuple[int, str]:
            route = next(operation.route for operation in OPERATIONS if operation.name == name)
            return runner.run(call.refused("POST", route.format(session=path.rpartition("/")[2]), json=body))

        yield ask
        runner.run(caller.__aexit__(None, None, None))


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(name=st.sampled_from([*VALID]), smuggled=SMUGGLED)
def test_75_nothing_can_be_asked_for_beyond_the_table(
    hosted: Callable[..., tuple[int, str]], name: str, smuggled: dict[str, Any]
) -> None:
    """Threat 75: an image, a mount or a flag in a request is refused, whatever else is right about it."""
    known = next(operation.request for operation in OPERATIONS if operation.name == name)
    assert known is not None
    extra = {key: value for key, value in smuggled.items() if key not in known.model_fields} or {"image": "x"}
    status, code = hosted(name, VALID[name] | extra)
    assert (status, code) == (422, "invalid")


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    name=st.sampled_from([*VALID]), body=SMUGGLED | st.lists(st.integers(), max_size=2) | st.text(max_size=5)
)
def test_any_body_gets_an_answer_of_4xx(
    hosted: Callable[..., tuple[int, str]], name: str, body: object
) -> None:
    status, _ = hosted(name, body)
    assert 400 <= status < 500


async def test_the_socket_is_its_owners(fake: FakeSandbox, tmp_path: Path) -> None:
    app = service_app(fake, {DEFAULT_NAME: Policy()}, root=tmp_path, access=Access())
    path = tmp_path / "socket"
    with closing(socket.socket(socket.AF_UNIX)) as left:
        left.bind(str(path))  # what a killed service leaves
    async with listening(app, UnixAddress(path=path)):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        second = service_app(fake, {DEFAULT_NAME: Policy()}, root=tmp_path, access=Access())
        with pytest.raises(SandboxUnavailable, match="another service listens there"):
            async with listening(second, UnixAddress(path=path)):
                pass
        assert path.is_socket()
    assert not path.exists()
    path.write_text("precious")
    third = service_app(fake, {DEFAULT_NAME: Policy()}, root=tmp_path, access=Access())
    with pytest.raises(SandboxUnavailable, match="another file is there"):
        async with listening(third, UnixAddress(path=path)):
            pass
    assert path.read_text() == "precious"


STRANGER = """
import http.client, os, socket, sys
os.setgroups([int(group) for group in sys.argv[2:]])
os.setresgid(65534, 65534, 65534)
os.setresuid(65534, 65534, 65534)
connection = http.client.HTTPConnection("sandbox")
connection.sock = socket.socket(socket.AF_UNIX)
connection.sock.connect(sys.argv[1])
connection.request("GET", "/v1/policies")
print(connection.getresponse().status)
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to become somebody else")
@pytest.mark.parametrize(
    ("group", "groups", "status"), [(None, [], "401"), (54321, [], "401"), (54321, [54321], "200")]
)
def test_a_peer_is_known_by_uid_and_groups(
    fake: FakeSandbox, tmp_path: Path, group: int | None, groups: list[int], status: str
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        path = Path(folder, "socket")

        async def answer() -> str:
            app = service_app(fake, {DEFAULT_NAME: Policy()}, root=tmp_path, access=Access(group=group))
            async with listening(app, UnixAddress(path=path, group=group)):
                mode = stat.S_IMODE(os.stat(path).st_mode)  # noqa: PTH116  # in an async function
                assert mode == (0o600 if group is None else 0o660)
                os.chmod(path, 0o666)  # noqa: PTH101, S103  # what stops the stranger is not the file
                process = await asyncio.create_subprocess_exec(
                    sys.executable, "-c", STRANGER, str(path), *map(str, groups), stdout=subprocess.PIPE
                )
                return (await process.communicate())[0].decode().strip()

        assert asyncio.run(answer()) == status
