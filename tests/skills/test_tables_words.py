"""What readers notice is told in the person's language, from one place."""

import json
import re
import string
from pathlib import Path

import pytest

from tests.skills.guest import guest_module
from tests.skills.scripts_of_facts import run_script

words = guest_module("eda", "tables_words")
model = guest_module("eda", "tables_model")

READ = "import tables\ntables.read_one({!r})\n"


def fields(sentence: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name}


def assumed(folder: Path, marker: str | None) -> list[str]:
    """What a script that reads a file with two-digit years takes for granted."""
    data = folder / "продажи.csv"
    data.write_text("day,n\n" + "".join(f"{day}/03/24,{day}\n" for day in range(13, 25)), encoding="utf-8")
    (folder / "code").mkdir()
    if marker is not None:
        (folder / "code/_todo.py").write_text(marker, encoding="utf-8")
    run_script(folder, READ.format(str(data)))
    (kept,) = (folder / "out/.deckhand/facts").iterdir()
    found = map(json.loads, kept.read_text(encoding="utf-8").splitlines())
    return [record["value"] for record in found if record["kind"] == "assumption"]


@pytest.mark.parametrize("code", words.SENTENCES["en"])
def test_a_note_has_a_sentence_in_both_languages_with_the_same_facts(code: str) -> None:
    english, russian = words.SENTENCES["en"][code], words.SENTENCES["ru"][code]
    assert fields(english) == fields(russian)
    assert re.search("[а-я]", russian)


def test_no_language_has_a_sentence_for_an_unknown_note() -> None:
    assert set(words.SENTENCES["ru"]) == set(words.SENTENCES["en"])


def test_the_names_that_readers_give_have_russian_ones() -> None:
    names = {
        *guest_module("eda", "tables_text").NAMES.values(),
        *guest_module("eda", "tables_numbers").MARK_NAMES.values(),
        *guest_module("eda", "tables_excel").STATES.values(),
    }
    assert names - set(words.VALUES["ru"]) == set()


def test_the_words_of_readers_are_told_in_russian_and_cells_as_they_are() -> None:
    note = model.Note("ambiguous_dates", {"column": "order", "order": "DMY", "example": "01.02.2024"})
    assert note.text("ru") == (
        "Порядок дня и месяца в order неоднозначен; прочитано как день-месяц-год, например 01.02.2024."
    )
    note = model.Note("not_all_numbers", {"column": "comma", "count": 2, "examples": ["text", "line 5"]})
    assert note.text("ru") == (
        "comma осталась текстом: значений, которые не числа, — 2 (например, text, line 5)."
    )
    note = model.Note(
        "ragged_rows", {"count": 9, "expected": 3, "rows": [f"row {n} has 2" for n in range(9)]}
    )
    assert note.text("ru").endswith(
        "(" + ", ".join(f"строка {n}: полей 2" for n in range(8)) + ", ещё 1). Ни одна не потеряна."
    )
    assert "row 0 has 2" in str(note)
    assert "and 1 more" in str(note)


def test_what_reading_takes_for_granted_is_told_in_the_language_of_the_run(tmp_path: Path) -> None:
    assert assumed(tmp_path, 'NAME = "eda"\nLANGUAGE = "ru"\n') == [
        "продажи.csv: В day годы из двух цифр; прочитаны как 2024 … 2024."
    ]
    assert (tmp_path / "out/.deckhand/facts/eda.script.jsonl").exists()


@pytest.mark.parametrize(
    "marker",
    [
        None,
        'NAME = "eda"\n',
        'NAME = "eda"\nLANGUAGE = "de"\n',
        'NAME = "eda"\nLANGUAGE = "ru"\nimport os\n',
        'LANGUAGE = "ru"\n',
    ],
)
def test_a_language_that_is_unknown_or_badly_told_is_english(tmp_path: Path, marker: str | None) -> None:
    assert assumed(tmp_path, marker) == [
        "продажи.csv: day has two-digit years; they were read as 2024 to 2024."
    ]
