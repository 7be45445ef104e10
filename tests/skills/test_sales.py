"""Sales by rules that are told: what a return is, where a class ends, which period is not whole."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.skills.guest import SKILLS, guest_module
from tests.skills.scripts_of_facts import run_script

sales: Any = guest_module("sales-analysis", "sales")
tables: Any = guest_module("eda", "tables")
facts: Any = guest_module("facts", "facts")
EXAMPLE = re.findall(
    r"```python\n(.*?)```", (SKILLS / "sales-analysis/SKILL.md").read_text("utf-8"), re.DOTALL
)[0]


def orders() -> pd.DataFrame:
    """Six orders over January to 10 March: two of Ann, three of Bob (one cancelled), one of nobody."""
    rows = [
        ("1001", "A10", "Mug", 2, 5.0, "2024-01-01", "Ann"),
        ("1001", "B20", "Tray", 1, 20.0, "2024-01-01", "Ann"),
        ("1002", "A10", "Mug", 10, 5.0, "2024-02-10", "Bob"),
        ("C1003", "A10", "Mug", -4, 5.0, "2024-02-12", "Bob"),
        ("1004", "B20", "Tray", 3, 20.0, "2024-02-29", "Ann"),
        ("1005", "A10", "Mug", 1, 0.0, "2024-03-02", "Bob"),
        ("1006", "A10", "Mug", 1, 5.0, "2024-03-10", None),
        ("1007", "B20", "Tray", 1, 20.0, "2024-03-10", "Bob"),
    ]
    frame = pd.DataFrame(rows, columns=["Order", "Code", "Name", "Quantity", "Price", "Day", "Customer"])
    return frame.assign(Day=pd.to_datetime(frame.Day))


def loaded(tmp_path: Path, frame: pd.DataFrame) -> pd.DataFrame:
    path = tmp_path / "orders.csv"
    frame.to_csv(path, index=False)
    return tables.read_one(path).frame


def lines(frame: pd.DataFrame, **options: Any) -> Any:
    usual = {"quantity": "Quantity", "price": "Price", "date": "Day", "item": "Code", "name": "Name"}
    return sales.lines(
        frame, **{**usual, "order": "Order", "customer": "Customer", "returns": "C", **options}
    )


def test_gross_returned_and_net_follow_the_rule_that_was_named(tmp_path: Path) -> None:
    frame = loaded(tmp_path, orders())
    by_code = sales.totals(lines(frame))
    assert (by_code["gross"], by_code["returned"], by_code["net"]) == (165, -20, 145)
    assert (by_code["sold_rows"], by_code["returned_rows"], by_code["orders"]) == (6, 1, 5)
    assert by_code["returned_share"] == pytest.approx(20 / 165)
    no_rule = sales.totals(lines(frame, returns=None))
    assert (no_rule["returned"], no_rule["other"], no_rule["net"]) == (0, -20, 145)
    assert "Rows whose Order begins with C are returns" in facts.assumptions()
    assert "1 rows with an amount of zero are no sales" in facts.assumptions()
    assert sales.totals(lines(frame, returns="negative"))["returned"] == -20
    with pytest.raises(sales.SalesError, match="No Order begins with 'R'"):
        lines(frame, returns="R")


def test_a_period_that_the_data_end_in_is_marked_and_not_called_a_fall(tmp_path: Path) -> None:
    months = sales.by_period(lines(loaded(tmp_path, orders())))
    assert months.index.tolist() == ["2024-01", "2024-02", "2024-03"]
    assert months.gross.tolist() == [30, 110, 25]
    assert months.net.tolist() == [30, 90, 25]
    assert months.orders.tolist() == [1, 2, 2]
    assert months.partial.tolist() == [False, False, True]
    assert months.change.iloc[1] == pytest.approx(110 / 30 - 1)
    assert np.isnan(months.change.iloc[2])
    assert any("2024-03" in sentence and "2024-03-10" in sentence for sentence in facts.assumptions())


def many(count: int = 30) -> pd.DataFrame:
    """Codes 100… worth count, count-1, … in five rows each; postage; one row that lifts the last code."""
    rows = [(f"{100 + i}", 1, (count - i) / 5) for i in range(count) for _ in range(5)]
    rows += [("POST", 1, 40.0), ("129", 1, 500.0)]
    return pd.DataFrame(rows, columns=["Code", "Quantity", "Price"])


def test_the_top_marks_one_row_items_and_leaves_services_out(tmp_path: Path) -> None:
    made = sales.lines(loaded(tmp_path, many()), quantity="Quantity", price="Price", item="Code")
    best = sales.top(made, 3)
    assert best.index.tolist() == ["129", "100", "101"]
    assert best.outlier.tolist() == [True, False, False]
    assert best.loc["129", "without_largest"] == pytest.approx(1)
    assert best.loc["129", "rank_without_largest"] == 30
    assert best.loc["100", "share"] == pytest.approx(30 / (30 * 31 / 2 + 540))
    assert any("POST (40.00)" in sentence for sentence in facts.assumptions())
    assert sales.top(made, 3, services=True).service.to_dict() == {"129": False, "POST": True, "100": False}


def test_the_item_that_crosses_a_boundary_is_of_the_better_class(tmp_path: Path) -> None:
    frame = pd.DataFrame({"Item": list("pqrstu"), "Total": [50.0, 30.0, 10.0, 5.0, 3.0, 2.0]})
    found = sales.abc(sales.lines(loaded(tmp_path, frame), amount="Total", item="Item"), a=0.75)
    assert found.items["class"].to_dict() == dict(zip("pqrstu", "AABBCC", strict=True))
    assert found.classes["items"].tolist() == [2, 2, 2]
    assert found.classes.share.tolist() == pytest.approx([0.8, 0.15, 0.05])
    assert "below 75%" in found.rule
    exact = sales.abc(sales.lines(loaded(tmp_path, frame), amount="Total", item="Item"))
    assert exact.items["class"].tolist() == list("AABBCC")  # 80% before r is not below 80%


def test_shares_of_gains_and_losses_are_not_told(tmp_path: Path) -> None:
    frame = pd.DataFrame({"Kind": ["a", "a", "b"], "Profit": [10.0, -2.0, -3.0]})
    found = sales.by(sales.lines(loaded(tmp_path, frame), amount="Profit"), "Kind")
    assert found.net.to_dict() == {"a": 8, "b": -3}
    assert "share" not in found.columns


def test_repeat_buyers_have_two_orders_not_two_rows(tmp_path: Path) -> None:
    found = sales.repeat_buyers(lines(loaded(tmp_path, orders())))
    assert (found["customers"], found["repeat"], found["repeat_share"]) == (2, 2, 1)
    assert (found["unknown_rows"], found["unknown_amount"]) == (1, 5)
    once = sales.repeat_buyers(lines(loaded(tmp_path, orders().iloc[:2]), returns=None))
    assert (once["customers"], once["repeat"]) == (1, 0)


def test_cohorts_count_each_customer_once_a_month_and_leave_what_is_not_known_open(tmp_path: Path) -> None:
    counts, rates = sales.cohorts(lines(loaded(tmp_path, orders())))
    assert counts.index.tolist() == ["2024-01", "2024-02"]
    assert counts.fillna(-1).to_numpy().tolist() == [[1, 1], [1, -1]]
    assert rates.iloc[0].tolist() == [1, 1]
    assert any("2024-03 is not whole and is left out" in sentence for sentence in facts.assumptions())


WIDE = pd.DataFrame(
    {"channel": ["ads", "mail"], "visits": [100, 50], "signups": [40, 30], "orders": [10, 15]}
)


@pytest.mark.parametrize("layout", ["wide", "long", "crossed"])
def test_a_funnel_is_the_same_whichever_way_its_table_lies(layout: str, tmp_path: Path) -> None:
    long = WIDE.melt("channel", var_name="stage", value_name="people")
    crossed = WIDE.set_index("channel").T.rename_axis("stage").reset_index()
    frame, asked = {
        "wide": (WIDE, {"stages": ["visits", "signups", "orders"], "by": "channel"}),
        "long": (long, {"stage": "stage", "value": "people", "by": "channel"}),
        "crossed": (crossed, {"stage": "stage"}),
    }[layout]
    found = sales.funnel(loaded(tmp_path, frame), **asked)
    assert found.total["count"].tolist() == [150, 70, 25]
    assert found.total.step_rate.iloc[1:].tolist() == pytest.approx([70 / 150, 25 / 70])
    assert found.end_to_end.to_dict() == pytest.approx({"ads": 0.1, "mail": 0.3})
    assert (found.best, found.worst) == ("mail", "ads")
    assert (found.largest_loss.start, found.largest_loss.end, found.largest_loss.lost) == (
        "visits", "signups", 80,
    )  # fmt: skip
    assert (found.worst_step.end, round(found.worst_step.share, 4)) == ("orders", round(45 / 70, 4))


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ({}, "never made up"),
        ({"stages": ["visits"]}, "no funnel"),
        ({"stages": ["orders", "visits"]}, "has more"),
        ({"stages": ["channel", "visits"]}, "holds no counts"),
    ],
)
def test_a_funnel_without_stages_is_refused(asked: dict[str, Any], why: str, tmp_path: Path) -> None:
    with pytest.raises(sales.NoStages, match=why):
        sales.funnel(loaded(tmp_path, WIDE), **asked)


def test_numbers_of_a_loaded_file_are_traced_and_those_of_a_typed_frame_are_not(tmp_path: Path) -> None:
    orders().to_csv(tmp_path / "orders.csv", index=False)
    source = (
        "import facts, pandas as pd, sales, tables\n"
        f"df = tables.read_one({str(tmp_path / 'orders.csv')!r}).frame\n"
        "lines = sales.lines(df, quantity='Quantity', price='Price', date='Day', returns='negative')\n"
        "months = sales.by_period(lines)\n"
        "facts.fact('best', 'gross.max()', of=months)\n"
        "typed = pd.DataFrame({'k': ['x', 'y'], 'v': [123.4, 567.8]})\n"
        "sales.by(sales.lines(typed, amount='v'), 'k')\n"
    )
    records = [record for record in run_script(tmp_path, source) if record["kind"] != "assumption"]
    told = {record["id"]: record["traced"] for record in records}
    assert [told[id] for id in ("sales by month", "sales by month, %", "best")] == [True] * 3
    assert not told["sales by k"]
    assert next(r for r in records if r["id"] == "best")["files"][0]["name"] == "orders.csv"


def test_the_page_s_example_makes_a_deck_and_says_traced_numbers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    frame = orders().rename(columns={"Order": "Invoice", "Name": "Product", "Day": "Date"})
    frame.to_csv(tmp_path / "orders.csv", index=False)
    path = str(tmp_path / "orders.csv")
    records = run_script(tmp_path, EXAMPLE.replace('"orders.csv").frame', f"{path!r}).frame"))
    out = capsys.readouterr().out
    said = out[out.index("Gross ") : out.index("largest_share")]
    assert said.startswith("Gross £165, net of returns £145.\n- Rows whose Invoice begins with C are returns")
    assert [record["id"] for record in records if not record["traced"]] == []
    traced = guest_module("checks", "tracing").trace([], answer=said, records=records)
    assert traced.numerals
    assert [one.text for one in traced.untraced] == []
    assert (tmp_path / "out/sales.pptx").exists()


def test_what_was_assumed_is_told_in_the_language_of_the_script(tmp_path: Path) -> None:
    facts.language("ru")
    frame = loaded(tmp_path, orders())
    made = lines(frame, services=["B20"])
    sales.by_period(made, "month")
    sales.top(made)
    sales.abc(made)
    sales.cohorts(made)
    sales.repeat_buyers(made)
    told = facts.assumptions()
    assert [sentence for sentence in told if not re.search("[а-яё]{4}", sentence)] == []
    assert "В рейтинг по Code не вошли услуги и ручные записи: B20 (100,00)" in told
    assert any("меньше 80 %" in sentence.replace("\u00a0", " ") for sentence in told)


def test_each_assumption_has_the_same_facts_in_each_language() -> None:
    words: Any = guest_module("sales-analysis", "sales_words")
    english, russian = words.SENTENCES["en"], words.SENTENCES["ru"]
    assert english.keys() == russian.keys()
    for code, sentence in english.items():
        assert set(re.findall(r"{(\w+)}", sentence)) == set(re.findall(r"{(\w+)}", russian[code]))
