"""A file too large for memory is sampled and that is said; a file of nothing is refused at once."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.skills.guest import guest_module

tables = guest_module("eda", "tables")
table_profile = guest_module("eda", "table_profile")
tables_sample = guest_module("eda", "tables_sample")
tables_room = guest_module("eda", "tables_room")

LIMIT = 200_000


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits a thousandth of the real ones."""
    monkeypatch.setattr(tables, "MAX_BYTES", LIMIT)


def lines(count: int, note: str = "plain") -> str:
    return "".join(f"{i},{i % 7},{note} {i % 50}\n" for i in range(count))


def sampled(folder: Path, name: str) -> Any:
    (table,) = tables.sample(name, folder)
    return table


def test_a_large_table_is_sampled_evenly_and_its_rows_are_counted(tmp_path: Path) -> None:
    (tmp_path / "big.csv").write_text("id,k,note\n" + lines(40_000))
    table = sampled(tmp_path, "big.csv")
    facts = table.note("sampled").facts
    assert (facts["rows"], facts["counted"], facts["places"]) == ("40,000", "by its lines", 16)
    assert list(table.frame.columns) == ["id", "k", "note"]
    assert 500 < len(table.frame) < 5_000
    assert table.frame["id"].min() == 0
    assert table.frame["id"].max() > 37_000
    assert set(table.frame["k"]) == set(range(7))
    assert table.note("ragged_rows") is None
    said = table_profile.profile_text([table_profile.profile_file("big.csv", tmp_path)])
    assert f"a sample of {len(table.frame)} of 40,000 rows x 3 columns" in said
    assert "Read the file in parts for totals" in said


def test_line_breaks_inside_cells_tear_no_row_of_a_sample(tmp_path: Path) -> None:
    body = "".join(f'{i},"first, {i}\nsecond {i}\nthird",{i % 5}\n' for i in range(20_000))
    (tmp_path / "big.csv").write_text("id,note,k\n" + body)
    table = sampled(tmp_path, "big.csv")
    assert table.note("ragged_rows") is None
    assert table.frame["note"].str.fullmatch(r"first, \d+\nsecond \d+\nthird").all()
    assert set(table.frame["k"]) == set(range(5))


@pytest.mark.parametrize(("encoding", "shown"), [("utf-16", "UTF-16LE with BOM"), ("cp1251", "Windows-1251")])
def test_letters_survive_in_a_sample(tmp_path: Path, encoding: str, shown: str) -> None:
    (tmp_path / "big.csv").write_bytes(
        ("id,k,note\n" + lines(30_000, "привет, мир".replace(",", ""))).encode(encoding)
    )
    table = sampled(tmp_path, "big.csv")
    assert table.note("encoding").facts["encoding"] == shown
    assert table.frame["note"].str.fullmatch(r"привет мир \d+").all()
    assert table.note("sampled").facts["rows"] == "30,000"


def test_json_lines_are_sampled_too(tmp_path: Path) -> None:
    (tmp_path / "big.jsonl").write_text(
        "".join(json.dumps({"id": i, "k": "x" * 9}) + "\n" for i in range(20_000))
    )
    table = sampled(tmp_path, "big.jsonl")
    assert list(table.frame.columns) == ["id", "k"]
    assert table.frame["id"].max() > 18_000


def test_beyond_what_is_counted_the_rows_are_estimated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables_sample, "COUNTED", LIMIT)
    (tmp_path / "big.csv").write_text("id,k,note\n" + lines(40_000))
    facts = sampled(tmp_path, "big.csv").note("sampled").facts
    assert facts["counted"] == "estimated from the sample"
    assert abs(int(facts["rows"].removeprefix("about ").replace(",", "")) - 40_000) < 4_000


def test_two_gigabytes_of_zeros_are_no_table_at_once(tmp_path: Path) -> None:
    with (tmp_path / "zeros.csv").open("wb") as file:
        file.truncate(2 << 30)
    profile = table_profile.profile_file("zeros.csv", tmp_path)
    assert profile["error"]["code"] == "not_a_table"
    with pytest.raises(tables.TooLarge):
        tables.read("zeros.csv", tmp_path)


@pytest.mark.parametrize("content", [b"PK\x03\x04", b"PAR1", b'[{"a": 1}', b"%PDF-1.7"])
def test_what_cannot_be_read_in_part_is_too_large(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "big.bin").write_bytes(content + b"x" * LIMIT)
    assert table_profile.profile_file("big.bin", tmp_path)["error"]["code"] == "too_large"


def test_a_scripts_read_of_a_large_file_is_refused_and_a_small_file_is_no_sample(tmp_path: Path) -> None:
    (tmp_path / "big.csv").write_text("id,k,note\n" + lines(20_000))
    (tmp_path / "small.csv").write_text("id,k,note\n" + lines(20))
    with pytest.raises(tables.TooLarge):
        tables.read("big.csv", tmp_path)
    assert sampled(tmp_path, "small.csv").note("sampled") is None


def test_a_smaller_container_reads_less_of_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    limit = tmp_path / "memory.max"
    monkeypatch.setattr(tables_room, "LIMITS", (str(limit),))
    found: list[int] = []
    for text in ("1073741824", "268435456", "max"):
        limit.write_text(text + "\n")
        found.append(tables_room.text_limit() >> 20)
    assert found == [80, 21, 80]
