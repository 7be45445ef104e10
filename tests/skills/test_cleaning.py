"""Nothing is dropped or corrected silently: each step has a line with counts, each doubt a question."""

import datetime
import re
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import pytest

from tests.skills.guest import SKILLS, guest_module
from tests.skills.scripts_of_facts import run_script

cleaning: Any = guest_module("data-cleaning", "cleaning")
spelling: Any = guest_module("data-cleaning", "cleaning_spelling")
EXAMPLE = re.findall(
    r"```python\n(.*?)```", (SKILLS / "data-cleaning/SKILL.md").read_text("utf-8"), re.DOTALL
)[0]


def staff(path: Path) -> str:
    """A title, an empty row, a header with a name twice, day numbers among dates, a person in two rows."""
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    rows = [
        ["Refreshed on: Dec-27"],
        ["First name", "Last name", "Hired", "Salary", "City", "Award", "Award", "do not edit"],
        [None] * 8,
        ["Jason", "Bourne", 39690, "1 200", "Moscow", "x", "y", None],
        ["Jason", "Bourne", datetime.datetime(2019, 1, 14), "800", "Moscow", "x", None, None],  # noqa: DTZ001  # as in a sheet
        ["Micheal", "Larsen ", 40071, "1 500", "Moscwo", None, None, None],
        ["Ada", "Lovelace", 38572, "n. n.", "Paris", None, "z", None],
    ]
    for row in rows:
        sheet.append(row)
    book.save(path)
    return str(path)


def test_a_messy_sheet_becomes_a_table_and_the_log_says_how(tmp_path: Path) -> None:
    c = cleaning.start(staff(tmp_path / "staff.xlsx"))
    c.trim().dates("Hired").numbers("Salary")
    assert len(c.frame) == 4
    assert {"Award", "Award_2"} <= set(c.frame.columns)
    first = c.frame.Hired.tolist()
    assert first[0] == pd.Timestamp("2008-08-30") == pd.Timestamp("1899-12-30") + pd.Timedelta(days=39690)
    assert c.frame["Last name"].tolist()[2] == "Larsen"
    assert c.frame.Salary.tolist()[:3] == [1200, 800, 1500]
    assert pd.isna(c.frame.Salary.iloc[3])
    assert c.frame["Salary (as written)"].tolist()[3] == "n. n."
    log = c.log.set_index("What")
    assert (
        "Rows above the header are not data: Refreshed on: Dec-27."
        in log.loc["found on reading"].Detail.tolist()
    )
    assert (log.loc["spaces removed", "Column"], log.loc["spaces removed", "Cells changed"]) == (
        "Last name",
        1,
    )
    assert (c.log["Rows before"] == 4).all()
    unread = c.questions[c.questions.What == "not understood, kept as written"]
    assert unread[["Column", "Cells or rows"]].to_numpy().tolist() == [["Salary", 1]]


def test_people_with_several_rows_and_close_spellings_are_asked_about_and_left_alone(tmp_path: Path) -> None:
    c = cleaning.start(staff(tmp_path / "staff.xlsx"))
    before = c.frame.copy()
    assert len(c.repeated(["First name", "Last name"])) == 2
    pairs = c.similar("City")
    assert pairs[["one", "other", "how"]].to_numpy().tolist() == [["Moscow", "Moscwo", "one letter"]]
    assert c.duplicates().empty
    assert c.gaps().to_dict()["do not edit"] == 4
    pd.testing.assert_frame_equal(c.frame, before)
    told = c.questions.Detail.tolist()
    assert "Jason Bourne: their rows differ in Hired, Salary, Award_2." in told
    assert "Moscow (2) and Moscwo (1): one letter" in told
    assert "3 different, 1 with several rows; none dropped" in c.log.Detail.tolist()


@pytest.mark.parametrize(
    ("one", "other", "close"),
    [
        ("Michael", "Micheal", True),
        ("Hammond", "Hamond", True),
        ("Семёнов", "СЕМЕНОВ ", True),
        ("Anna", "Anne", False),
        ("Room 101", "Room 102", False),
        ("Johnson", "Jonsen", False),
    ],
)
def test_spellings_are_close_by_a_letter_and_codes_are_not(one: str, other: str, close: bool) -> None:
    assert (len(spelling.close(pd.Series([one, one, other]))) == 1) is close


def dates(values: list[Any], order: str | None = None) -> Any:
    return cleaning.start(pd.DataFrame({"day": pd.Series(values, dtype=object)})).dates("day", order)


def days(made: Any) -> list[str]:
    return made.frame.day.dt.strftime("%Y-%m-%d").fillna("").tolist()


def test_a_doubt_of_ones_own_is_asked_and_nothing_is_changed(tmp_path: Path) -> None:
    c = cleaning.start(staff(tmp_path / "staff.xlsx"))
    before = c.frame.copy()
    found = c.ask("First name", "Is Micheal spelt so?", c.frame["First name"] == "Micheal")
    assert found["Last name"].str.strip().tolist() == ["Larsen"]
    assert c.questions.iloc[-1].tolist() == [
        "left as it is, to be decided",
        "First name",
        1,
        "Is Micheal spelt so?",
    ]
    pd.testing.assert_frame_equal(c.frame, before)
    with pytest.raises(cleaning.CleaningError, match="no column"):
        c.ask("Name", "Is it?", c.frame["First name"] == "Micheal")


def test_mixed_dates_are_read_alike_and_what_could_be_two_days_is_asked() -> None:
    mixed = dates(["2024-03-08", "2024-03-09", "03/10/2024", 45362, "12 Mar 2024"])
    assert days(mixed) == ["2024-03-08", "2024-03-09", "2024-03-10", "2024-03-11", "2024-03-12"]
    (asked,) = mixed.questions.itertuples(index=False)
    assert asked[:3] == ("could be read in two ways", "day", 1)
    assert "Read as MDY" in asked[3]
    assert "03/10/2024" in asked[3]


def test_an_order_that_the_data_or_the_caller_give_leaves_no_question() -> None:
    proved = dates(["03/10/2024", "25/10/2024"])
    assert days(proved) == ["2024-10-03", "2024-10-25"]
    assert proved.questions.empty
    assert days(dates(["03/10/2024", "04/10/2024"], "MDY")) == ["2024-03-10", "2024-04-10"]
    with pytest.raises(cleaning.CleaningError, match="cannot be MDY"):
        dates(["25/10/2024"], "MDY")


def test_dates_that_contradict_each_other_stay_as_written() -> None:
    made = dates(["25/10/2024", "10/25/2024", "03/10/2024", "soon"])
    assert days(made) == ["2024-10-25", "2024-10-25", "", ""]
    assert made.frame["day (as written)"].fillna("").tolist() == ["", "", "03/10/2024", "soon"]
    assert made.questions.What.tolist() == ["not understood, kept as written"]


def test_numbers_in_two_conventions_are_refused_and_doubtful_ones_asked() -> None:
    def numbers(values: list[str], **options: Any) -> Any:
        return cleaning.start(pd.DataFrame({"x": values})).numbers("x", **options)

    assert numbers(["1 200,50 ₽", "3,5 ₽"]).frame.x.tolist() == [1200.5, 3.5]
    doubtful = numbers(["1,234", "5,678"])
    assert doubtful.frame.x.tolist() == [1234, 5678]
    assert "1,234 could be thousands or decimals" in doubtful.questions.Detail.iloc[0]
    sure = numbers(["1,234", "5,678"], decimal=",")
    assert (sure.frame.x.tolist(), len(sure.questions)) == ([1.234, 5.678], 0)
    with pytest.raises(cleaning.CleaningError, match="contradict each other"):
        numbers(["1,234.5", "1.234,5"])


def test_headers_that_are_the_same_stay_apart() -> None:
    c = cleaning.start(pd.DataFrame([[1, 2, 3]], columns=["a", "a", "b"]))
    assert c.frame.columns.tolist() == ["a", "a_2", "b"]
    assert c.log.What.tolist() == ["column names made different"]


def test_rows_leave_by_a_step_with_a_reason_and_stand_in_the_workbook(tmp_path: Path) -> None:
    frame = pd.DataFrame({"name": ["=A1", "b", "b", None], "n": [1, 2, 2, 4]})
    c = cleaning.start(frame, language="ru")
    with pytest.raises(cleaning.CleaningError, match="Say why"):
        c.drop_rows(c.frame.n == 1, " ")
    c.drop_duplicates("попросили").drop_rows(c.frame.name.isna(), "нет имени")
    c.replace("name", {"b": "c"}, "слово заказчика")
    path = tmp_path / "clean.xlsx"
    c.save(path)
    book = openpyxl.load_workbook(path)
    assert book.sheetnames == ["Данные", "Журнал", "Удалённые строки"]
    data = [[cell.value for cell in row] for row in book["Данные"].iter_rows()]
    assert data == [["name", "n"], ["=A1", 1], ["c", 2]]
    assert book["Данные"]["A2"].data_type == "s"
    gone = [[cell.value for cell in row] for row in book["Удалённые строки"].iter_rows(min_row=2)]
    assert gone == [["b", 2, 3, "попросили"], [None, 4, 4, "нет имени"]]
    log = [[cell.value for cell in row][1:5] for row in book["Журнал"].iter_rows(min_row=2)]
    assert log == [
        ["строки удалены", None, 4, 3],
        ["строки удалены", None, 3, 2],
        ["значения заменены", "name", 2, 2],
    ]


def test_rows_that_went_away_without_a_step_are_noticed(tmp_path: Path) -> None:
    c = cleaning.start(pd.DataFrame({"n": [1, 2, 3]}))
    c.frame = c.frame.head(2)
    with pytest.raises(cleaning.CleaningError, match="3 rows came in, 2 are left"):
        c.save(tmp_path / "clean.xlsx")


def test_the_page_s_example_delivers_a_clean_workbook_with_traced_numbers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = staff(tmp_path / "staff.xlsx")
    records = run_script(tmp_path, EXAMPLE.replace('"staff.xlsx"', repr(path)))
    assert "4 rows, 3 people." in capsys.readouterr().out
    told = {record["id"]: record["traced"] for record in records if record["kind"] != "assumption"}
    assert told.pop("people")
    assert all(told.values())
    found = guest_module("checks", "gate").check(tmp_path / "out/staff clean.xlsx")
    assert [item.code for item in found if item.blocking] == []


def test_details_of_a_russian_log_are_russian(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("name,city\nAnn,Bonn\nAnn,Bonn\nAnn,Kiel\nBob,\n", "utf-8")
    made = cleaning.start(str(path), language="ru")
    made.duplicates()
    made.repeated("name")
    made.gaps()
    made.drop_duplicates("повтор")
    told = [*made.log["Подробности"], *made.questions["Подробности"]]
    assert "найдено 1, ничего не удалено" in told
    assert [detail for detail in told if not re.search("[а-яё]", detail)] == []


def test_the_log_has_the_same_words_and_facts_in_each_language() -> None:
    words: Any = guest_module("data-cleaning", "cleaning_words")
    english, russian = words.WORDS["en"], words.WORDS["ru"]
    assert english.keys() == russian.keys()
    for code, sentence in english.items():
        assert set(re.findall(r"{(\w+)}", sentence)) == set(re.findall(r"{(\w+)}", russian[code]))
