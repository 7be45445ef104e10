"""Tests agree with another way of computing them, check what they take for granted, and say it plainly."""

import math
import re
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats as scipy_stats

from tests.skills.guest import SKILLS, guest_module
from tests.skills.scripts_of_facts import run_script

stats_tests: Any = guest_module("statistics", "stats_tests")
stats: Any = scipy_stats
rates: Any = guest_module("statistics", "stats_rates")
averages: Any = guest_module("statistics", "stats_means")
links: Any = guest_module("statistics", "stats_correlation")
EXAMPLE = re.findall(r"```python\n(.*?)```", (SKILLS / "statistics/SKILL.md").read_text("utf-8"), re.DOTALL)[
    0
]


def outcomes(**groups: tuple[int, int]) -> pd.DataFrame:
    """A row a case: {group: (hits, cases)}."""
    rows = [(name, int(i < hits)) for name, (hits, n) in groups.items() for i in range(n)]
    return pd.DataFrame(rows, columns=["group", "bought"])


@pytest.mark.parametrize(("hits", "n"), [(0, 10), (3, 10), (81, 263), (500, 500)])
def test_a_share_s_interval_is_wilson_s(hits: int, n: int) -> None:
    known = stats.binomtest(hits, n).proportion_ci(0.95, method="wilson")
    assert rates.wilson(hits, n) == pytest.approx((known.low, known.high), abs=1e-12)


def test_an_a_b_test_says_the_difference_its_interval_and_what_it_could_have_shown() -> None:
    found = stats_tests.ab_test(outcomes(A=(100, 1000), B=(135, 1000)), "bought", "group", "A", 1)
    pooled = 0.1175
    z = 0.035 / math.sqrt(pooled * (1 - pooled) * 2 / 1000)
    assert found.p == pytest.approx(2 * stats.norm.sf(z))
    assert found.estimate == pytest.approx(0.035)
    wald = 1.96 * math.sqrt(0.1 * 0.9 / 1000 + 0.135 * 0.865 / 1000)
    assert (found.low, found.high) == pytest.approx((0.035 - wald, 0.035 + wald), abs=0.001)
    assert found.power == pytest.approx(0.674, abs=0.01)
    assert found.detectable == pytest.approx(2.8016 * math.sqrt(0.09 * 2 / 1000), rel=1e-4)
    assert found.significant
    assert found.sentence() == (
        "13.5% (B, n = 1000) against 10.0% (A, n = 1000): +3.5 points, 95% interval +0.7 to +6.3 points, "
        "p = 0.015, tiny effect; more than chance explains."
    )
    assert "разница +3,5 п. п., 95 %-й интервал от +0,7 до +6,3 п. п." in found.sentence("ru")


def test_a_difference_that_chance_explains_is_not_called_none() -> None:
    found = stats_tests.ab_test(outcomes(A=(10, 100), B=(12, 100)), "bought", "group", "A", 1)
    assert not found.significant
    assert "not more than chance explains. So few cases show a difference of 11.9" in found.sentence()


def test_newcombe_s_interval_is_that_of_his_paper() -> None:
    assert rates.difference(56, 70, 48, 80) == pytest.approx((0.0524, 0.3339), abs=5e-5)


def test_few_cases_are_tested_exactly() -> None:
    found = stats_tests.proportions(outcomes(a=(1, 8), b=(6, 8)), "bought", "group", 1)
    hyper = stats.hypergeom(16, 7, 8)
    seen = hyper.pmf(1)
    by_hand = sum(hyper.pmf(k) for k in range(8) if hyper.pmf(k) <= seen * (1 + 1e-9))
    assert found.p == pytest.approx(by_hand)
    assert "Fisher" in found.name
    assert not found.checks[0].holds


def test_the_sample_that_a_difference_needs_shows_it_in_eight_of_ten_tests() -> None:
    n = rates.needed(0.10, 0.02)
    assert n == 3839  # two-sided 5%, 80%: the textbook value without a continuity correction
    assert rates.power_of(0.10, 0.12, n, n) == pytest.approx(0.8, abs=0.001)


def numbers(**groups: list[float] | np.ndarray) -> pd.DataFrame:
    return pd.concat([pd.DataFrame({"g": name, "x": values}) for name, values in groups.items()])


def test_two_means_are_compared_without_equal_variances() -> None:
    dice = np.random.default_rng(3)
    a, b = dice.normal(10, 1, 40), dice.normal(11, 4, 60)
    found = stats_tests.means(numbers(a=a, b=b), "x", "g")
    error = math.sqrt(a.var(ddof=1) / 40 + b.var(ddof=1) / 60)
    t = (b.mean() - a.mean()) / error
    df = error**4 / ((a.var(ddof=1) / 40) ** 2 / 39 + (b.var(ddof=1) / 60) ** 2 / 59)
    assert (found.name, found.statistic, found.p) == (
        "Welch's t",
        pytest.approx(t),
        pytest.approx(2 * stats.t.sf(abs(t), df)),
    )
    half = stats.t.ppf(0.975, df) * error
    assert (found.low, found.high) == pytest.approx((found.estimate - half, found.estimate + half))


def test_a_heavy_tail_is_compared_by_ranks_and_it_is_said() -> None:
    a, b = [1.0, 2, 3, 4, 5, 6, 7, 400], [8.0, 9, 10, 11, 12, 13, 14, 15]
    found = stats_tests.means(numbers(a=a, b=b), "x", "g")
    wins = sum(y > x for x, y in product(a, b))
    assert (found.name, found.statistic) == ("Mann-Whitney", wins)
    assert found.effect == pytest.approx(2 * wins / 64 - 1)
    assert "skewed: a" in found.checks[0].said
    assert "by ranks" in found.sentence()


def test_welch_s_anova_of_two_groups_is_the_square_of_welch_s_t() -> None:
    dice = np.random.default_rng(8)
    a, b = dice.normal(0, 1, 20), dice.normal(1, 3, 35)
    value, p = averages.welch_anova([a, b])
    known = stats.ttest_ind(a, b, equal_var=False)
    assert (value, p) == (pytest.approx(known.statistic**2), pytest.approx(known.pvalue))


def test_pairs_of_several_groups_are_adjusted_for_their_number() -> None:
    dice = np.random.default_rng(9)
    frame = numbers(a=dice.normal(0, 1, 50), b=dice.normal(0, 1, 50), c=dice.normal(2, 1, 50))
    found = stats_tests.means(frame, "x", "g")
    assert found.name == "Welch's ANOVA"
    apart = {(pair.first, pair.second) for pair in found.pairs if pair.p < 0.05}
    assert apart == {("a", "c"), ("b", "c")}
    assert "Pairs that differ: a–c, b–c." in found.sentence()
    assert averages.holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])


def test_a_correlation_of_one_outlier_is_seen_by_its_ranks() -> None:
    dice = np.random.default_rng(1)
    x, y = dice.normal(0, 1, 40), dice.normal(0, 1, 40)
    x[0] = y[0] = 30
    found = stats_tests.correlation(pd.DataFrame({"x": x, "y": y}), "x", "y")
    assert found.name == "Spearman's rho"
    ranked = np.corrcoef(pd.Series(x).rank(), pd.Series(y).rank())[0, 1]
    assert found.estimate == pytest.approx(ranked)
    assert "A link is not a cause." in found.sentence()
    known = stats.pearsonr(x[1:], y[1:])
    interval = known.confidence_interval()
    assert links.interval(known.statistic, 39) == pytest.approx((interval.low, interval.high))


def test_what_cannot_be_tested_is_refused() -> None:
    with pytest.raises(stats_tests.StatsError, match="Too few cases in b"):
        stats_tests.means(numbers(a=[1.0, 2, 3], b=[4.0, 5]), "x", "g")
    with pytest.raises(stats_tests.StatsError, match="never 'yes'"):
        stats_tests.proportions(outcomes(a=(1, 3)), "bought", "group", "yes")
    with pytest.raises(stats_tests.StatsError, match="an A/B test is of two"):
        stats_tests.ab_test(outcomes(a=(1, 3), b=(1, 3), c=(1, 3)), "bought", "group", "a", 1)


def test_the_page_s_example_states_traced_numbers_and_counts_its_tests(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dice = np.random.default_rng(6)
    frame = outcomes(A=(30, 150), B=(60, 150)).rename(columns={"group": "variant", "bought": "converted"})
    frame["region"] = dice.choice(["West", "East", "North"], 300)
    frame["visits"] = dice.poisson(5, 300)
    frame["amount"] = (frame.visits * 10 + dice.normal(0, 8, 300)).round(2)
    path = tmp_path / "orders.csv"
    frame.to_csv(path, index=False)
    records = run_script(tmp_path, EXAMPLE.replace('"orders.csv"', repr(str(path))))
    out = capsys.readouterr().out
    assert "40.0% (B, n = 150) against 20.0% (A, n = 150): +20.0 points" in out
    assert [record["id"] for record in records if not record["traced"]] == []
    adjusted = next(record for record in records if record["id"] == "tests, adjusted by Holm")
    assert len(adjusted["values"]) == 6


def test_every_number_of_a_sentence_is_traced_in_both_languages(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    frame = outcomes(A=(30, 151), B=(60, 149)).assign(x=np.arange(300.0) ** 1.5)
    frame["y"] = frame.x + np.random.default_rng(2).normal(0, 3000, 300)
    frame.to_csv(tmp_path / "cases.csv", index=False)
    source = (
        "import facts, tables, stats_tests as st\n"
        f"df = tables.read_one({str(tmp_path / 'cases.csv')!r}).frame\n"
        "made = [st.ab_test(df, 'bought', 'group', 'A', 1), st.means(df, 'x', 'group'),\n"
        "        st.correlation(df, 'x', 'y'), st.proportion(df, 'bought', 1)]\n"
        "for test in made:\n"
        "    print(test.sentence(), test.sentence('ru'), sep='\\n')\n"
    )
    records = run_script(tmp_path, source)
    said = [line for line in capsys.readouterr().out.splitlines() if not line.startswith("stats_tests:")]
    trace = guest_module("checks", "tracing").trace
    found = [trace([], answer=line, records=records) for line in said]
    assert len(said) == 8
    assert [one.text for item in found for one in item.untraced] == []
    assert sum(item.numerals for item in found) > 30
