import os
from pathlib import Path

import pytest

from bot.prompt import Line, lines, read_line

HERE = {Path("titanic.csv"), Path("/data/my file.xlsx"), Path("notes"), Path("./notes")}


def is_file(path: Path) -> bool:
    return path in HERE


@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("What is 2 + 2?", Line("What is 2 + 2?")),
        ("  don't  stop ", Line("don't  stop")),
        ("explore titanic.csv please", Line("explore titanic.csv please", (Path("titanic.csv"),))),
        ("'/data/my file.xlsx' sum it up", Line("my file.xlsx sum it up", (Path("/data/my file.xlsx"),))),
        (r"/data/my\ file.xlsx", Line("", (Path("/data/my file.xlsx"),))),
        ("file:///data/none.csv", Line("file:///data/none.csv")),
        ("/file titanic.csv", Line("", (Path("titanic.csv"),))),
        ("/file nothing.csv", Line("", missing="nothing.csv")),
        ("/file", Line("", missing="?")),
        ("take notes", Line("take notes")),
        ("take ./notes", Line("take notes", (Path("./notes"),))),
        ("/status", Line("/status")),
        ("", Line("")),
    ],
)
def test_a_line_is_taken_apart_into_words_and_files(typed: str, line: Line) -> None:
    assert read_line(typed, is_file) == line


async def test_lines_come_whole_whatever_the_pieces_and_the_last_needs_no_end() -> None:
    reader, writer = os.pipe()
    os.write(writer, "пер".encode())
    os.write(writer, "вая\nsecond\nlast".encode())
    os.close(writer)
    assert [line async for line in lines(reader)] == ["первая", "second", "last"]
    os.close(reader)
