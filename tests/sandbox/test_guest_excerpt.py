"""Excerpts: encodings, bounds, binary files, and paths that are none of one's business."""

import io
import os
import time
import zipfile
from pathlib import Path
from typing import Any

import pytest

from sandbox.guest.excerpt import guess_encoding, read


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for folder in ("input", "out", "secret"):
        (tmp_path / folder).mkdir()
    return tmp_path


def _read(root: Path, content: bytes, first: int = 1, lines: int = 200) -> dict[str, Any]:
    (root / "input" / "file").write_bytes(content)
    found = read("input/file", first, lines, str(root))
    assert found is not None
    assert found["size"] == len(content)
    return found


def _zip(*names: str) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name in names:
            archive.writestr(name, "x")
    return content.getvalue()


RUSSIAN = "Наименование;Цена\nМолоко пастеризованное;89,90\nХлеб ржаной;45,00\n" * 20
JAPANESE = "都道府県,人口\n北海道,5224614\n東京都,14047594\n" * 20


@pytest.mark.parametrize(
    ("text", "encoding", "found"),
    [
        (RUSSIAN, "utf-8", "utf-8"),
        (RUSSIAN, "utf-8-sig", "utf-8-sig"),
        (RUSSIAN, "utf-16", "utf-16"),
        ("a,b\n1,2\n" * 50, "utf-16-le", "utf-16-le"),
        (RUSSIAN, "cp1251", "cp1251"),
        (JAPANESE, "shift_jis", "cp932"),
    ],
)
def test_text_is_found_in_its_own_encoding(text: str, encoding: str, found: str, root: Path) -> None:
    answer = _read(root, text.encode(encoding), lines=2)
    assert answer["encoding"] == found
    assert answer["text"] == "\n".join(text.splitlines()[:2])
    assert answer["total_lines"] == len(text.splitlines())


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"PK\x03\x04rest", "a zip archive that is damaged"),
        (_zip("xl/workbook.xml", "docProps/app.xml"), "an Excel workbook: pandas.read_excel"),
        (_zip("ppt/presentation.xml"), "pptx.Presentation"),
        (_zip("a.csv", "b/c.csv"), "a zip archive of 2 files, zipfile.ZipFile opens it: a.csv, b/c.csv"),
        (b"PAR1rest", "pandas.read_parquet"),
        (b"\x89PNG\r\n", "PIL.Image.open"),
        (b"\x00\x01\x02\x00" * 50, "no kind of text"),
    ],
)
def test_a_binary_file_says_how_to_open_it(content: bytes, text: str, root: Path) -> None:
    answer = _read(root, content)
    assert answer["encoding"] is None
    assert text in answer["text"]


def test_a_range_of_lines(root: Path) -> None:
    content = b"".join(b"line %d\r\n" % number for number in range(1, 1001))
    answer = _read(root, content, 500, 2)
    assert (answer["text"], answer["total_lines"], answer["cut"]) == ("line 500\nline 501", 1000, False)
    assert _read(root, content, 5000, 2)["text"] == ""
    assert _read(root, b"")["total_lines"] == 0
    assert _read(root, b"no end")["total_lines"] == 1


def test_long_lines_and_long_files_are_cut_and_say_so(root: Path) -> None:
    one = _read(root, b"x" * 200_000 + b"\nshort\n")
    assert one["cut"]
    assert one["text"].endswith(" [... 198,000 characters cut]\nshort")
    assert len(one["text"]) < 2100
    many = _read(root, b"0123456789\n" * 10_000, lines=10_000)
    assert many["cut"]
    assert len(many["text"].encode()) <= 16 << 10
    assert many["total_lines"] == 10_000


def test_a_line_ends_with_a_line_feed_and_with_nothing_else(root: Path) -> None:
    answer = _read(root, "a\rb\x0b\x0c\u2028c\r\n\r\nd".encode())
    assert (answer["text"], answer["total_lines"]) == ("a\rb\x0b\x0c\u2028c\n\nd", 3)


@pytest.mark.parametrize("content", [b"a\r" * (24 << 20), b"\n" * (48 << 20)])
def test_millions_of_ends_cost_no_more_than_other_bytes(content: bytes, root: Path) -> None:
    began = time.process_time()
    _read(root, content, 3, 5)
    assert time.process_time() - began < 2


@pytest.mark.parametrize(
    "path",
    [
        "secret/x",
        "input",
        "input/",
        "input/../secret/x",
        "/input/x",
        "input/none",
        "input/link",
        "input/folder",
        "out/up/x",
        "input/pipe",
        "x",
    ],
)
def test_nothing_but_regular_files_of_the_workspace_is_read(path: str, root: Path) -> None:
    (root / "secret" / "x").write_text("secret")
    (root / "input" / "link").symlink_to(root / "secret" / "x")
    (root / "input" / "folder").mkdir()
    os.mkfifo(root / "input" / "pipe")
    (root / "out" / "up").symlink_to(root / "secret")
    assert read(path, 1, 10, str(root)) is None


def test_a_sample_may_end_inside_a_character() -> None:
    assert guess_encoding("ж".encode() * 10 + b"\xd0", whole=False) == "utf-8"
