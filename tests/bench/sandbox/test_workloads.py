import csv
import io

import pytest

from tests.bench.sandbox.approach import Failed, check
from tests.bench.sandbox.workloads import FIVE, SOURCES, Kind, table


def test_the_table_has_891_rows_of_12_columns_and_is_always_the_same() -> None:
    rows = list(csv.reader(io.StringIO(table())))
    assert {len(row) for row in rows} == {12}
    assert len(rows) == 1 + 891
    assert table() == table()


def test_a_session_has_every_kind_of_script() -> None:
    assert {*FIVE} == {*SOURCES} == {*Kind}
    assert len(FIVE) == 5


@pytest.mark.parametrize(("code", "output"), [(1, "1"), (0, ""), (0, "Traceback"), (0, "1\nand more")])
def test_a_script_that_did_not_do_its_work_is_no_figure(code: int, output: str) -> None:
    with pytest.raises(Failed):
        check(Kind.PRINT, code, output)


def test_what_a_script_prints_before_its_last_line_is_its_own_business() -> None:
    check(Kind.DECK, 0, "a warning\nslides 9\n")
