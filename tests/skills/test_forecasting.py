"""A forecast says how wrong it was on the past; where it knows nothing, it gives the naive one or none."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.skills.guest import SKILLS, guest_module
from tests.skills.scripts_of_facts import run_script

forecasting: Any = guest_module("forecasting", "forecasting")
methods: Any = guest_module("forecasting", "forecasting_methods")
tests: Any = guest_module("forecasting", "forecasting_backtest")
facts: Any = guest_module("facts", "facts")
EXAMPLE = re.findall(r"```python\n(.*?)```", (SKILLS / "forecasting/SKILL.md").read_text("utf-8"), re.DOTALL)[
    0
]


def days(values: list[float] | np.ndarray, start: str = "2020-01", last_day: int = 28) -> pd.DataFrame:
    """A row on the 1st and on the 28th of each month, the sum of which is its value."""
    months = pd.period_range(start, periods=len(values), freq="M")
    rows: list[tuple[pd.Timestamp, float]] = []
    for place, (month, value) in enumerate(zip(months, values, strict=True)):
        end = last_day if place == len(values) - 1 else 28
        rows += [(month.start_time, value / 2), (month.start_time + pd.Timedelta(days=end - 1), value / 2)]
    return pd.DataFrame(rows, columns=["Date", "Amount"])


def past(values: Any, **options: Any) -> Any:
    return forecasting.series(days(values, **options), "Date", "Amount")


def test_the_last_month_that_is_not_whole_is_left_out_and_is_what_is_forecast_first() -> None:
    found = past(np.arange(1.0, 15.0), last_day=9)
    assert found.values.tolist() == list(range(1, 14))
    assert found.left_out == ("2021-02",)
    assert forecasting.forecast(found, 2).table.index.tolist() == ["2021-02", "2021-03"]
    assert any("2021-02" in sentence for sentence in facts.assumptions())


@pytest.mark.parametrize(("count", "steps"), [(11, 1), (14, 5)])
def test_a_series_that_is_too_short_gets_no_forecast(count: int, steps: int) -> None:
    with pytest.raises(forecasting.TooShort, match=f"{count} whole months are too few"):
        forecasting.forecast(past(np.arange(float(count))), steps)


def test_the_simple_methods_are_what_their_names_say() -> None:
    values = np.array([3.0, 5.0, 4.0, 8.0, 7.0, 13.0])
    assert methods.naive(values, 2, 3).tolist() == [13, 13]
    assert methods.seasonal_naive(values, 4, 3).tolist() == [8, 7, 13, 8]
    assert methods.drift(values, 2, 3).tolist() == [15, 17]
    assert methods.average(values, 1, 3).tolist() == [pytest.approx(40 / 6)]


def test_smoothing_agrees_with_an_exponentially_weighted_mean() -> None:
    values = np.random.default_rng(4).normal(50, 5, 40)
    _, level, _ = methods._holt(values, 0.3, 0.0, 1.0, trend=False)
    assert level == pytest.approx(pd.Series(values).ewm(alpha=0.3, adjust=False).mean().iloc[-1])
    errors = [
        values[i] - pd.Series(values[:i]).ewm(alpha=0.3, adjust=False).mean().iloc[-1] for i in range(1, 40)
    ]
    assert methods._holt(values, 0.3, 0.0, 1.0, trend=False)[0] == pytest.approx(np.square(errors).sum())


def test_holt_winters_goes_on_with_a_season_that_repeats() -> None:
    season = np.array([0.0, 5.0, -3.0, 9.0])
    values = 100 + np.tile(season, 6)
    ahead = methods.holt_winters(values, 6, 4)
    assert ahead == pytest.approx(100 + season[[0, 1, 2, 3, 0, 1]], abs=0.6)


def test_the_backtest_forecasts_from_each_origin_with_its_past_only() -> None:
    values = np.array([1.0, 4.0, 9.0, 16.0, 25.0, 36.0, 49.0, 64.0])
    found = tests.backtest(values, "naive", 2, 1, [5, 6, 7])
    assert found.errors[:2].tolist() == [[36 - 25, 49 - 25], [49 - 36, 64 - 36]]
    assert found.errors[2][0] == 64 - 49
    assert np.isnan(found.errors[2][1])
    assert found.mae == pytest.approx(np.mean([11, 24, 13, 28, 15]))


def test_an_interval_is_made_of_the_errors_and_never_narrows() -> None:
    errors = np.arange(-9.0, 10.0).reshape(-1, 1)  # 19 errors: 80% leaves out the outermost of each side
    low, high = tests.bounds(errors, 0.8)
    assert (low[0], high[0]) == (-8, 8)
    two = np.column_stack([errors[:, 0], errors[:, 0] / 3])
    low, high = tests.bounds(two, 0.8)
    assert (low.tolist(), high.tolist()) == ([-8, -8], [8, 8])


def test_coverage_is_measured_and_near_the_level_on_noise() -> None:
    noise = np.random.default_rng(11).normal(0, 1, (400, 1))
    share, count = tests.coverage(noise, 0.8)
    assert count == 400
    assert 0.76 < share < 0.84


def test_a_trend_beats_the_naive_forecast_and_is_forecast_to_go_on() -> None:
    values = 100 + 5 * np.arange(27) + np.random.default_rng(2).normal(0, 4, 27)
    found = forecasting.forecast(past(values), 3)
    assert found.beats_naive
    assert found.method in ("drift", "damped trend", "Holt-Winters")
    assert found.errors.loc[found.method, "mae"] == found.errors.mae.min()
    assert found.table.forecast.tolist() == pytest.approx([235, 240, 245], abs=8)
    assert ((found.table.low < found.table.forecast) & (found.table.forecast < found.table.high)).all()
    assert 0.7 <= found.coverage <= 0.95
    assert found.sentence().startswith(f"Method: {found.method}; in the backtest its error was ")
    assert "Метод: " in found.sentence("ru")


def test_a_random_walk_is_told_to_have_no_better_forecast_than_its_last_value() -> None:
    values = 500 + np.cumsum(np.random.default_rng(3).normal(0, 7, 24))
    found = forecasting.forecast(past(values), 1)
    assert found.method == "naive"
    assert not found.beats_naive
    assert found.table.forecast.tolist() == [values[-1]]
    assert "No method clearly beat the naive forecast" in found.notes[0]
    assert "no method was clearly better" in found.sentence()


def test_the_page_s_example_makes_a_deck_with_traced_numbers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    season = np.tile([0, 10, 30, 20, 5, 0, -10, -20, -5, 0, 15, 40], 3)
    values = 200 + season + np.random.default_rng(5).normal(0, 3, 36)
    path = tmp_path / "sales.csv"
    days(values.round(2)).to_csv(path, index=False)
    source = EXAMPLE.replace('"sales.csv").frame', f"{str(path)!r}).frame")
    records = run_script(tmp_path, source + "print('Russian:', found.sentence('ru'))\n")
    out = capsys.readouterr().out
    assert "2023-01: £" in out
    assert [record["id"] for record in records if not record["traced"]] == []
    for start in ("2023-01: £", "Russian: "):
        said = next(line for line in out.splitlines() if line.startswith(start))
        traced = guest_module("checks", "tracing").trace([], answer=said, records=records)
        assert traced.numerals >= 2
        assert traced.untraced == []
    assert (tmp_path / "out/forecast.pptx").exists()
