"""The charts skill draws any sensible data into a PNG, and says what to do about the rest."""

import itertools
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.skills.guest import guest_module

charts: Any = guest_module("charts", "charts")
pyplot: Any = import_module("matplotlib.pyplot")
mpl: Any = import_module("matplotlib")
Image: Any = import_module("PIL.Image")

SHORT = "Ad loses most"
LONG = "Referrals convert best (40%); 55% of all visits are lost before sign-up, whatever their channel"
drawn: list[Any] = []


def keep(figure: Any) -> None:
    """matplotlib tells each new figure to this hook; a closed one can still be measured."""
    drawn.append(figure)


@pytest.fixture
def figures() -> Iterator[list[Any]]:
    drawn.clear()
    with mpl.rc_context({"figure.hooks": [f"{__name__}:keep"]}):
        yield drawn


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


def table(series: int, rows: int = 5) -> pd.DataFrame:
    values = np.random.default_rng(series).integers(1, 2_500, (rows, series))
    return pd.DataFrame(
        values,
        index=[f"Channel {n}" for n in range(rows)],
        columns=[f"Lost after step {n}" for n in range(series)],
    )


def points(series: int) -> pd.DataFrame:
    dice = np.random.default_rng(series)
    frame = pd.DataFrame(dice.normal(50_000, 9_000, (90, 2)), columns=["income", "spent"])
    return frame.assign(group=[f"Region {n % series}" for n in range(90)])


KINDS: dict[str, Any] = {
    "bar": lambda n, title: charts.bar(table(n), title, x_title="Channel", y_title="Visits", source="f.csv"),
    "bar_n": lambda n, title: charts.bar(table(n), title, n=dict.fromkeys(table(n).index, 1_200)),
    "bar_many": lambda n, title: charts.bar(table(n, 25), title, n=dict.fromkeys(table(n, 25).index, 12)),
    "bar_below": lambda n, title: charts.bar(table(n) - 900, title, source="f.csv"),
    "hbar": lambda n, title: charts.hbar(table(n) * 1_000_003, title, x_title="Channel", source="f.csv"),
    "stacked": lambda n, title: charts.stacked(table(n), title, subtitle="Visits in January", source="f.csv"),
    "share": lambda n, title: charts.stacked(table(n), title, share=True, y_title="Share", source="f.csv"),
    "share_many": lambda n, title: charts.stacked(table(n, 18), title, share=True, y_title="Share of visits"),
    "line": lambda n, title: charts.line(
        table(n, 30), title, x_title="Step", y_title="Visits", source="f.csv"
    ),
    "dates": lambda n, title: charts.line(
        table(n, 30).set_axis(pd.date_range("2024-01-28", periods=30)), title, subtitle="By day"
    ),
    "pie": lambda n, title: charts.pie(table(1, min(n, 5)).iloc[:, 0] ** 3, title, source="f.csv"),
    "hist": lambda n, title: charts.hist(
        table(n, 90).to_numpy().ravel(), title, x_title="Days", source="f.csv"
    ),
    "box": lambda n, title: charts.box(table(n, 40), title, y_title="Days", source="f.csv"),
    "scatter": lambda n, title: charts.scatter(points(n), title, subtitle="In roubles", source="f.csv"),
    "heatmap": lambda n, title: charts.heatmap(table(n, 24), title, y_title="Channel", source="f.csv"),
    "wide": lambda n, title: charts.heatmap(table(n, 20).T, title, x_title="Channel", source="f.csv"),
}

VARIANTS = {"bar_n", "bar_many", "bar_below", "share_many", "dates", "wide"}


def blocks(figure: Any) -> dict[str, Any]:
    """What stands on the canvas, by name: each block must be free of all others."""
    axes = figure.axes[0]
    artists = {text.get_gid(): text for text in figure.texts}
    artists |= {f"legend {n}": legend for n, legend in enumerate(figure.legends)}
    artists |= {"plot": axes, "x title": axes.xaxis.label, "y title": axes.yaxis.label}
    artists |= {f"scale {n}": other for n, other in enumerate(figure.axes[1:])}
    sides = [("x", axes.get_xticklabels()), ("y", axes.get_yticklabels())]
    low, high = axes.get_window_extent().get_points()
    for side, labels in sides:
        for number, label in enumerate(labels):
            box = label.get_window_extent()
            place = 0 if side == "x" else 1
            inside = low[place] - 0.01 <= (box.p0[place] + box.p1[place]) / 2 <= high[place] + 0.01
            if label.get_rotation() == 0 and label.get_visible() and inside:
                artists[f"{side} label {number}"] = label
    boxes = {name: artist.get_window_extent() for name, artist in artists.items()}
    return {name: box for name, box in boxes.items() if box.width and box.height}


@pytest.mark.parametrize("title", [SHORT, LONG], ids=["short", "long"])
@pytest.mark.parametrize("series", [1, 4, 6])
@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=[pytest.mark.slow] if kind in VARIANTS else []) for kind in KINDS]
)
def test_nothing_on_a_chart_covers_anything_else(
    kind: str, series: int, title: str, figures: list[Any]
) -> None:
    KINDS[kind](series, title)
    (figure,) = figures
    found = blocks(figure)
    assert {"title", "plot"} <= found.keys()
    assert (found["title"].height > 60) == (title is LONG)
    canvas = figure.bbox
    for (one, box), (other, its) in itertools.combinations(found.items(), 2):
        shared = (
            min(box.x1, its.x1) - max(box.x0, its.x0),
            min(box.y1, its.y1) - max(box.y0, its.y0),
        )
        assert min(shared) < 1, (one, other)
    values = [text for text in figure.axes[0].texts if text.get_gid() == "value" and text.get_text()]
    for text in values:
        found[f"value {len(found)}"] = text.get_window_extent()
    for one, other in itertools.combinations([name for name in found if name.startswith("value")], 2):
        assert not found[one].overlaps(found[other]), (one, other)
    for name, box in found.items():
        assert min(box.x0, box.y0, canvas.x1 - box.x1, canvas.y1 - box.y1) >= 0, name
        if name.startswith("value"):
            above = [found[block] for block in ("title", "subtitle", "legend 0", "note") if block in found]
            assert not any(box.overlaps(block) for block in above), name
    if kind != "pie":
        assert found["plot"].height > 0.45 * canvas.height


def test_a_legend_names_the_series_row_by_row_in_their_order(figures: list[Any]) -> None:
    charts.stacked(table(6), LONG, share=True)
    legend = figures[0].legends[0]
    texts = sorted(
        legend.get_texts(),
        key=lambda text: (-round(text.get_window_extent().y0), text.get_window_extent().x0),
    )
    assert [text.get_text() for text in texts] == list(table(6).columns)


def test_shares_end_at_a_hundred_percent_and_a_thin_part_has_its_value_at_its_side(
    figures: list[Any],
) -> None:
    frame = pd.DataFrame({"bought": [400, 970], "lost": [600, 30]}, index=["a", "b"])
    charts.stacked(frame, SHORT, share=True)
    axes = figures[0].axes[0]
    assert axes.get_ylim() == (0, 1)
    told = {text.get_text(): text.get_window_extent() for text in axes.texts}
    assert told.keys() == {"40.0%", "60.0%", "97.0%", "3.0%"}
    assert told["3.0%"].x0 > axes.containers[0][1].get_window_extent().x1
    with pytest.raises(ValueError, match="below 0"):
        charts.stacked(-frame, SHORT, share=True)


@pytest.mark.parametrize(
    ("title", "source", "value"),
    [("Sales", "Source: a.csv", "38.4%"), ("Продажи", "Источник: a.csv", "38,4\u00a0%")],
)
def test_the_words_and_numbers_are_in_the_language_of_the_title(
    title: str, source: str, value: str, figures: list[Any]
) -> None:
    charts.bar({"a": 0.384}, title, percent=True, source="a.csv")
    assert [text.get_text() for text in figures[0].texts if text.get_gid() == "note"] == [source]
    assert [text.get_text() for text in figures[0].axes[0].texts] == [value]


def test_the_titles_of_the_axes_go_with_the_bars_when_these_lie_down(figures: list[Any]) -> None:
    charts.bar(table(1, 15), SHORT, x_title="Channel", y_title="Visits")
    assert (figures[0].axes[0].get_xlabel(), figures[0].axes[0].get_ylabel()) == ("Visits", "Channel")


@pytest.mark.parametrize(
    ("draw", "warning"),
    [
        (lambda: charts.bar({"a": 1}, "word " * 120), "the title is cut"),
        (lambda: charts.bar(table(2).rename(columns=lambda name: name * 9), SHORT), "legend is cut"),
        (lambda: charts.bar(table(6, 12) * 1_001, SHORT), "fewer bars"),
        (lambda: charts.bar({"a": 1}, SHORT, highlight="b"), "'b' is no bar"),
        (lambda: charts.bar({"a": 1}, SHORT, source="s" * 600), "the source is cut"),
    ],
)
def test_what_finds_no_room_is_told_in_a_line(
    draw: Any, warning: str, capsys: pytest.CaptureFixture[str]
) -> None:
    draw()
    told = [line for line in capsys.readouterr().out.splitlines() if not line.startswith("facts: ")]
    first, saved = told
    assert first.startswith("warning: ")
    assert warning in first
    assert saved == "saved bar.png"


@pytest.mark.parametrize("length", [12, 30, 45, 60])
def test_a_title_of_long_words_wraps_whatever_their_lengths(tmp_path: Path, length: int) -> None:
    title = f"Продажи по неделям {'с' * length} и {'д' * (length + 7)} ещё"
    assert charts.bar({"a": 1, "b": 2}, title, str(tmp_path / "a.png"))
