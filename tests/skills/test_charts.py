"""The charts skill draws any sensible data into a PNG, and says what to do about the rest."""

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.skills.guest import guest_module

charts: Any = guest_module("charts", "charts")
pyplot: Any = import_module("matplotlib.pyplot")
Image: Any = import_module("PIL.Image")


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    "draw",
    [
        lambda: charts.bar({"a": 0.5, "b": None}, "Доли: $5 и $6 😀 漢字", percent=True, highlight="a"),
        lambda: charts.bar({f"a long name {n}": n for n in range(40)}, "Many", sort=True, source="f.csv"),
        lambda: charts.bar({"a": 0.5, "b": 0.2}, "With n", percent=True, n={"b": 20, "a": 1_000}, sort=True),
        lambda: charts.hbar({"a": 0.5, "b": 0.2}, "With n", percent=True, n=pd.Series({"b": 20, "a": 10})),
        lambda: charts.hbar(pd.DataFrame({"x": [1, 2], "y": [3, np.nan]}, index=["p", "q"]), "Two"),
        lambda: charts.stacked(
            pd.DataFrame({"x": [1, 0], "y": [3, 0]}, index=["p", "q"]), "Parts", share=True
        ),
        lambda: charts.line(
            pd.Series([1, np.inf, 3], index=pd.period_range("2024", periods=3, freq="M")), "L"
        ),
        lambda: charts.line(pd.Series([1, 2], index=pd.IntervalIndex.from_breaks([0, 1, 2])), "L"),
        lambda: charts.pie({"a": 1, "b": 2}, "Pie"),
        lambda: charts.hist(pd.Series([1, 2, 2, None, np.inf]), "Hist"),
        lambda: charts.box({"a": [1, 2, 3], "b": [2, None]}, "Box"),
        lambda: charts.scatter(
            pd.DataFrame({"x": [1, 2, None], "y": [1, 2, 3], "g": ["a", "b", "a"]}), "Dots"
        ),
        lambda: charts.heatmap(pd.DataFrame(np.eye(4)).replace(0, np.nan), "Heat"),
    ],
)
def test_each_chart_is_a_large_png_and_its_figure_is_closed(draw: Any) -> None:
    path = draw()
    with Image.open(path) as image:
        assert image.format == "PNG"
        assert image.width >= 1200
        assert image.info["dpi"][0] >= 149
        assert len(set(image.convert("L").resize((60, 40)).tobytes())) > 3
    assert pyplot.get_fignums() == []


@pytest.mark.parametrize(
    ("draw", "advice"),
    [
        (lambda: charts.bar({}, "T"), "nothing to draw"),
        (lambda: charts.bar({"a": "x"}, "T"), "to_numeric"),
        (lambda: charts.bar([1, 2], "T"), "pair"),
        (lambda: charts.bar("text", "T"), "cannot be drawn"),
        (lambda: charts.line(pd.DataFrame(np.ones((2, 7))), "T"), "1 to 6"),
        (lambda: charts.pie({str(n): n for n in range(1, 9)}, "T"), "hbar"),
        (lambda: charts.hist([None], "T"), "no number"),
        (lambda: charts.scatter(pd.DataFrame({"x": [1]}), "T"), "2 columns"),
        (lambda: charts.bar({"a": 1}, "T", colour="red"), "They take"),
        (lambda: charts.bar({"a": 1}, "T", n={"b": 1}), "n tells no number for 'a'"),
    ],
)
def test_a_mistake_is_answered_with_advice_and_leaves_no_figure(draw: Any, advice: str) -> None:
    with pytest.raises(ValueError, match=advice):
        draw()
    assert pyplot.get_fignums() == []


def test_the_number_of_cases_stands_under_its_own_label_after_sorting() -> None:
    data: Any = guest_module("charts", "charts_data")
    counts = pd.Series({3.0: 1_200, 1.0: 5})
    index = pd.Index([1.0, 3.0])
    assert data.with_counts(data.labels_of(index), index, counts) == ["1\nn = 5", "3\nn = 1,200"]
