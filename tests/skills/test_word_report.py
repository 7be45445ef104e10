"""Word reports for a person: styles, contents, captions, page numbers, language, through the gate."""

from importlib import import_module
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from docx.oxml.ns import qn

from tests.skills.guest import guest_module

Document: Any = import_module("docx").Document
facts: Any = guest_module("facts", "facts")
checks: Any = guest_module("checks", "checks")
word_report: Any = guest_module("word-report", "word_report")


@pytest.fixture
def orders(out: Path) -> pd.DataFrame:
    """A loaded file, in the current folder."""
    rows = [f"{('North', 'South', 'West')[n % 3]},{n * 17.25},{n * 7 % 23 + 40}" for n in range(1, 61)]
    (out / "orders.csv").write_text("\n".join(["region,amount,returned", *rows]), "utf-8")
    return facts.load("orders.csv")


def made(orders: pd.DataFrame, language: str = "en") -> Any:
    report = word_report.Report("South", language=language, source="orders.csv", rows=60, contents=True)
    mean = facts.fact("mean amount", "amount.mean()", of=orders, unit="£")
    report.text(f"An order brings {mean}.", lead=True)
    report.kpis([(mean, "mean amount")])
    report.heading("Regions")
    by_region: Any = orders.groupby("region")[["amount", "returned"]].sum()
    report.bar("South brings most", by_region["amount"], x_title="Region", y_title="Amount, £")
    report.heading("Sums", 2)
    report.table("Sums of the regions", by_region, currency={"amount": "£"}, note="All of the year.")
    report.bullets(["Ask the South.", ("First step.", "Read its notes.")])
    return Document(report.save("report.docx"))


def test_a_report_passes_the_gate_with_every_number_traced(orders: pd.DataFrame) -> None:
    for language in ("en", "ru"):
        made(orders, language)
        found = checks.report()
        assert found["findings"] == []
        assert found["traced"] == found["numerals"] > 8


def test_headings_are_styles_and_the_contents_list_them(orders: pd.DataFrame) -> None:
    paragraphs = made(orders).paragraphs
    heads = [one.text for one in paragraphs if one.style.name.startswith("Heading")]
    assert heads == ["Regions", "Sums", "Method and assumptions", "Data and method", "Assumptions"]
    listed = [one for one in paragraphs if one.style.name.lower().startswith("toc")]
    assert [one.text for one in listed] == heads
    assert 'TOC \\o "1-2"' in listed[0]._p.xml


def test_tables_repeat_their_heads_and_pictures_are_described(orders: pd.DataFrame) -> None:
    document = made(orders)
    _, table = document.tables
    assert [cell.text for cell in table.rows[0].cells] == ["region", "amount", "returned"]
    assert "w:tblHeader" in table.rows[0]._tr.xml
    (picture,) = document.inline_shapes
    assert picture._inline.docPr.get("descr") == "South brings most. Amount, £, Region"


def test_footers_have_the_source_and_page_numbers_and_the_text_its_language(orders: pd.DataFrame) -> None:
    facts.assume("An empty return is none")
    document = made(orders, "ru")
    section = document.sections[0]
    for footer in (section.footer, section.first_page_footer):
        assert "orders.csv" in footer.paragraphs[0].text
        assert {"PAGE", "NUMPAGES"} <= set(footer.paragraphs[0]._p.xml.split())
    assert {one.get(qn("w:val")) for one in document.styles.element.iter(qn("w:lang"))} == {"ru-RU"}
    assert document.core_properties.title == "South"
    assert document.paragraphs[-1].text == "An empty return is none"
