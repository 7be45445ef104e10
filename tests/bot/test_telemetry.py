import json
import logging
from pathlib import Path

import pytest
import structlog

from bot.telemetry import Redactor, bind, note_fault, open_log

CANARIES = (
    "sk-abcdefghijklmnop",
    "xoxb-123456789-abcdef",
    "123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw1",
    "ghp_abcdefghijklmnopqrstuvwx",
)


@pytest.mark.parametrize("canary", CANARIES)
def test_what_looks_like_a_secret_is_hidden(canary: str) -> None:
    for line in (f'{{"key": "{canary}"}}', f"https://api.example/{canary}/x", f"refused {canary}."):
        assert canary not in Redactor()(line)


def test_a_token_inside_the_address_of_the_bot_interface_is_hidden() -> None:
    assert CANARIES[2] not in Redactor()(f"GET https://api.telegram.org/bot{CANARIES[2]}/getMe")


@pytest.mark.parametrize("line", ["Authorization: Bearer abcdef123456", "postgresql://ann:pa55@db/x"])
def test_headers_and_addresses_lose_their_secret_only(line: str) -> None:
    hidden = Redactor()(line)
    assert "abcdef123456" not in hidden
    assert "pa55" not in hidden
    assert "[hidden]" in hidden


def test_known_secrets_are_hidden_whatever_their_shape(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with open_log(log, hide=["hunter2"]):
        structlog.stdlib.get_logger("x").info("login", password="hunter2")  # noqa: S106  # the canary
        logging.getLogger("some.package").warning("it was %s", "hunter2")
    text = log.read_text("utf-8")
    assert "hunter2" not in text
    assert [json.loads(line)["event"] for line in text.splitlines()] == ["login", "it was [hidden]"]


def test_a_fault_is_found_by_its_id_with_its_trace_and_what_was_bound(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with open_log(log), structlog.contextvars.bound_contextvars():
        bind(run_id="r1")
        fault_id = note_fault(ValueError("token sk-abcdefghijklmnop"))
        structlog.contextvars.clear_contextvars()
    (line,) = [json.loads(text) for text in log.read_text("utf-8").splitlines()]
    assert (line["fault_id"], line["run_id"], line["level"]) == (fault_id, "r1", "error")
    assert "ValueError" in line["exception"]
    assert "sk-abc" not in line["exception"]


def test_nothing_is_written_to_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with open_log(tmp_path / "log"):
        structlog.stdlib.get_logger("x").error("quiet")
        logging.getLogger("y").error("quiet")
    assert capsys.readouterr() == ("", "")


def test_a_full_disk_costs_lines_of_the_log_and_neither_the_run_nor_the_terminal(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with open_log(Path("/dev/full")):
        for _ in range(3):
            note_fault(ValueError("lost"))
    assert capsys.readouterr() == ("", "")
