"""The main job without a model: `deckhand ask FILE "…"` as a person types it, in real containers."""

import random
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from pptx import Presentation

from sandbox.policy import Policy
from tests.e2e.product import ROOT, Product

SAMPLE = ROOT / "examples" / "titanic" / "titanic.csv"
REQUEST = "Explore this data and make a deck with charts: who survived?"


def texts(deck: Any) -> str:
    """All that a reader of the slides sees: text, table cells, and the charts' labels."""
    found: list[str] = []
    for slide in deck.slides:
        for shape in slide.shapes:
            if shape.has_text_frame:
                found.append(shape.text_frame.text)
            if shape.has_table:
                found += [cell.text for row in shape.table.rows for cell in row.cells]
            if shape.has_chart:
                found += [str(label) for plot in shape.chart.plots for label in plot.categories]
    return "\n".join(found)


def chart_values(deck: Any) -> list[dict[str, float]]:
    return [
        dict(zip(map(str, plot.categories), series.values, strict=True))
        for slide in deck.slides
        for shape in slide.shapes
        if shape.has_chart
        for plot in shape.chart.plots
        for series in plot.series
    ]


def only_deck(folder: Path) -> Any:
    (path,) = folder.glob("*.pptx")
    deck: Any = Presentation(str(path))
    assert len(deck.slides) >= 6
    assert sum(shape.has_chart for slide in deck.slides for shape in slide.shapes) >= 3
    empty = [s.name for slide in deck.slides for s in slide.placeholders if not s.text_frame.text.strip()]
    assert empty == []
    return deck


@pytest.mark.docker
async def test_the_sample_becomes_a_deck_whose_numbers_are_right(
    tmp_path: Path, docker_policy: Policy
) -> None:
    product = Product(tmp_path)
    code, printed = await product.finish("ask", str(SAMPLE), REQUEST, "--out", str(tmp_path / "out"))
    assert code == 0, printed
    assert "342 of 891" in printed
    assert "offline recipe" in printed
    assert "\x1b" not in printed
    deck = only_deck(tmp_path / "out")
    said = texts(deck)
    for fact in ("38.4%", "342", "891", "74.2%", "18.9%", "63.0%", "24.2%", "177", "687"):
        assert fact in said.replace(" %", "%"), fact
    rates = [chart for chart in chart_values(deck) if any(label.startswith("female") for label in chart)]
    assert any(round(value, 3) == 0.742 for chart in rates for value in chart.values())
    assert product.containers() == []


@pytest.mark.docker
async def test_the_same_job_is_right_on_a_copy_with_other_names_and_fewer_rows(
    tmp_path: Path, docker_policy: Policy
) -> None:
    frame = pd.read_csv(SAMPLE)
    spared = random.Random(7).sample(range(len(frame)), len(frame) - 200)  # noqa: S311  # a fixed sample
    frame = frame.iloc[sorted(spared)].set_axis([f"q{n}x" for n in range(frame.shape[1])], axis=1)
    copy = tmp_path / "copy.csv"
    frame.to_csv(copy, index=False)
    outcome, by = frame["q1x"], frame.groupby("q4x")["q1x"].mean()
    product = Product(tmp_path)
    code, printed = await product.finish(
        "ask", str(copy), "Сделай анализ и презентацию", "--out", str(tmp_path / "out")
    )
    assert code == 0, printed
    assert "офлайн-рецепт" in printed
    said = texts(only_deck(tmp_path / "out")).replace("\xa0", "").replace(" %", "%").replace(",", ".")
    for share in (outcome.mean(), by["female"], by["male"]):
        assert f"{share:.1%}" in said
    assert str(int(outcome.sum())) in said


@pytest.mark.docker
@pytest.mark.parametrize(
    ("content", "sentence"), [(b"", "empty"), (b"abs_file_name", "no rows"), (b"%PDF-1.4 x", "PDF")]
)
async def test_a_file_without_a_table_gets_a_plain_sentence(
    tmp_path: Path, docker_policy: Policy, content: bytes, sentence: str
) -> None:
    (tmp_path / "file.csv").write_bytes(content)
    code, printed = await Product(tmp_path).finish("ask", str(tmp_path / "file.csv"), "Make a deck please")
    assert code == 0, printed
    assert sentence in printed
    assert "Traceback" not in printed


@pytest.mark.docker
async def test_without_a_file_a_deck_is_made_of_the_text(tmp_path: Path, docker_policy: Policy) -> None:
    notes = tmp_path / "notes.md"
    notes.write_text("# Plan\n\n## Now\n- write\n- test\n\n## Later\n- ship\n")
    code, printed = await Product(tmp_path).finish(
        "ask", str(notes), "Make a deck of these notes", "--out", str(tmp_path / "out")
    )
    assert code == 0, printed
    (path,) = (tmp_path / "out").glob("*.pptx")
    said = texts(Presentation(str(path)))
    assert "Now" in said
    assert "ship" in said
