import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from langchain_core.messages import HumanMessage
from pydantic import SecretStr

from agent.errors import ModelUnavailable, ModelUnusable
from agent.models import ModelSettings, build_models
from agent.turn import Fault, Turn, take_turn
from tests.bot.certificates import ONE
from tests.endpoint import Body, completion, hang, in_turn, serve

TOOL = {
    "type": "function",
    "function": {
        "name": "read_skill",
        "description": "…",
        "parameters": {"type": "object", "properties": {"name": {"type": "string"}}},
    },
}


async def ask(respond: Any, *, stream: bool = False, **settings: Any) -> tuple[Turn, Sequence[Body]]:
    async with serve(respond) as endpoint:
        models = build_models(
            ModelSettings(base_url=endpoint.url, api_key=SecretStr("k"), request_seconds=2, **settings)
        )
        turn = await take_turn(models.orchestrator, [HumanMessage("hello")], [TOOL], stream=stream)
        return turn, endpoint.seen


async def test_a_good_answer_comes_with_its_calls_and_its_tokens() -> None:
    turn, seen = await ask(in_turn(completion(calls=[("read_skill", {"name": "eda"})])))
    assert turn.fault is None
    assert turn.message is not None
    assert turn.message.tool_calls[0]["args"] == {"name": "eda"}
    assert (turn.input_tokens, turn.output_tokens, turn.cached_tokens) == (100, 10, 40)
    assert seen[0]["tools"][0]["function"]["name"] == "read_skill"


CALL = [("read_skill", {"name": "eda"})]


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        (completion() | {"choices": []}, Fault.EMPTY),
        (completion() | {"choices": None}, Fault.EMPTY),
        (completion(""), Fault.EMPTY),
        ({"error": {"message": "overloaded"}}, Fault.MALFORMED),
        (completion(calls=CALL, finish="length"), Fault.TOO_LONG),
        (completion("no", finish="content_filter"), Fault.REFUSED),
        (completion(calls=[("read_skill", '{"name": "ed')]), Fault.BROKEN_ARGUMENTS),
        (completion(calls=[*CALL, ("read_skill", "{name: eda}")]), Fault.BROKEN_ARGUMENTS),
        (completion(calls=[("run_shell", {"command": "ls"})]), Fault.UNKNOWN_TOOL),
    ],
)
async def test_nothing_of_an_unusable_answer_is_carried_out(body: Mapping[str, Any], fault: Fault) -> None:
    turn, _ = await ask(in_turn(body))
    assert turn.fault is fault
    assert turn.message is None
    assert "nothing of it was carried out" in turn.complaint


async def test_an_unknown_tool_is_answered_with_the_tools_there_are() -> None:
    turn, _ = await ask(in_turn(completion(calls=[("run_shell", {})])))
    assert "'run_shell'; there are: read_skill" in turn.complaint


async def test_calls_without_ids_of_their_own_can_be_told_apart() -> None:
    body = completion(calls=CALL * 3)
    for call in body["choices"][0]["message"]["tool_calls"]:
        call["id"] = "same"
    turn, _ = await ask(in_turn(body))
    assert turn.message is not None
    assert len({call["id"] for call in turn.message.tool_calls}) == 3


async def test_retry_after_is_respected_and_the_second_answer_counts() -> None:
    busy = (429, {"error": {"message": "slow down"}}, {"Retry-After": "2"})
    began = time.monotonic()
    turn, seen = await ask(in_turn(busy, completion("yes")), retries=1)
    assert turn.message is not None
    assert turn.message.text == "yes"
    assert len(seen) == 2
    assert time.monotonic() - began >= 2.0  # of its own accord the client waits at most one second


async def test_an_endpoint_that_names_no_usage_is_counted_by_characters() -> None:
    turn, _ = await ask(in_turn({k: v for k, v in completion("yes").items() if k != "usage"}))
    assert turn.estimated
    assert turn.input_tokens > 20


async def test_half_a_surrogate_pair_does_not_come_through() -> None:
    arguments = '{"name": "x\\ud83d", "n": ["\\ud83d\\ude00"]}'
    turn, _ = await ask(in_turn(completion("a", calls=[("read_skill", arguments)])))
    assert turn.message is not None
    turn.message.model_dump_json().encode()
    assert turn.message.tool_calls[0]["args"] == {"name": "x\ufffd", "n": ["😀"]}


async def test_a_refused_request_is_the_models_fault_and_not_the_endpoints() -> None:
    too_long = (400, {"error": {"message": "context length exceeded"}}, {})
    with pytest.raises(ModelUnusable, match="refused the request with 400"):
        await ask(in_turn(too_long), retries=0)


async def test_the_limit_of_an_answer_goes_out_under_the_name_that_servers_know() -> None:
    _, seen = await ask(in_turn(completion("yes")), max_output_tokens=777)
    assert seen[0]["max_tokens"] == 777
    assert "max_completion_tokens" not in seen[0]


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ((401, {"error": {"message": "bad key sk-12345"}}, {}), "answered 401"),
        ((500, {}, {}), "answered 500"),
    ],
)
async def test_a_refusal_is_told_without_the_providers_words(answer: object, words: str) -> None:
    with pytest.raises(ModelUnavailable, match=words) as refused:
        await ask(in_turn(answer), retries=0)
    assert "sk-12345" not in str(refused.value)


@pytest.mark.parametrize("own_authorities", [False, True])
@pytest.mark.parametrize("status", [301, 307])
async def test_82_a_redirect_is_not_followed(status: int, own_authorities: bool, tmp_path: Path) -> None:
    settings: dict[str, Any] = {"retries": 0}
    if own_authorities:
        settings["ca_file"] = tmp_path / "ca.pem"
        settings["ca_file"].write_text(ONE)
    async with serve(in_turn()) as elsewhere:
        there = {"Location": f"{elsewhere.url}/chat/completions", "Connection": "close"}
        with pytest.raises(ModelUnavailable, match=f"answered {status}"):
            await ask(in_turn(web.Response(status=status, headers=there)), **settings)
    assert elsewhere.seen == []


async def test_an_answer_longer_than_any_model_may_write_is_not_used() -> None:
    turn, _ = await ask(in_turn(completion("a" * 10_000_000)))
    assert (turn.fault, turn.message) == (Fault.TOO_LONG, None)


async def test_an_endpoint_that_hangs_is_given_up() -> None:
    with pytest.raises(ModelUnavailable, match="in time"):
        await ask(hang, retries=0)


async def test_an_endpoint_that_is_not_there_is_named_so() -> None:
    settings = ModelSettings(base_url="http://127.0.0.1:9/v1", retries=0)
    with pytest.raises(ModelUnavailable, match="no connection"):
        await take_turn(build_models(settings).orchestrator, [HumanMessage("x")], [TOOL])


def streamed(*chunks: str) -> Any:
    class Stream(web.StreamResponse):
        async def prepare(self, request: Any) -> Any:
            writer = await super().prepare(request)
            for chunk in chunks:
                await self.write(f"data: {chunk}\n\n".encode())
            return writer

    return Stream(headers={"Content-Type": "text/event-stream"})


def piece(delta: str, finish: str = "null") -> str:
    return (
        '{"id":"c","object":"chat.completion.chunk","created":1,"model":"m",'
        f'"choices":[{{"index":0,"delta":{delta},"finish_reason":{finish}}}]}}'
    )


START = piece(
    '{"role":"assistant","tool_calls":[{"index":0,"id":"a","type":"function",'
    '"function":{"name":"read_skill","arguments":"{\\"name\\": "}}]}'
)
REST = piece('{"tool_calls":[{"index":0,"function":{"arguments":"\\"eda\\"}"}}]}')


async def test_a_streamed_answer_is_put_together() -> None:
    turn, _ = await ask(in_turn(streamed(START, REST, piece("{}", '"tool_calls"'), "[DONE]")), stream=True)
    assert turn.message is not None
    assert turn.message.tool_calls[0]["args"] == {"name": "eda"}


async def test_a_stream_that_ends_without_a_reason_is_cut_off() -> None:
    turn, _ = await ask(in_turn(streamed(START, REST, "[DONE]")), stream=True)
    assert turn.fault is Fault.CUT_OFF


async def test_half_json_in_a_stream_is_not_completed_by_guessing() -> None:
    turn, _ = await ask(in_turn(streamed(START, piece("{}", '"tool_calls"'), "[DONE]")), stream=True)
    assert turn.fault is Fault.BROKEN_ARGUMENTS
