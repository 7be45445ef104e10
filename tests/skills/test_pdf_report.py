"""PDF reports for a person: text that can be read out, pages numbered, contents, fonts, through the gate."""

from importlib import import_module
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from tests.skills.guest import guest_module

PdfReader: Any = import_module("pypdf").PdfReader
facts: Any = guest_module("facts", "facts")
checks: Any = guest_module("checks", "checks")
pdf_report: Any = guest_module("pdf-report", "pdf_report")
pdf_fonts: Any = guest_module("pdf-report", "pdf_fonts")


@pytest.fixture
def orders(out: Path) -> pd.DataFrame:
    """A loaded file, in the current folder."""
    lines = ["region,shop,amount,returned"]
    for number in range(1, 121):
        region = ("North", "South", "West")[number % 3]
        shop = f"shop {chr(65 + number % 26)}{chr(65 + number // 26)}"
        lines.append(f"{region},{shop},{number * 17.25},{number * 7 % 23 + 40}")
    (out / "orders.csv").write_text("\n".join(lines), "utf-8")
    return facts.load("orders.csv")


def filled(report: Any, orders: pd.DataFrame, *, long: bool) -> Any:
    mean = facts.fact("mean amount", "amount.mean()", of=orders, unit="£")
    report.text(f"An order brings {mean}.", lead=True)
    report.kpis([(mean, "mean amount")])
    report.heading("Regions")
    by_region: Any = orders.groupby("region")[["amount", "returned"]].sum()
    titles = {"x_title": "Region", "y_title": "Amount, £"}
    report.bar("South brings most", by_region["amount"], highlight="South", **titles)
    report.bullets(["Ask the South.", ("First step.", "Read its notes.")])
    if long:
        report.heading("Sums", 2)
        report.table("Sums of the regions", by_region, currency={"amount": "£"})
        for section in ("Shops", "More shops", "All shops"):
            report.heading(section)
            report.table("Shops and their amounts", orders[["shop", "amount"]])
    return report


def test_a_long_report_passes_the_gate_with_every_number_traced(orders: pd.DataFrame) -> None:
    for language, page in (("en", "Page 2 of"), ("ru", "Стр. 2 из")):
        report = pdf_report.Report("South", language=language, source="orders.csv", rows=len(orders))
        path = filled(report, orders, long=True).save("report.pdf")
        made = checks.report()
        assert made["findings"] == []
        assert made["traced"] == made["numerals"] > 100
        assert page in PdfReader(path).pages[1].extract_text()


def test_a_long_report_has_contents_bookmarks_title_language_and_method(orders: pd.DataFrame) -> None:
    facts.assume("An empty return is none")
    report = pdf_report.Report("South returns", "By region", source="orders.csv")
    reader = PdfReader(filled(report, orders, long=True).save("report.pdf"))
    assert len(reader.pages) >= pdf_report.LONG
    front = reader.pages[0].extract_text()
    assert "Contents" in front
    assert "An order brings" in front
    assert [str(item["/Title"]) for item in reader.outline if not isinstance(item, list)] == [
        *("Regions", "Shops", "More shops", "All shops", "Method and assumptions")
    ]
    assert reader.trailer["/Root"]["/Lang"] == "en-GB"
    assert reader.metadata is not None
    assert reader.metadata.title == "South returns"
    assert "An empty return is none" in reader.pages[-1].extract_text()


def test_heads_of_a_long_table_are_repeated_and_a_row_is_read_as_one_line(orders: pd.DataFrame) -> None:
    report = pdf_report.Report("Shops", source="orders.csv")
    report.table("Shops and their amounts", orders[["shop", "amount"]])
    pages = [page.extract_text() for page in PdfReader(report.save("report.pdf")).pages]
    assert len(pages) > 2
    assert all("amount" in page.replace("amounts", "") for page in pages[:3])
    assert "shop EA 69\n" in pages[0]


def test_a_one_pager_is_one_page_or_refused_with_advice(orders: pd.DataFrame) -> None:
    report = pdf_report.Report("South", source="orders.csv", one_page=True)
    path = filled(report, orders, long=False).save("one.pdf")
    assert len(PdfReader(path).pages) == 1
    assert checks.report()["findings"] == []
    report = pdf_report.Report("South", source="orders.csv", one_page=True)
    with pytest.raises(ValueError, match="leave out a chart"):
        filled(report, orders, long=True).save("two.pdf")
    assert not Path("two.pdf").exists()


def test_pictures_are_sharp_and_described(orders: pd.DataFrame) -> None:
    report = pdf_report.Report("South", source="orders.csv")
    page = PdfReader(filled(report, orders, long=False).save("report.pdf")).pages[0]
    (image,) = page.images
    assert image.image is not None
    assert image.image.width / (480 / 72) >= 150
    alt = ("\ufeff" + "South brings most. Amount, £, Region").encode("utf-16-be").hex().upper()
    assert alt.encode() in page.get_contents().get_data()


def test_each_character_is_written_in_a_font_that_has_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Arrows are in no Carlito; a character that no font has becomes a question mark, and is told."""
    monkeypatch.chdir(tmp_path)
    report = pdf_report.Report("Рост → 5 <b> & ₽", source="typed")
    report.text("Unassigned: \U000e0fff.")
    report.bullets(["<script> & “quotes”"])
    text = PdfReader(report.save("signs.pdf")).pages[0].extract_text()
    assert "Рост → 5 <b> & ₽" in text
    assert "<script> & “quotes”" in text
    assert "Unassigned: ?." in text
    assert "warning: no font has" in capsys.readouterr().out


def test_emoji_are_read_out_as_what_they_are() -> None:
    """reportlab 5.1 alone tells readers five hex digits, which are none."""
    assert "<D83DDE00>" in pdf_fonts._to_unicode("F", [0x1F600, 0x41])
    assert "<0041>" in pdf_fonts._to_unicode("F", [0x1F600, 0x41])


@pytest.mark.parametrize(
    ("call", "advice"),
    [
        (lambda report: report.save(), "empty"),
        (lambda report: report.table("A", pd.DataFrame({"a": []})), "no rows"),
        (lambda report: report.table("A", pd.DataFrame([range(13)])), "12 at most"),
        (lambda report: report.kpis([]), "1 to 8 pairs"),
        (lambda report: report.bar(" ", {"a": 1}), "says the finding"),
        (lambda report: report.picture("A", "a.png", alt=""), "alt says"),
        (lambda report: report.bullets([" "]), "needs texts"),
    ],
)
def test_what_cannot_be_written_is_refused_with_advice(call: Any, advice: str) -> None:
    with pytest.raises(ValueError, match=advice):
        call(pdf_report.Report("A", source="typed"))


def test_a_table_begins_on_the_page_that_has_room_and_no_row_or_bullet_is_alone(orders: pd.DataFrame) -> None:
    for lines in range(4, 34, 3):
        report = pdf_report.Report("Room", source="orders.csv")
        report.text("first of all\n\n" + "\n\n".join(["words"] * lines))
        report.table("Shops", orders[["shop", "amount"]].head(11))
        report.bullets(["before the last"] * 4)
        pages = [page.extract_text().split("Source:")[0] for page in PdfReader(report.save("r.pdf")).pages]
        rows = [page.count("shop ") for page in pages]
        assert 1 not in rows
        assert 1 not in [page.count("before the last") for page in pages]
        assert all(page.count("words") > 24 or page.count("shop ") for page in pages[:1]), "room was left"
        assert not any(page.rstrip().endswith("Method and assumptions") for page in pages)
