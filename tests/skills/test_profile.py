"""The profile says in few characters what lies in the input folder, and never falls over a bad file."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from tests.skills.guest import guest_module

table_profile = guest_module("eda", "table_profile")
tables = guest_module("eda", "tables")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    lines = ["no;who;group;amount;day;ok"]
    lines += [f"{i};Person {i} A.;{'ab'[i % 2]};{i},5;{i % 28 + 1:02}.03.2024;{i % 2}" for i in range(1, 61)]
    (tmp_path / "good.csv").write_text("\n".join([*lines, lines[-1]]), encoding="cp1251")
    (tmp_path / "empty.csv").write_bytes(b"")
    (tmp_path / "paper.pdf").write_bytes(b"%PDF-1.7")
    return tmp_path


def text_of(folder: Path, **options: bool) -> str:
    names = sorted(path.name for path in folder.iterdir())
    return str(table_profile.profile_text([table_profile.profile_file(n, folder, **options) for n in names]))


def field(file: Any, name: str) -> Any:
    return next(item for item in file["tables"][0]["fields"] if item["name"] == name)


def test_each_column_is_described_by_its_kind(folder: Path) -> None:
    file = table_profile.profile_file("good.csv", folder)
    table = file["tables"][0]
    assert (table["rows"], table["columns"], table["duplicates"], table["missing"]) == (61, 6, 1, 0)
    assert (table["encoding"], table["delimiter"]) == ("UTF-8", "semicolon")
    kinds = {item["name"]: item["kind"] for item in table["fields"]}
    assert kinds == {
        "no": "integer",
        "who": "text",
        "group": "category",
        "amount": "number",
        "day": "date",
        "ok": "integer",
    }
    amount = field(file, "amount")
    assert (amount["min"], amount["max"], amount["median"]) == (1.5, 60.5, 31.5)
    assert field(file, "group")["top"] == [["a", 31], ["b", 30]]
    assert (field(file, "day")["min"], field(file, "day")["max"]) == ("2024-03-01", "2024-03-28")


def test_row_numbers_and_codes_are_ids_and_amounts_and_years_are_not() -> None:
    kind = table_profile.kind
    assert kind(pd.Series(range(1, 101))) == "id"
    assert kind(pd.Series([i for i in range(1, 400) if i % 3])) == "id"
    assert kind(pd.Series([10_000 + i * 37 for i in range(120)] * 2)) == "id"
    assert kind(pd.Series([f"AB-{i}" for i in range(30)])) == "id"
    assert kind(pd.Series(range(1960, 2010))) == "integer"
    assert kind(pd.Series([1000 * (i % 40 + 30) for i in range(200)])) == "integer"
    assert kind(pd.Series([3.5, 2.0] * 20)) == "number"
    assert kind(pd.Series([None, None], dtype="float64")) == "empty"
    assert kind(pd.Series([True, False])) == "bool"


def test_a_bad_file_is_an_error_entry_beside_the_good_ones(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table_profile.print_profile(folder)
    out = capsys.readouterr().out
    assert out.count("\n") == 1
    printed = json.loads(out)
    errors = {item["file"]: item["error"]["code"] for item in printed["files"] if "error" in item}
    assert errors == {"empty.csv": "empty_file", "paper.pdf": "broken_file"}
    assert "good.csv: 61 rows x 6 columns, UTF-8, semicolon, 1 duplicate rows" in printed["text"]
    assert "empty.csv is empty" in printed["text"]


def test_cell_values_can_be_left_out(folder: Path) -> None:
    shown = json.dumps(table_profile.profile_file("good.csv", folder))
    hidden = json.dumps(table_profile.profile_file("good.csv", folder, sample_rows=False))
    assert "Person 1 A." in shown
    assert "Person" not in hidden
    assert '"top"' not in hidden


def test_a_table_of_two_thousand_columns_stays_short(tmp_path: Path) -> None:
    names = ",".join(f"V{i}" for i in range(2308))
    (tmp_path / "wide.csv").write_text(
        names + "\n" + ",".join(["0.5"] * 2308) + "\n" + ",".join(["1.5"] * 2308)
    )
    file = table_profile.profile_file("wide.csv", tmp_path)
    assert len(file["tables"][0]["fields"]) == table_profile.MAX_COLUMNS
    assert file["tables"][0]["other_columns"] == {"count": 2268, "by_kind": {"number": 2268}, "last": "V2307"}
    assert len(table_profile.profile_text([file])) < 4_000


def test_many_files_stay_within_the_limit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for number in range(25):
        header = ",".join(f"column number {i}" for i in range(30))
        rows = "\n".join(",".join(f"value {i} {j}" for i in range(30)) for j in range(5))
        (tmp_path / f"f{number:02}.csv").write_text(f"{header}\n{rows}")
    table_profile.print_profile(tmp_path, limit_chars=30_000)
    out = capsys.readouterr().out
    assert len(out) <= 30_001
    printed = json.loads(out)
    assert len(printed["files"]) == 20
    assert printed["not_profiled"] == [f"f{number:02}.csv" for number in range(20, 25)]


def test_headings_that_repeat_inside_a_table_are_no_duplicates() -> None:
    frame = pd.DataFrame(
        {"k": ["of which", "of which", "a", "a"], "n": [None, None, 1, 1], "m": [None, None, 2, 2]}
    )
    assert table_profile.duplicates(frame) == 1


def test_a_tiny_table_is_shown_whole(tmp_path: Path) -> None:
    (tmp_path / "funnel.csv").write_text("stage,ads,mail\nvisit,10,20\nbuy,1,\n")
    text = text_of(tmp_path)
    assert "- columns: stage (" in text
    assert "- row: visit | 10 | 20\n- row: buy | 1 | " in text
    assert "row: visit" not in text_of(tmp_path, sample_rows=False)


def test_sheets_of_one_kind_are_described_once(tmp_path: Path) -> None:
    months = {name: pd.DataFrame({c: range(40) for c in "abcde"}) for name in ("Jan", "Feb")}
    months["Feb"]["extra"] = 1
    with pd.ExcelWriter(tmp_path / "q.xlsx") as book:
        for name, frame in months.items():
            frame.to_excel(book, sheet_name=name, index=False)
    text = text_of(tmp_path)
    assert text.count("- a: ") == 1
    assert "- columns as in [Jan], with extra" in text
