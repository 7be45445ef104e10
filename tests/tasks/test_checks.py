"""The checks of the ten tasks: true of a right result in any format, false where one thing in it is wrong."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from docx import Document
from openpyxl import Workbook
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from tests.tasks.assessment import assess, unnoticed
from tests.tasks.ideals import IDEALS, Ideal
from tests.tasks.mutation import Delivery, set_anew
from tests.tasks.numbers import numerals
from tests.tasks.requirements import LINES
from tests.tasks.task import Task, tasks

BOX = (Inches(1), Inches(1), Inches(8), Inches(3))


def deck(ideal: Ideal, path: Path) -> None:
    made: Any = Presentation()
    blank = made.slide_layouts[6]
    for title, table in ideal.tables.items():
        slide = made.slides.add_slide(made.slide_layouts[5])
        slide.shapes.title.text = title
        cells = slide.shapes.add_table(len(table), len(table[0]), *BOX).table
        for r, row in enumerate(table):
            for c, value in enumerate(row):
                cells.cell(r, c).text = str(value)
        data = CategoryChartData()
        data.categories = ["one", "two"]
        data.add_series("series", (1, 2))
        slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, *BOX, data)
    frame = made.slides.add_slide(blank).shapes.add_textbox(*BOX).text_frame
    for sentence in ideal.sentences:
        paragraph = frame.add_paragraph()
        half = len(sentence) // 2  # programs cut sentences into runs anywhere
        paragraph.add_run().text, paragraph.add_run().text = sentence[:half], sentence[half:]
    while len(made.slides) < ideal.slides:
        made.slides.add_slide(blank)
    made.save(str(path))


def workbook(ideal: Ideal, path: Path) -> None:
    from openpyxl.chart import BarChart, Reference

    book = Workbook()
    sheet: Any = book.active
    for sentence in ideal.sentences:
        sheet.append([sentence])
    for title, table in ideal.tables.items():
        sheet = book.create_sheet(title)
        for row in table:
            sheet.append(list(row))
        chart = BarChart()
        chart.add_data(Reference(sheet, 2, 1, 2, len(table)), titles_from_data=True)
        sheet.add_chart(chart, "H2")
    book.save(path)


def paper(ideal: Ideal, path: Path) -> None:
    pages = [[title, *(" ".join(map(str, row)) for row in rows)] for title, rows in ideal.tables.items()]
    path.write_bytes(set_anew([*pages, list(ideal.sentences)]))


def document(ideal: Ideal, path: Path) -> None:
    made = Document()
    for sentence in ideal.sentences:
        made.add_paragraph(sentence)
    for table in ideal.tables.values():
        cells = made.add_table(len(table), len(table[0]))
        for r, row in enumerate(table):
            for c, value in enumerate(row):
                cells.cell(r, c).text = str(value)
    made.save(str(path))


MAKERS: dict[str, Callable[[Ideal, Path], None]] = {"pptx": deck, "xlsx": workbook, "pdf": paper}


def answer(ideal: Ideal) -> str:
    tables = [
        "\n".join(
            [f"{title}:", "", *(f"| {' | '.join(map(str, row))} |" for row in rows)],
        )
        for title, rows in ideal.tables.items()
    ]
    return "\n\n".join([*ideal.sentences, *tables])


def right(task: Task, folder: Path) -> Delivery:
    """In the first of the formats that the task asks for; in the answer where that is a picture or text."""
    ideal = IDEALS[task.id]
    files: list[Path] = []
    for kind in task.deliverables:
        if kind in MAKERS:
            files.append(folder / f"result.{kind}")
            MAKERS[kind](ideal, files[-1])
    return Delivery("" if files else answer(ideal), files)


def test_every_line_of_every_task_has_its_check() -> None:
    assert {task.id: len(task.must_have) for task in tasks()} == {n: len(lines) for n, lines in LINES.items()}
    judged = [(n, place) for n, lines in LINES.items() for place, line in enumerate(lines) if line is None]
    assert judged == [("D01", 9)]


@pytest.mark.parametrize("task", tasks(), ids=lambda task: task.id)
def test_a_right_result_is_right_and_each_wrong_one_is_noticed(task: Task, tmp_path: Path) -> None:
    delivery = right(task, tmp_path)
    verdicts = assess(task, delivery)
    assert [(v.text, clause) for v in verdicts for clause in v.failing] == []
    assert unnoticed(verdicts, delivery, tmp_path / "spoilt") == []


@pytest.mark.parametrize("task", tasks(), ids=lambda task: task.id)
def test_an_empty_answer_has_nothing_of_what_it_must(task: Task) -> None:
    assert not any(verdict.outcome is True for verdict in assess(task, Delivery("Done.", [])))


@pytest.mark.parametrize("task", [t for t in tasks() if t.id in ("D01", "D05")], ids=lambda task: task.id)
def test_swapped_numbers_are_noticed(task: Task, tmp_path: Path) -> None:
    swaps = {"D01": ("74,2 %", "18,9 %"), "D05": ("January 352", "February 352")}
    one, other = swaps[task.id]
    delivery = right(task, tmp_path)
    text = answer(IDEALS[task.id]).replace(one, "@").replace(other, one).replace("@", other)
    before = [v.outcome for v in assess(task, Delivery(answer(IDEALS[task.id]), delivery.files[:0]))]
    assert [v.outcome for v in assess(task, Delivery(text, delivery.files[:0]))] != before


def test_a_picture_is_read_by_what_was_registered_as_drawn(tmp_path: Path) -> None:
    (task,) = (task for task in tasks() if task.id == "D03")
    (tmp_path / "chart.png").write_bytes(b"\x89PNG")
    fact = {
        "kind": "drawn",
        "target": "chart.png",
        "unit": "%",
        "labels": ["Ad", "Media", "Affiliates", "Referrals", "Direct"],
        "values": [0.154, 0.183, 0.248, 0.399, 0.238],
    }
    delivery = Delivery("", [tmp_path / "chart.png"], [fact])
    verdicts = assess(task, delivery)
    assert [v.outcome for v in verdicts][-1] is True
    assert unnoticed(verdicts[-1:], delivery, tmp_path / "spoilt") == []


def test_a_document_is_read(tmp_path: Path) -> None:
    (task,) = (task for task in tasks() if task.id == "D07")
    document(IDEALS["D07"], tmp_path / "a.docx")
    delivery = Delivery("", [tmp_path / "a.docx"])
    assert [v.outcome for v in assess(task, delivery)] == [True] * 7


@pytest.mark.parametrize(
    ("text", "value", "percent"),
    [
        ("38.4%", 38.4, True),
        ("38,4 %", 38.4, True),
        ("38.38\u202f%", 38.4, True),
        ("12\u00a0323", 12323, False),
        ("1,013", 1013, False),
        ("847.4K", 847368.30, False),
        ("£126,704", 126704.21, False),
        ("−2 088,97", -2088.97, False),
    ],
)
def test_a_number_is_known_however_it_is_written(text: str, value: float, *, percent: bool) -> None:
    assert any(n.tells(value, percent=percent, places=1 if percent else 2) for n in numerals(text))


@pytest.mark.parametrize(
    ("text", "value", "percent"),
    [
        ("38.5%", 38.4, True),
        ("38.4", 38.4, True),
        ("38%", 38.4, True),
        ("12 324", 12323, False),
        ("101", 1013, False),
    ],
)
def test_another_number_is_another(text: str, value: float, *, percent: bool) -> None:
    assert not any(n.tells(value, percent=percent, places=0 if value > 100 else 1) for n in numerals(text))
