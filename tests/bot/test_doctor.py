import socket
from pathlib import Path

import httpx
import pytest
from pydantic import SecretStr

from bot.entry import ExitCode
from bot.ops.doctor import (
    Check,
    Level,
    Subject,
    check_data,
    check_http,
    check_model,
    check_policies,
    check_retention,
    check_sandbox,
    check_skills,
    check_table,
    replaced_skills,
    summary,
)
from bot.settings import Settings
from bot.texts import Language, texts
from bot.trust import trust
from sandbox.policy import Container, Policy
from skills.catalog import built_in
from tests.bot.certificates import ONE, TWO

MODEL = Settings(
    llm_base_url="http://llm.test/v1/", llm_api_key=SecretStr("sk-canary-canary"), llm_model="m1"
)


async def ask(status: int, body: str = "{}") -> tuple[Check, list[httpx.Request]]:
    seen: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return httpx.Response(status, text=body)

    return await check_model(MODEL, httpx.MockTransport(answer)), seen


async def test_no_model_is_a_hint_and_no_failure() -> None:
    check = await check_model(Settings())
    assert (check.level, check.key) == (Level.WARNING, "doctor-model-offline")


async def test_the_endpoint_is_asked_once_with_the_key_and_the_key_is_not_shown() -> None:
    check, seen = await ask(200, '{"data": [{"id": "m1"}]}')
    assert (check.level, check.key) == (Level.OK, "doctor-model-ok")
    assert [str(request.url) for request in seen] == ["http://llm.test/v1/models"]
    assert seen[0].headers["authorization"] == "Bearer sk-canary-canary"
    assert "sk-canary" not in texts(Language.ENGLISH)(check.key, **check.facts)


@pytest.mark.parametrize(
    ("status", "body", "level", "key"),
    [
        (200, '{"data": [{"id": "m2"}]}', Level.WARNING, "doctor-model-unlisted"),
        (401, "", Level.FAILURE, "doctor-model-refused"),
        (404, "", Level.WARNING, "doctor-model-silent"),
    ],
)
async def test_each_answer_has_its_meaning(status: int, body: str, level: Level, key: str) -> None:
    check, _ = await ask(status, body)
    assert (check.level, check.key) == (level, key)


async def test_an_endpoint_that_is_down_is_a_failure_with_its_reason() -> None:
    def refuse(request: httpx.Request) -> httpx.Response:
        fault = "no"
        raise httpx.ConnectError(fault, request=request)

    check = await check_model(MODEL, httpx.MockTransport(refuse))
    assert (check.level, check.facts["reason"]) == (Level.FAILURE, "ConnectError")


async def test_a_certificate_file_that_is_missing_is_told(tmp_path: Path) -> None:
    settings = MODEL.model_copy(update={"deckhand_ca_file": tmp_path / "none.pem"})
    assert (await check_model(settings)).key == "doctor-model-unreachable"


def test_certificates_of_ones_own_are_trusted_besides_the_usual_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, certificate in (("usual.pem", ONE), ("own.pem", TWO)):
        (tmp_path / name).write_text(certificate)
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "usual.pem"))
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path))
    assert trust(None).cert_store_stats()["x509_ca"] == 1
    assert trust(tmp_path / "own.pem").cert_store_stats()["x509_ca"] == 2


def test_a_data_folder_that_is_a_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("")
    assert check_data(Settings(deckhand_data=tmp_path / "data")).key == "doctor-data-bad"
    assert check_data(Settings(deckhand_data=tmp_path / "other")).level is Level.OK


def test_an_unsafe_policy_is_told_with_its_key(tmp_path: Path) -> None:
    policy = tmp_path / "policy.yaml"
    policy.write_text("privileged: true\n")
    _, check = check_policies(Settings(sandbox_policy=policy))
    assert check.level is Level.FAILURE
    assert "privileged" in str(check.facts["reason"])


def test_every_policy_is_looked_at(tmp_path: Path) -> None:
    (tmp_path / "big.yaml").write_text("name: big\nnetwork: {enabled: true}\n")
    policies, check = check_policies(Settings(deckhand_data=tmp_path, sandbox_policies=tmp_path))
    assert (set(policies), check.level) == ({"default", "big"}, Level.OK)
    assert str(tmp_path) in str(check.facts["file"])


async def test_without_an_engine_that_is_told_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/no.sock")
    found = [check.key async for check in check_sandbox({"default": Policy(), "big": Policy(name="big")})]
    assert found == ["doctor-engine-bad", "doctor-image-unknown"]


@pytest.mark.docker
async def test_the_image_that_only_one_policy_lacks_is_named_with_it(docker_policy: Policy) -> None:
    lacking = Policy(name="big", container=Container(image="deckhand-nowhere:1"))
    found = [check async for check in check_sandbox({"default": docker_policy, "big": lacking})]
    assert [(check.key, check.policy) for check in found] == [
        ("doctor-engine-ok", ""),
        ("doctor-image-ok", "default"),
        ("doctor-image-missing", "big"),
    ]
    cells = list(check_table(found, texts(Language.ENGLISH)).columns[0].cells)
    assert str(cells[-1]) == "sandbox image (big)"


def test_a_broken_skill_of_the_team_is_told(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "SKILL.md").write_text("no front matter")
    assert check_skills(Settings(skills_dir=tmp_path)).key == "doctor-skills-bad"


def test_a_skill_of_the_team_that_replaces_ours_is_told(tmp_path: Path) -> None:
    for name in ("eda", "house-style"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "SKILL.md").write_text(f"---\nname: {name}\ndescription: x\n---\nDo it.\n")
    check = check_skills(Settings(skills_dir=tmp_path))
    assert (check.level, check.key, check.facts["names"]) == (Level.OK, "doctor-skills-replaced", "eda")
    assert replaced_skills(tmp_path / "eda") == ("eda",)
    assert replaced_skills(tmp_path / "house-style") == ()
    assert replaced_skills(built_in()) == ()


def test_the_first_thing_that_is_missing_gives_the_exit_code() -> None:
    t = texts(Language.ENGLISH)
    image = Check(Subject.IMAGE, Level.FAILURE, "doctor-image-missing", {"image": "x"})
    offline = Check(Subject.MODEL, Level.WARNING, "doctor-model-offline")
    assert summary([offline], t) == ("Ready.", ExitCode.DONE)
    assert summary([offline, image], t) == ("One thing is missing.", ExitCode.SANDBOX)


@pytest.mark.parametrize("language", Language)
async def test_what_the_checks_find_can_be_said_in_both_languages(language: Language, tmp_path: Path) -> None:
    settings = MODEL.model_copy(update={"deckhand_data": tmp_path})
    found = [check_data(settings), check_policies(settings)[1], (await ask(404))[0], (await ask(200))[0]]
    assert all(texts(language)(check.key, **check.facts) for check in found)


def test_a_free_port_a_taken_one_and_the_one_that_our_bot_has_are_told_apart() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        settings = Settings(deckhand_http=f"127.0.0.1:{taken.getsockname()[1]}")
        assert check_http(settings, serving=False).key == "http-taken"
        assert check_http(settings, serving=True).key == "doctor-http-ours"
    assert check_http(settings, serving=False).key == "doctor-http-ok"
    assert check_http(Settings(), serving=False).key == "doctor-http-none"


def test_a_webhook_without_a_server_is_a_failure() -> None:
    check = check_http(Settings(telegram_webhook_url="https://deck.test"), serving=False)
    assert (check.level, check.key) == (Level.FAILURE, "doctor-http-needed")


def test_how_long_things_are_kept_is_told() -> None:
    assert check_retention(Settings()).key == "doctor-retention-none"
    assert check_retention(Settings(deckhand_keep_days=30)).facts == {"days": 30}
