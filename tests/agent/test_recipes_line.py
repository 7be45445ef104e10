"""The offline recipes on real files: the whole agent line, with the scripts really run."""

import io
import json
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from agent.events import ArtifactSaved
from agent.models import ModelSettings, build_models
from storage.records import Run, RunStatus
from tests.agent.line import open_line
from tests.agent.local_sandbox import LocalSandbox
from tests.skills import papers

SAMPLE = Path(__file__).parents[2] / "examples/titanic/titanic.csv"


@dataclass(frozen=True, slots=True)
class Outcome:
    run: Run
    out: Path
    delivered: tuple[str, ...]

    @property
    def answer(self) -> str:
        assert self.run.status is RunStatus.FINISHED
        return self.run.answer or ""

    def deck(self) -> "Slides":
        (path,) = self.out.glob("*.pptx")
        return Slides(import_module("pptx").Presentation(str(path)))


class Slides:
    def __init__(self, presentation: Any) -> None:
        self.slides = list(presentation.slides)

    @property
    def text(self) -> str:
        """All that is written on the slides, and the labels of the charts."""
        found: list[str] = []
        for shape in self.shapes:
            found += [shape.text_frame.text] if shape.has_text_frame else []
            if shape.has_chart:
                found += [str(label) for label in shape.chart.plots[0].categories]
        return "\n".join(found)

    @property
    def shapes(self) -> list[Any]:
        return [shape for slide in self.slides for shape in slide.shapes]

    @property
    def charts(self) -> int:
        return sum(shape.has_chart for shape in self.shapes)

    @property
    def empty(self) -> list[str]:
        return [s.name for s in self.shapes if s.is_placeholder and not s.text_frame.text.strip()]


async def ask(
    folder: Path, request: str, files: Sequence[tuple[str, bytes]], *, language: str = "en"
) -> Outcome:
    models = build_models(ModelSettings())
    assert models.offline
    async with open_line(folder, models, LocalSandbox(folder / "sandbox")) as line:
        run = await line.run(await line.ask(request, files, language=language))
        saved = [event for event in line.seen if isinstance(event, ArtifactSaved) and event.deliverable]
    return Outcome(run, folder / "runs" / run.id / "out", tuple(event.name for event in saved))


def renamed_sample(dropped: int) -> tuple[bytes, list[dict[str, str]]]:
    """The sample under other column names, and its rows, without some of them."""
    head, *rows = import_module("csv").reader(io.StringIO(SAMPLE.read_text("utf-8")))
    random.Random(7).shuffle(rows)  # noqa: S311 - which rows go is of no secret
    rows = rows[dropped:]
    names = [f"alpha_{chr(97 + place)}x" for place in range(len(head))]
    table = io.StringIO(newline="")
    import_module("csv").writer(table).writerows([names, *rows])
    return table.getvalue().encode(), [dict(zip(head, row, strict=True)) for row in rows]


async def test_the_sample_becomes_a_deck_with_the_right_figures(tmp_path: Path) -> None:
    files = [("people.csv", SAMPLE.read_bytes())]
    outcome = await ask(tmp_path, "EDA and a deck on 9 slides: who survived?", files)
    deck = outcome.deck()
    assert len(deck.slides) == 9
    assert deck.charts >= 3
    assert deck.empty == []
    for figure in ("891", "342 of 891", "38.4%", "687 (77.1%)", "177 (19.9%)", "74.2%", "18.9%"):
        assert figure in deck.text, figure
    for figure in ("63.0%", "47.3%", "24.2%", "female (n = 314)", "n = 491"):
        assert figure in deck.text, figure
    assert "associations" in deck.text
    assert outcome.answer.startswith("**")
    assert "38.4%" in outcome.answer.splitlines()[0]
    assert "offline recipe" in outcome.answer
    assert outcome.delivered == ("people_deck.pptx", "people_summary.csv")
    assert outcome.run.usage.input_tokens == 0


@pytest.mark.slow
async def test_the_sample_in_russian(tmp_path: Path) -> None:
    files = [("люди.csv", SAMPLE.read_bytes())]
    outcome = await ask(tmp_path, "Сделай EDA и презентацию на 9 слайдов", files, language="ru")
    text = outcome.deck().text
    assert len(outcome.deck().slides) == 9
    for figure in ("342 из 891", "пропуски"):
        assert figure in text, figure
    for share in ("38,4", "74,2", "18,9", "63,0", "47,3", "24,2"):
        assert f"{share}\u00a0%" in text, share
    for words in (text, outcome.answer):
        assert not re.search(r"\d%", words)
    assert "38,4\u00a0%" in outcome.answer.splitlines()[0]
    assert "офлайн-рецепт" in outcome.answer


@pytest.mark.slow
async def test_renamed_columns_and_fewer_rows_change_the_figures_and_nothing_else(tmp_path: Path) -> None:
    table, rows = renamed_sample(200)
    deck = (await ask(tmp_path, "a deck on 9 slides", [("other.csv", table)])).deck()
    yes = [row for row in rows if row["Survived"] == "1"]
    women = [row for row in rows if row["Sex"] == "female"]
    rate = sum(row["Survived"] == "1" for row in women) / len(women)
    assert len(deck.slides) == 9
    assert f"{len(yes)} of {len(rows)}" in deck.text
    assert f"{rate:.1%} (female)" in deck.text
    assert f"{sum(not row['Cabin'] for row in rows)}" in deck.text


async def test_files_without_data_each_get_a_plain_sentence(tmp_path: Path) -> None:
    files = [("empty.csv", b""), ("head.csv", b"a,b"), ("photo.png", b"\x89PNG\r\n\x1a\n" + b"0" * 99)]
    outcome = await ask(tmp_path, "Make a deck", files)
    for words in (
        "empty.csv is empty",
        "head.csv has a header and no rows",
        "photo.png looks like a PNG picture and is damaged",
    ):
        assert words in outcome.answer
    assert "Traceback" not in outcome.answer
    assert outcome.delivered == ()


@pytest.mark.parametrize(
    ("name", "content", "language", "told"),
    [
        (
            "plan.docx",
            papers.word(["Now", "Later"]),
            "en",
            (
                "**plan.docx is a Word document: 4 paragraphs, 2 headings, 14 words**\n\n- Now\n- Later",
                "deck",
            ),
        ),
        (
            "итоги.pptx",
            papers.deck(["Выручка", "Планы"]),
            "ru",
            ("**итоги.pptx — презентация PowerPoint: 2 слайда, 2 слова**\n\n- Выручка\n- Планы", "Таблицы"),
        ),
        ("paper.pdf", papers.pdf(["Annual report"]), "en", ("paper.pdf is a PDF document: 1 page, 2 words",)),
        ("скан.pdf", papers.pdf([""]), "ru", ("скан.pdf — документ PDF: 1 страница", "нет текста")),
        ("photo.webp", papers.picture("WEBP"), "ru", ("photo.webp — картинка WebP: 320 × 200", "не видит")),
        (
            "тайна.pdf",
            papers.locked_pdf(["x"], to_open="1"),
            "ru",
            ("тайна.pdf защищён паролем. Сохраните его без пароля",),
        ),
        ("wide.csv", b",".join([b"1"] * 20_000) + b"\n", "ru", ("слишком велик: 20000 колонок",)),
    ],
)
async def test_a_file_without_a_table_is_told_in_short_and_in_the_persons_language(
    tmp_path: Path, name: str, content: bytes, language: str, told: tuple[str, ...]
) -> None:
    outcome = await ask(tmp_path, "", [(name, content)], language=language)
    for words in told:
        assert words in outcome.answer
    assert "Traceback" not in outcome.answer
    assert outcome.delivered == ()


async def test_a_column_that_is_named_like_a_formula_is_text_in_the_summary(tmp_path: Path) -> None:
    content = b'"=HYPERLINK(""http://x"")",n\na,1\nb,2\nc,4\n'
    outcome = await ask(tmp_path, "only analysis", [("data.csv", content)])
    (path,) = outcome.out.glob("*_summary.csv")
    assert "\n\"'=HYPERLINK" in path.read_text(encoding="utf-8-sig")


@pytest.mark.parametrize("kind", ["docx", "pptx"])
async def test_a_table_inside_a_document_is_analysed(tmp_path: Path, kind: str) -> None:
    table = [["Region", "Sales"], *([f"R{place % 3}", str(100 + place)] for place in range(12))]
    content = papers.word(["Sales"], table) if kind == "docx" else papers.deck(["Sales"], table)
    outcome = await ask(tmp_path, "only analysis", [(f"report.{kind}", content)])
    assert "12 rows" in outcome.answer
    assert outcome.delivered == ("report_summary.csv",)


async def test_a_deck_of_a_damaged_document_is_not_made_and_it_is_said_why(tmp_path: Path) -> None:
    outcome = await ask(tmp_path, "Make a deck", [("plan.docx", papers.word(["Now"])[:9_000])])
    assert "plan.docx looks like" in outcome.answer
    assert outcome.delivered == ()


def shop_table() -> bytes:
    """90 days of 3 regions and 2 kinds; Tax is a twentieth of Sales, Site is another name of Region."""
    rows = ["Date,Region,Site,Kind,Sales,Tax,Profit"]
    for place in range(540):
        region, kind = place % 3, place // 3 % 2
        sales = 20 * (7 + place * 37 % 101 + 40 * region + 15 * kind)
        date = f"2024-{1 + place // 180:02}-{1 + place // 6 % 28:02}"
        profit = place * 53 % 97 - 20
        rows.append(f"{date},R{region},site {region},K{kind},{sales},{sales // 20},{profit}")
    return "\n".join(rows).encode()


async def test_the_columns_that_a_request_names_come_first(tmp_path: Path) -> None:
    outcome = await ask(tmp_path, "deck: sales and profit by region and kind", [("shop.csv", shop_table())])
    titles = [slide.shapes.title.text_frame.text for slide in outcome.deck().slides]
    asked = {"Sales by Region", "Sales by Kind", "Profit by Region", "Profit by Kind"}
    assert {title.partition(":")[0] for title in titles[2:6]} == asked
    assert not any(title.startswith("Tax by Region") for title in titles)
    first = outcome.answer.splitlines()[0]
    assert "Region" in first
    assert "Kind" in first


@pytest.mark.slow
async def test_the_period_that_a_request_names_is_charted_and_nothing_twice(tmp_path: Path) -> None:
    outcome = await ask(tmp_path, "compare months and regions, 5 slides", [("shop.csv", shop_table())])
    titles = [slide.shapes.title.text_frame.text for slide in outcome.deck().slides]
    assert titles[1].startswith("Sales by month")
    assert any(title.startswith("Sales by Region") for title in titles[2:4])
    assert not re.search("Tax|Site|week", " ".join(titles))
    assert "by month" in outcome.answer.splitlines()[0]


@pytest.mark.slow
async def test_a_funnel_is_told_as_one_and_not_stage_by_stage(tmp_path: Path) -> None:
    table = b"Ad,Media,Direct\nVisit,900,700,500\nSign-up,400,300,200\nOrder,90,80,70\n"
    deck = (await ask(tmp_path, "make a deck", [("funnel.csv", table)])).deck()
    assert deck.charts == 2
    assert "row_label" not in deck.text
    assert "highest Visit" not in deck.text


@pytest.mark.slow
async def test_values_below_zero_have_room_and_a_true_minus(tmp_path: Path) -> None:
    deck = (await ask(tmp_path, "a deck on 11 slides", [("people.csv", SAMPLE.read_bytes())])).deck()
    charts = [shape.chart for shape in deck.shapes if shape.has_chart]
    (links,) = [chart for chart in charts if "Pclass × Fare" in list(chart.plots[0].categories)]
    assert links.plots[0].data_labels.number_format == '0.00;"−"0.00'
    assert links.value_axis.minimum_scale < min(links.plots[0].series[0].values) - 0.1


@pytest.mark.slow
async def test_a_workbook_holds_numbers_and_native_charts(tmp_path: Path) -> None:
    rows = "".join(f"2024-{month:02}-03;shop {shop};{month * 10 + shop},5\n" for month in range(1, 13)
                   for shop in range(1, 5))  # fmt: skip
    files = [("sales.csv", f"Day;Shop;Sales\n{rows}".encode())]
    outcome = await ask(tmp_path, "Сделай эксель с диаграммами", files, language="ru")
    book = import_module("openpyxl").load_workbook(outcome.out / "sales_tables.xlsx")
    cells = [row[2] for row in book["Данные"].iter_rows(min_row=5, values_only=True)]
    assert sum(cells) == pytest.approx(sum(m * 10 + s + 0.5 for m in range(1, 13) for s in range(1, 5)))
    assert sum(bool(sheet._charts) for sheet in book) >= 2
    assert outcome.delivered == ("sales_tables.xlsx", "sales_summary.csv")


@pytest.mark.slow
async def test_a_one_pager_is_a_pdf_of_one_page(tmp_path: Path) -> None:
    files = [("people.csv", SAMPLE.read_bytes())]
    outcome = await ask(tmp_path, "Одностраничный PDF: кто выжил?", files, language="ru")
    (page,) = import_module("pypdf").PdfReader(str(outcome.out / "people_report.pdf")).pages
    for figure in ("38,4", "74,2", "18,9"):
        assert f"{figure} %" in page.extract_text().replace("\u00a0", " "), figure
    assert outcome.delivered == ("people_report.pdf", "people_summary.csv")


@pytest.mark.slow
async def test_a_markdown_text_becomes_a_deck_of_its_own_words(tmp_path: Path) -> None:
    text = "# Plan\n\n## Why\n- first reason\n- second reason\n\n## How\nWe start small. Then we grow.\n"
    outcome = await ask(tmp_path, "make slides of it", [("plan.md", text.encode())])
    assert "first reason" in outcome.deck().text
    assert "We start small." in outcome.deck().text
    assert len(outcome.deck().slides) == 4


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("one_row.csv", b"a,b\n1,x\n"),
        ("one_column.csv", b"word\n" + b"".join(b"w%d\n" % (n % 7) for n in range(40))),
        ("constant.csv", b"a,b\n" + b"1,x\n" * 30),
        ("signs.csv", "имя;сумма\n=1+1;5\nhttp://x;7\n{a};9\n😀;1\n".encode()),
        (
            "dates.jsonl",
            "\n".join(json.dumps({"d": f"2024-01-{n:02}", "n": n}) for n in range(1, 29)).encode(),
        ),
    ],
)
async def test_odd_tables_are_charted_or_told_and_never_fail(
    tmp_path: Path, name: str, content: bytes
) -> None:
    outcome = await ask(tmp_path, "look at this", [(name, content)])
    assert "Error" not in outcome.answer
    assert len(outcome.deck().slides) >= 4
