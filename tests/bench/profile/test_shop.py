"""The benchmark's file has the shape that it says it has."""

from pathlib import Path
from typing import Any

import pandas as pd

from tests.bench.profile.shop import COUNTRIES, HEADER, swell, write


def test_the_generated_sales_are_the_same_each_time_and_look_like_a_shops(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", rows=5_000)
    assert path.read_bytes() == write(tmp_path / "b.csv", rows=5_000).read_bytes()
    frame: Any = pd.read_csv(path)
    assert tuple(frame.columns) == HEADER
    assert len(frame) == 5_000
    assert 0.2 < frame["CustomerID"].isna().mean() < 0.3
    assert frame["InvoiceNo"].astype(str).str.startswith("C").any()
    assert (frame["Quantity"] < 0).any()
    assert 2 < frame["Country"].nunique() <= COUNTRIES + 1


def test_a_swollen_file_is_the_same_rows_over_and_over(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", rows=100)
    large = swell(path, tmp_path / "b.csv", size=3 * path.stat().st_size)
    assert large.stat().st_size >= 3 * path.stat().st_size
    assert len(pd.read_csv(large)) % 100 == 0
