"""What the checks report of a folder of deliverables, to the host and to the author."""

import json
from pathlib import Path
from typing import Any

import pytest

from skills.catalog import read_skill_folder
from tests.skills.gate_decks import put_text, saved, sound_deck
from tests.skills.guest import SKILLS, guest_module

guest_module("presentation", "deck_metrics")
checks: Any = guest_module("checks", "checks")
gate_model: Any = guest_module("checks", "gate_model")

RECORDS = [
    {"kind": "table", "id": "orders", "values": [270, 170, 160, 600, 48, 3], "text": "", "traced": True},
    {"kind": "drawn", "id": "chart", "target": "deck.pptx", "values": [0.05, 0.12, 0.07], "unit": "%"},
    {"kind": "assumption", "id": "a1", "text": "Rows without a region were left out."},
    {"kind": "assumption", "id": "a2", "text": "Rows without a region were left out."},
]


@pytest.fixture
def out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with records of facts, as a script of the host finds it."""
    facts = tmp_path / ".deckhand" / "facts"
    facts.mkdir(parents=True)
    lines = [json.dumps(record) for record in RECORDS]
    (facts / "one.jsonl").write_text("\n".join([*lines, "{broken", "[]", '{"kind": 3}']))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_sound_folder_is_reported_with_its_numbers_facts_and_assumptions(
    out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    saved(sound_deck(), out / "deck.pptx")
    checks.print_report(answer="South returns 12% of its orders.")
    printed = capsys.readouterr().out
    assert printed.count("\n") == 1
    report = json.loads(printed)
    assert report["findings"] == []
    assert report["untraced"] == []
    assert report["numerals"] == report["traced"] >= 10
    assert report["assumptions"] == ["Rows without a region were left out."]
    assert [record["id"] for record in report["facts"]] == ["orders", "chart", "a1", "a2"]


def test_a_number_that_no_fact_accounts_for_is_in_the_report_and_among_the_findings(out: Path) -> None:
    deck = sound_deck()
    put_text(deck.slides[3], "North earned 8,142 pounds.", 7, 2, 5, 0.8)
    saved(deck, out / "deck.pptx")
    report = checks.report(answer="South returns 31.7% of its orders.")
    assert {(item["file"], item["text"]) for item in report["untraced"]} == {
        ("deck.pptx", "8,142 pounds"),
        ("", "31.7%"),
    }
    assert [item["code"] for item in report["findings"]] == ["untraced"]


def test_only_deliverables_are_judged_and_records_are_not(out: Path) -> None:
    (out / "notes.md").write_text("TODO")
    (out / "figures.json").write_text("{}")
    (out / ".deckhand" / "draft.md").write_text("TODO")
    (out / "parts").mkdir()
    (out / "parts" / "rubbish.png").write_bytes(b"rubbish")
    found = checks.report()["findings"]
    assert {(item["file"], item["code"]) for item in found} == {
        ("notes.md", "leftover_text"),
        ("parts/rubbish.png", "unreadable"),
    }


def test_pages_are_told_by_file_and_compared(out: Path) -> None:
    saved(sound_deck(), out / "deck.pptx")
    found = checks.report(pages={"deck.pptx": 7})["findings"]
    assert [item["code"] for item in found] == ["page_count"]


def test_a_folder_full_of_rubbish_is_reported_within_bounds(out: Path) -> None:
    for number in range(40):
        (out / f"{number}.pptx").write_bytes(b"PK\x03\x04" + bytes(range(256)) * number)
        (out / f"{number}.md").write_text("TODO lorem ipsum {{x}}\n" * 50)
    (out / ".deckhand" / "facts" / "two.jsonl").write_bytes(b"\xff\xfe" * 1000 + b"[" * 100_000)
    report = checks.report()
    assert len(report["findings"]) == checks.MOST
    assert {item["check"] for item in report["findings"]} <= {1, 2}
    assert len(json.dumps(report)) < 200_000


def test_an_author_reads_what_to_mend_line_by_line(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    deck = sound_deck()
    deck.slides[2].shapes.title.text_frame.text = "TODO"
    saved(deck, out / "deck.pptx")
    assert not checks.check("deck.pptx")
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].endswith("findings to mend")
    assert any(line.startswith("MEND [2 leftover_text] deck.pptx: slide 3") for line in lines)


def test_the_skill_names_every_check_and_fits_two_pages() -> None:
    body = read_skill_folder(SKILLS / "checks").body()
    assert all(f"| {number} |" in body for number in range(1, 17))
    assert {number for number, _ in gate_model.CODES.values()} == set(range(1, 16))
    assert len(body.splitlines()) <= 110
