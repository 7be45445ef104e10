import pytest

from bot.delivery.tables import MAX_ROWS, Table, columns_of, find, wide, without_wide

SMALL = "| sex | share |\n|:---|---:|\n| female | 74.2 % |\n| male | 18.9 % |"
WIDE = "| city | what people said about it there |\n|---|---|\n| Rome | it was **hot** |"


def test_a_table_has_its_title_header_and_rows() -> None:
    (place,) = find(f"Text.\n\n## Survival\n\n{SMALL}\n\nMore.")
    assert place.table == Table("Survival", ("sex", "share"), (("female", "74.2 %"), ("male", "18.9 %")))
    assert (place.start, place.end) == (4, 8)


@pytest.mark.parametrize(
    ("above", "title"), [("**By sex**", "By sex"), ("By sex:", "By sex"), ("They all survived.", "")]
)
def test_a_line_above_that_is_meant_as_a_title_is_one(above: str, title: str) -> None:
    assert find(f"{above}\n{SMALL}")[0].table.title == title


@pytest.mark.parametrize("text", [f"```\n{SMALL}\n```", "a | b\nno rule | here", "| a | b |\n|---|\n", ""])
def test_what_is_no_table_is_none(text: str) -> None:
    assert find(text) == ()


def test_ragged_rows_are_fitted_to_the_header_and_pipes_in_cells_stay() -> None:
    (place,) = find("| a | b |\n|---|---|\n| 1 |\n| x \\| y | 2 | 3 |")
    assert place.table.rows == (("1", ""), ("x | y", "2"))


def test_a_table_is_wide_when_a_phone_cannot_show_it() -> None:
    assert not find(SMALL)[0].table.is_wide
    assert find(WIDE)[0].table.is_wide
    long = "| n |\n|---|\n" + "| 1 |\n" * (MAX_ROWS + 1)
    assert find(long)[0].table.is_wide
    assert [columns_of(text) for text in ("abc", "東京", "e\u0301")] == [3, 4, 1]


def test_a_line_takes_the_place_of_each_wide_table_only() -> None:
    text = f"One\n\n{WIDE}\n\nTwo\n\n{SMALL}\n\nThree\n\n{WIDE}"
    assert len(wide(text)) == 2
    assert without_wide(text, ["first", "second"]) == f"One\n\nfirst\n\nTwo\n\n{SMALL}\n\nThree\n\nsecond"
