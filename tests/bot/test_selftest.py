"""`deckhand sandbox selftest`, what doctor tells of a proof, and the refusal to start."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bot.app import open_app
from bot.cli import cli
from bot.entry import ExitCode
from bot.errors import SettingsError
from bot.ops.check import Check, Level, Subject
from bot.ops.doctor import summary
from bot.ops.proof import check_proofs, of_each, told
from bot.ops.selftest import report_files, write
from bot.settings import Settings
from bot.texts import Language, texts
from sandbox.errors import Degraded
from sandbox.policy import Network, Policy
from sandbox.policyfile import parse_policy
from sandbox.probe.compare import compare
from sandbox.probe.verdict import Verdict
from tests.sandbox.test_probe import HOST, POLICY, facts


def verdict(policy: Policy = POLICY, **changes: object) -> Verdict:
    proofs = compare(policy, facts(lambda seen: seen.update(changes)), HOST)
    return Verdict(at=datetime(2026, 3, 1, tzinfo=UTC), policy=policy, image="x", host=HOST, proofs=proofs)


def lines(found: Verdict) -> dict[Subject, Check]:
    return {check.subject: check for check in told(found)}


def test_a_host_without_fault_has_a_line_for_each_question() -> None:
    found = lines(verdict())
    assert {check.level for check in found.values()} == {Level.OK}
    assert found[Subject.PROOF].facts["kept"] == found[Subject.PROOF].facts["all"]
    assert set(found) == {
        Subject.PROOF,
        Subject.DEGRADED,
        Subject.EXCEPTIONS,
        Subject.RUNC,
        Subject.APPARMOR,
    }


def test_a_broken_promise_is_a_failure_with_the_code_of_the_sandbox() -> None:
    checks = list(told(verdict(hostname="db-7")))
    found = {check.subject: check for check in checks}
    assert found[Subject.PROOF].level is Level.FAILURE
    assert (found[Subject.DEGRADED].level, found[Subject.DEGRADED].facts["code"]) == (
        Level.FAILURE,
        "network",
    )
    assert summary(checks, texts(Language.ENGLISH))[1] is ExitCode.SANDBOX


def test_an_accepted_degradation_an_exception_and_a_warning_are_to_be_looked_at() -> None:
    policy = parse_policy("network: {enabled: true}")
    found = lines(verdict(policy, landlock=0, label="", core_pattern="|/bin/x"))
    assert found[Subject.PROOF].level is Level.OK
    for subject in (Subject.DEGRADED, Subject.EXCEPTIONS, Subject.APPARMOR, Subject.HOST):
        assert found[subject].level is Level.WARNING
    assert found[Subject.EXCEPTIONS].facts["keys"] == "network.enabled"


@pytest.mark.parametrize("language", Language)
def test_every_line_can_be_said_in_both_languages(language: Language) -> None:
    t = texts(language)
    policy = parse_policy("network: {enabled: true}")
    for found in (
        verdict(),
        verdict(policy, landlock=0, label="", core_pattern="|x"),
        verdict(setuid=["/x"]),
    ):
        assert all(t(check.key, **check.facts) for check in told(found))


def test_a_report_takes_the_name_that_was_asked_for(tmp_path: Path) -> None:
    files = write(verdict(), tmp_path / "audit.md")
    assert files == (tmp_path / "audit.md", tmp_path / "audit.json")
    assert files[0].read_text().startswith("# Self-test of Deckhand's sandbox")
    assert json.loads(files[1].read_text())["summary"]["broken"] == 0
    with pytest.raises(SettingsError, match="selftest-unwritable"):
        write(verdict(), tmp_path / "nowhere" / "audit.md")


def test_a_report_replaces_no_file_of_a_name_that_is_alike(tmp_path: Path) -> None:
    assert report_files(tmp_path / "audit-1.2") == (tmp_path / "audit-1.2.md", tmp_path / "audit-1.2.json")
    assert report_files(tmp_path / "audit.json", "big")[0] == tmp_path / "audit-big.md"
    with pytest.raises(SettingsError, match=r"selftest-unwritable.*Is a directory"):
        report_files(tmp_path)


def test_what_is_wrong_with_any_policy_is_told_with_its_name() -> None:
    weaker = parse_policy("name: big\nnetwork: {enabled: true}")
    found = {
        "default": tuple(told(verdict(core_pattern="|/bin/x"))),
        "big": tuple(told(verdict(weaker, landlock=0, core_pattern="|/bin/x"))),
    }
    looks = [(check.subject, check.policy) for check in of_each(found) if check.level is Level.WARNING]
    assert looks == [(Subject.HOST, ""), (Subject.DEGRADED, "big"), (Subject.EXCEPTIONS, "big")]
    assert not any(check.policy for check in of_each({"default": found["default"]}))


@pytest.mark.docker
async def test_each_policy_is_proved_under_its_own_name(tmp_path: Path, docker_policy: Policy) -> None:
    weaker = docker_policy.model_copy(update={"name": "big", "network": Network(enabled=True)})
    settings = Settings(deckhand_data=tmp_path)
    found = await check_proofs(settings, {"default": docker_policy, "big": weaker})
    exceptions = [(check.policy, check.level) for check in found if check.subject is Subject.EXCEPTIONS]
    assert exceptions == [("default", Level.OK), ("big", Level.WARNING)]
    assert [check.policy for check in found if check.key == "doctor-proof"] == ["default", "big"]


@pytest.mark.docker
def test_selftest_shows_every_check_and_writes_it_down(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, docker_policy: Policy
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    shown = CliRunner().invoke(cli, ["sandbox", "selftest"])
    assert shown.exit_code == 0, shown.output
    assert "masked paths" in shown.stdout
    assert "0 broken." in " ".join(shown.stdout.split())
    [report] = (tmp_path / "data").glob("selftest-*.json")
    assert json.loads(report.read_text())["summary"]["broken"] == 0


@pytest.mark.docker
async def test_the_bot_does_not_start_on_a_broken_promise(tmp_path: Path, docker_policy: Policy) -> None:
    policy = tmp_path / "policy.yaml"
    policy.write_text("container: {user_namespace: true}\n")
    settings = Settings(deckhand_data=tmp_path / "data", sandbox_policy=policy)
    with pytest.raises(Degraded, match="user-namespace"):
        async with open_app(settings, {}):
            pytest.fail("it started")
    assert not list((tmp_path / "data" / "leases").glob("*"))


async def test_without_an_engine_the_proof_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/no.sock")
    [check] = await check_proofs(Settings(deckhand_data=tmp_path), {"default": POLICY})
    assert (check.subject, check.level, check.key) == (Subject.PROOF, Level.FAILURE, "doctor-proof-none")
