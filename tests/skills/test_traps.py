"""Each trap of a table is named in its profile, and a table without it is left in peace."""

import json
import random
from collections.abc import Callable, Iterable, Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import pytest

from tests.skills.guest import guest_module

tables = guest_module("eda", "tables")
table_profile = guest_module("eda", "table_profile")
traps = guest_module("eda", "traps")

Write = Callable[..., Any]
ROWS = 200


def of(rows: Iterable[Sequence[object]], names: str) -> dict[str, Any]:
    """The traps of a table, by code."""
    frame = pd.DataFrame(list(rows), columns=names.split())
    return {note.code: note for note in traps.of(tables.Table("t", "t.csv", frame))}


def sales(**changes: Any) -> list[list[Any]]:
    """Invoice, product, quantity, price: 200 dull rows, of which `changes` replaces some ({"r5": [...]})."""
    dull = [[f"{5000 + i // 3}", f"{20000 + i % 20}", 1 + i % 7, 2.5 + i % 3] for i in range(ROWS)]
    for name, row in changes.items():
        dull[int(name[1:])] = row
    return dull


NAMES = "invoice product quantity price"


def test_a_dull_table_of_sales_has_no_traps() -> None:
    assert of(sales(), NAMES) == {}


# Rows


def test_rows_that_sum_up_others_are_found_by_their_word_and_by_their_sum() -> None:
    words = of([["North", 10, 1.5], ["South", 30, 2.5], ["Итого", 41, 4.5]], "region n amount")
    assert words["total_rows"].facts == {"count": 1, "rows": [3], "labels": ["Итого"]}
    sums = of([["全国", 100, 50], ["A", 60, 20], ["B", 30, 20], ["C", 10, 10]], "place y2023 y2024")
    assert sums["total_rows"].facts["labels"] == ["全国"]


def test_subtotals_are_found_by_the_sum_of_the_rows_above_them() -> None:
    rows = [
        ["a", 11, 105], ["b", 23, 340], ["c", 31, 77], ["first half", 65, 522],
        ["d", 45, 12], ["e", 17, 48], ["f", 50, 51], ["second half", 112, 111],
    ]  # fmt: skip
    assert of(rows, "what n amount")["total_rows"].facts["rows"] == [4, 8]
    assert "total_rows" not in of([row for row in rows if "half" not in str(row[0])], "what n amount")


def test_rows_under_a_heading_such_as_including_are_said_to_be_parts(tmp_path: Path) -> None:
    text = "Отрасль;2023;2024\nПромышленность;100;120\nв том числе:;;\nметаллы;41;52\nхимия;30;31\n"
    (tmp_path / "a.csv").write_text(text, encoding="cp1251")
    said = profile(tmp_path, "a.csv")
    assert "Rows under в том числе: are parts of the row above" in said
    assert "Windows-1251, semicolon" in said


# Codes


def test_codes_without_a_digit_among_codes_with_digits_are_services() -> None:
    changes = {f"r{i}": ["5001", name, 1, 18.0] for i, name in enumerate(["POST", "POST", "M"])}
    found = of(sales(**changes), NAMES)["service_codes"]
    assert found.facts == {
        "column": "product", "count": 2, "rows": 3, "examples": ["POST (2)", "M (1)"],
    }  # fmt: skip
    countries = [[f"{i}", name] for i, name in enumerate(["FR", "DE", "NA", "IT"] * 20)]
    assert "service_codes" not in of(countries, "id country")


def test_negative_rows_whose_codes_begin_alike_are_cancellations() -> None:
    changes = {f"r{i}": [f"C{6000 + i}", "20001", -2, 2.5] for i in range(0, 60, 6)}
    changes["r100"] = ["5100", "20001", -30, 0.0]
    found = of(sales(**changes), NAMES)["cancellations"]
    assert found.facts == {
        "column": "quantity", "count": 11, "code": "invoice", "example": "C", "rows": 10,
    }  # fmt: skip
    assert "cancellations" not in of(sales(), NAMES)


def test_negative_rows_without_a_mark_are_told_too() -> None:
    changes = {f"r{i}": ["5001", "20001", -2, 2.5] for i in range(0, 60, 6)}
    assert of(sales(**changes), NAMES)["negatives"].facts == {"column": "quantity", "count": 10}


# Money and units


def test_a_column_of_currencies_says_that_amounts_are_not_added_up() -> None:
    rows = [[1000 + i, ["USD", "EUR", "GBP"][i % 3]] for i in range(30)]
    assert of(rows, "salary currency")["currency_column"].facts["count"] == 3
    assert "currency_column" not in of([[n, "USD"] for n, _ in rows], "salary currency")


def test_amounts_written_in_several_currencies_stay_text_and_are_named(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("n;amount\n" + "".join(f"{i};{'$€'[i % 2]}{i}5\n" for i in range(1, 20)))
    assert "amount mixes currencies ($, €); it stays text" in profile(tmp_path, "a.csv")


def test_units_behind_numbers_are_named_and_mixed_ones_warned_of() -> None:
    assert of([[f"{i} kg"] for i in range(20)], "w")["units"].facts["units"] == ["kg"]
    assert of([[f"{i} {['kg', 'g'][i % 2]}"] for i in range(20)], "w")["mixed_units"].facts["units"] == [
        "g",
        "kg",
    ]
    assert of([[f"flat {i}"] for i in range(20)], "w") == {}


def test_a_few_values_in_another_unit_are_found_by_their_size() -> None:
    chance = random.Random(1)  # noqa: S311  # no secret
    heights = [round(chance.gauss(172, 9), 1) for _ in range(200)]
    mixed = [*heights[:190], *(round(value / 100, 2) for value in heights[190:])]
    found = of([[value] for value in mixed], "height")["other_unit"]
    assert (found.facts["count"], found.facts["factor"], found.facts["side"]) == (10, 100, "smaller")
    assert "other_unit" not in of([[value] for value in heights], "height")
    incomes = [[round(chance.lognormvariate(8, 1.2), 2)] for _ in range(200)]
    assert "other_unit" not in of(incomes, "income")


# Amounts


def test_one_row_that_makes_a_leader_is_named() -> None:
    found = of(sales(r17=["5005", "20017", 60, 649.5]), NAMES)
    facts = found["dominant_in_group"].facts
    assert (facts["label"], facts["column"], facts["row"]) == ("20017", "product", 18)
    assert facts["measure"] == "quantity × price"


def test_one_row_that_carries_the_total_is_named() -> None:
    rows = [[f"p{i % 9}", 10.0 + i % 5] for i in range(150)]
    rows[40][1] = 9_000.0
    facts = of(rows, "product amount")["dominant_row"].facts
    assert (facts["row"], facts["share"], facts["amount"]) == (41, "83%", "9,000")
    assert "dominant_row" not in of(rows[:40] + rows[41:], "product amount")


def test_a_column_of_one_value_is_named() -> None:
    assert of([[1, "x", i] for i in range(5)], "a b c")["constant_columns"].facts == {"columns": ["a", "b"]}


# Time


def days(first: str, last: str, step: int = 1) -> list[list[Any]]:
    begin, end = date.fromisoformat(first), date.fromisoformat(last)
    found = [begin + timedelta(days=n) for n in range(0, (end - begin).days + 1, step)]
    return [[pd.Timestamp(day), n] for n, day in enumerate(found)]


@pytest.mark.parametrize(
    ("first", "last", "partial"),
    [
        ("2010-12-01", "2011-12-09", ["2011-12"]),
        ("2024-01-20", "2024-06-30", ["2024-01"]),
        ("2019-01-01", "2023-05-31", ["2023"]),
        ("2024-01-01", "2024-12-31", []),
    ],
)
def test_a_period_that_the_data_only_begin_or_end_in_is_named(
    first: str, last: str, partial: list[str]
) -> None:
    found = of(days(first, last), "day n")
    assert (found["partial_periods"].facts["periods"] if partial else []) == partial
    assert ("partial_periods" in found) == bool(partial)


def test_whole_numbers_that_look_like_unix_time_are_said_to() -> None:
    stamps = [[1_372_701_600 + i * 3_600] for i in range(60)]
    assert of(stamps, "start")["epoch_like"].facts == {"column": "start", "unit": "seconds"}
    assert "epoch_like" not in of([[90_000 + i * 31] for i in range(60)], "start")


# As the profile tells them


def profile(folder: Path, name: str, **options: bool) -> str:
    return str(table_profile.profile_text([table_profile.profile_file(name, folder, **options)]))


def test_a_row_longer_than_the_header_does_not_shift_the_columns(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("a,b,c\n1,2,3\n4,5,6,too long\n7,8\n")
    (table,) = tables.read(tmp_path / "a.csv")
    assert list(table.frame["a"]) == [1, 4, 7]
    assert list(table.frame.columns) == ["a", "b", "c", "column_4"]
    assert "2 rows do not have the header's 3 fields: row 3 has 4, row 4 has 2" in profile(tmp_path, "a.csv")


def test_headers_that_are_blank_or_repeat_are_named(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x,,x\n1,2,3\n4,5,6\n")
    said = profile(tmp_path, "a.csv")
    assert "Columns without a name were named column_2" in said
    assert "Repeated column names got numbers: x_2" in said


def test_dates_in_two_formats_and_years_of_two_digits_are_told(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("n,day\n1,2024-03-08\n2,2024-03-09\n3,03/10/2024\n")
    (tmp_path / "b.csv").write_text("n,day\n1,7/1/62\n2,8/13/64\n3,1/31/06\n")
    assert "Day and month order in day is not certain; read as MDY" in profile(tmp_path, "a.csv")
    assert "day mixes date formats; 1 values differ" in profile(tmp_path, "a.csv")
    assert "day has two-digit years; they were read as 1962 to 2006" in profile(tmp_path, "b.csv")


def test_the_country_na_is_no_gap(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("country,n\nNA,1\nZA,2\nNA,3\nNone,4\n")
    said = profile(tmp_path, "a.csv")
    assert "country has the text NA, None" in said
    assert "missing" not in said


def test_numbers_with_the_mark_of_a_footnote_are_named(tmp_path: Path) -> None:
    cells = [str(100 + i) for i in range(30)]
    cells[3], cells[9] = "103*", "109¹"
    (tmp_path / "a.csv").write_text("n;what\n" + "".join(f"{cell};x{i}\n" for i, cell in enumerate(cells)))
    assert "n stays text: 2 numbers carry a mark, such as 103*, 109¹" in profile(tmp_path, "a.csv")


def test_ids_of_sixteen_and_more_digits_are_kept_to_the_last_one(tmp_path: Path) -> None:
    card, big = "4111111111111111", 9_007_199_254_740_993
    (tmp_path / "a.csv").write_text(f"card,n\n{card},1\n,2\n")
    (tmp_path / "b.json").write_text(json.dumps([{"id": big}, {"id": None}, {"id": big + 2}]))
    frame = pd.DataFrame({"id": pd.array([big, None, big + 2], dtype="Int64"), "n": [1, 2, 3]})
    frame.to_parquet(tmp_path / "c.parquet")
    assert tables.read_one("a.csv", folder=tmp_path).frame["card"][0] == card
    for name in ("b.json", "c.parquet"):
        assert list(tables.read_one(name, folder=tmp_path).frame["id"].dropna()) == [str(big), str(big + 2)]


def test_a_workbook_is_said_to_have_lost_the_last_digits_of_long_numbers(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    # a new workbook has an active sheet, and it is no chart
    book.active.append(["id", "n"])  # pyright: ignore[reportOptionalMemberAccess, reportAttributeAccessIssue]
    for n in range(3):
        book.active.append([1_234_567_890_123_450 + n * 10, n])  # pyright: ignore[reportOptionalMemberAccess, reportAttributeAccessIssue]
    book.save(tmp_path / "a.xlsx")
    assert "id have numbers of 16 and more digits" in profile(tmp_path, "a.xlsx")


def test_two_whole_rows_are_shown_of_a_longer_table(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("n,who\n" + "".join(f"{i},person {i}\n" for i in range(40)))
    assert "- row: 0 | person 0\n- row: 1 | person 1" in profile(tmp_path, "a.csv")


def test_values_are_left_out_of_every_sentence(tmp_path: Path) -> None:
    cells = [f"{i}.5" for i in range(60)]
    cells[7] = "secret-7"
    lines = [f"{cell};NA;{i % 28 + 1:02}.0{i % 9 + 1}.24;USD-secret;{-i}" for i, cell in enumerate(cells)]
    (tmp_path / "a.csv").write_text("Secret report for 2024\na;b;day;d;e\n" + "\n".join(lines))
    assert "secret-7" in profile(tmp_path, "a.csv")
    said = profile(tmp_path, "a.csv", sample_rows=False)
    assert "secret" not in said.lower()
    assert "2024-01" in said
    assert "2024-01-0" not in said


def test_every_sentence_can_be_said_without_the_values_of_cells() -> None:
    model = guest_module("eda", "tables_model")
    for code, sentence in model.SENTENCES["en"].items():
        named = {part.split("}")[0] for part in sentence.split("{")[1:]}
        note = tables.Note(code, dict.fromkeys(named, "canary"))
        assert (
            named <= model.CELLS
            or not named
            or note.text(cells=False).count("canary")
            == len(
                [
                    name
                    for name in named
                    if name not in model.CELLS
                    for _ in range(sentence.count("{" + name + "}"))
                ]
            )
        )
