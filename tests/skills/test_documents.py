"""A document says what it is and what is in it, whatever its name, and its tables are tables."""

import errno
import gzip
import io
import random
import re
import struct
import zipfile
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from tests.skills import papers
from tests.skills.guest import SKILLS, guest_module
from tests.skills.test_tables import codes, open_document, rows

documents = guest_module("eda", "documents")
tables = guest_module("eda", "tables")
table_profile = guest_module("eda", "table_profile")

TABLE = [["region", "n"], ["North", "1"], ["South", "2"]]


def put(folder: Path, name: str, content: bytes) -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def said(folder: Path, name: str, content: bytes) -> str:
    put(folder, name, content)
    return str(table_profile.profile_text([table_profile.profile_file(name, folder)]))


def test_a_word_document_is_told_by_its_headings_and_counts(tmp_path: Path) -> None:
    assert said(tmp_path, "a.docx", papers.word(["Начало", "Конец"])).splitlines() == [
        "a.docx: a Word document, paragraphs 4, headings 2, words 14",
        "- Начало",
        "- Конец",
    ]


def test_a_word_document_with_a_table_is_a_table_too(tmp_path: Path) -> None:
    text = said(tmp_path, "a.docx", papers.word(["Title"], TABLE))
    assert "a.docx: a Word document, paragraphs 2, headings 1, tables 1" in text
    assert "a.docx: 2 rows x 2 columns" in text


def test_a_presentation_is_told_by_its_slides(tmp_path: Path) -> None:
    assert said(tmp_path, "a.pptx", papers.deck(["Итоги", "Планы"])).splitlines() == [
        "a.pptx: a PowerPoint presentation, slides 2, words 2",
        "- Итоги",
        "- Планы",
    ]


def test_tables_and_charts_of_slides_are_tables_named_after_the_slide(tmp_path: Path) -> None:
    content = papers.deck(["Start", "Sales"], TABLE, {"2023": [1, 2], "2024": [3.5, 4]})
    found, document = documents.read(put(tmp_path, "a.pptx", content))
    assert [table.name for table in found] == ["2 Sales", "2 Sales_2"]
    assert rows(found[0]) == [["North", 1], ["South", 2]]
    assert list(found[1].frame.columns) == ["category", "2023", "2024"]
    assert rows(found[1]) == [["Q1", 1, 3.5], ["Q2", 2, 4]]
    assert document.counts["charts"] == 1


def test_a_chart_in_three_dimensions_is_read_like_any_other(tmp_path: Path) -> None:
    flat = papers.deck(["Sales"], (), {"2023": [1, 2], "2024": [3.5, 4]})
    with zipfile.ZipFile(io.BytesIO(flat)) as old, zipfile.ZipFile(tmp_path / "a.pptx", "w") as new:
        for name in old.namelist():
            new.writestr(name, old.read(name).replace(b"c:barChart", b"c:bar3DChart"))
    (table,) = documents.read(tmp_path / "a.pptx")[0]
    assert rows(table) == [["Q1", 1, 3.5], ["Q2", 2, 4]]


@pytest.mark.parametrize("name", ["a.pdf", "no_suffix", "a.csv"])
def test_a_pdf_is_told_by_its_pages_whatever_its_name(tmp_path: Path, name: str) -> None:
    assert said(tmp_path, name, papers.pdf(["Annual report", "More of it"])).splitlines() == [
        f"{name}: a PDF document, pages 2, words 5",
        "- Annual report",
        "- More of it",
    ]


def test_a_scan_is_said_to_have_no_text(tmp_path: Path) -> None:
    assert said(tmp_path, "a.pdf", papers.pdf([""])) == "a.pdf: a PDF document, pages 1, pages without text 1"


def test_a_pdf_that_only_forbids_changes_is_read(tmp_path: Path) -> None:
    content = papers.locked_pdf(["Open to all"], to_open="")
    assert "- Open to all" in said(tmp_path, "a.pdf", content)


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        ("PNG", "a PNG picture"),
        ("JPEG", "a JPEG picture"),
        ("GIF", "a GIF picture"),
        ("WEBP", "a WebP picture"),
        ("BMP", "a BMP picture"),
        ("TIFF", "a TIFF picture"),
    ],
)
def test_a_picture_is_told_by_its_size(tmp_path: Path, kind: str, told: str) -> None:
    assert said(tmp_path, "photo.dat", papers.picture(kind)).startswith(
        f"photo.dat: {told}, width 320, height 200, mode "
    )


def test_a_text_is_told_by_its_headings_or_first_lines(tmp_path: Path) -> None:
    note = b"# Plan\nwords\n\n```\n# no heading\n```\n## Now\n- a\n"
    assert said(tmp_path, "a.md", note).splitlines()[1:] == ["- Plan", "- Now"]
    letter = b"Dear Sir,\nI write to you, as agreed.\nYours,\nJohn\n"
    assert said(tmp_path, "a.txt", letter).splitlines()[:2] == [
        "a.txt: a text, lines 4, words 10, characters 49",
        "- Dear Sir,",
    ]


def test_a_long_text_is_shown_in_a_few_lines(tmp_path: Path) -> None:
    text = said(tmp_path, "a.txt", ("A rather long sentence without end " * 20 + "\n").encode() * 500)
    assert len(text) < 2_000
    assert "- and 488 more parts" in text


def test_all_words_of_a_document_can_be_had(tmp_path: Path) -> None:
    path = put(tmp_path, "a.docx", papers.word(["First"], TABLE))
    assert (
        documents.text(path)
        == "# First\nSales grew in every single region.\nregion | n\nNorth | 1\nSouth | 2"
    )
    with pytest.raises(tables.NotATable, match="without text"):
        documents.text(put(tmp_path, "a.bin", random.Random(1).randbytes(5_000)))  # noqa: S311 - any bytes


def test_an_archive_lists_its_members_and_reads_tables_wherever_they_say_they_are(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    link = zipfile.ZipInfo("link.csv")
    link.external_attr = 0o120777 << 16
    with zipfile.ZipFile(path, "w") as archive:
        for number, name in enumerate(
            ("docs/2024/a.csv", "../../evil.csv", "/etc/abs.csv", "C:\\x\\win.csv")
        ):
            archive.writestr(name, f"a,b\n{number},x\n")
        archive.writestr(link, "/etc/passwd")
        archive.writestr("inner.zip", b"PK\x05\x06" + b"\0" * 18)
    found, document = documents.read(path)
    assert [part.name for part in document.parts][:2] == ["docs/2024/a.csv", "../../evil.csv"]
    assert [table.name for table in found] == ["a", "evil", "abs", "win"]
    assert [row for table in found for row in rows(table)] == [[number, "x"] for number in range(4)]
    assert {path.name for path in tmp_path.iterdir()} == {"a.zip"}
    assert found[0].note("archive_skipped").facts["members"] == [
        "link.csv (header_only)",
        "inner.zip (not_a_table)",
    ]


def archive_of(**members: str) -> bytearray:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return bytearray(content.getvalue())


def locked_zip() -> bytes:
    """With the mark of a cipher on its member."""
    content = archive_of(a="a,b\n1,2\n")
    for magic, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.find(magic) + offset] |= 1
    return bytes(content)


def locked_xls() -> bytes:
    """An Excel 2.1 stream whose second record says that the rest is ciphered."""
    return struct.pack("<HHHH", 0x0009, 4, 0x0002, 0x0010) + struct.pack("<HH", 0x002F, 4) + b"\1\2\3\4"


def locked_office() -> bytes:
    """A compound file that names the stream in which Office keeps what is ciphered."""
    return b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 504 + "EncryptedPackage".encode("utf-16-le")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.pdf", papers.locked_pdf(["secret"], to_open="1234")),
        ("a.zip", locked_zip()),
        ("a.xls", locked_xls()),
        ("a.xlsx", locked_office()),
        ("a.docx", locked_office()),
    ],
)
def test_what_has_a_password_is_asked_for_without_one(tmp_path: Path, name: str, content: bytes) -> None:
    assert said(tmp_path, name, content) == (
        f"{name}: {name} is protected with a password. Save it without one and send it again."
    )


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.pdf", papers.pdf(["x"])[:200]),
        ("a.png", papers.picture()[:300]),
        ("a.docx", papers.word(["x"])[:9_000]),
        ("a.pptx", papers.deck(["x"])[:9_000]),
        ("a.zip", bytes(archive_of(a="a,b\n1,2\n" * 9)[:60])),
    ],
    ids=["pdf", "png", "docx", "pptx", "zip"],  # archives hold the time of their making
)
def test_a_file_that_was_cut_off_is_told_as_damaged(tmp_path: Path, name: str, content: bytes) -> None:
    text = said(tmp_path, name, content)
    assert text.startswith(f"{name}: {name} looks like ")
    assert "damaged" in text
    assert "Traceback" not in text


def test_a_part_of_a_document_that_unpacks_without_end_is_refused_unread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "MAX_PART", 1 << 20)
    content = archive_of(**{"word/document.xml": "<a>" * 500_000})
    assert said(tmp_path, "a.docx", bytes(content)) == (
        "a.docx: a.docx is too large: 1 MiB unpacked, the limit is 1."
    )


def test_an_archive_larger_than_the_room_for_it_is_told_as_too_large(tmp_path: Path) -> None:
    class FullDisk(io.BytesIO):
        """A folder and the file in it."""

        def __truediv__(self, name: str) -> "FullDisk":
            return self

        def open(self, mode: str) -> "FullDisk":
            return self

        def write(self, data: Any) -> int:
            raise OSError(errno.ENOSPC, "No space left on device")

    path = put(tmp_path, "a.csv.gz", gzip.compress(b"a,b\n1,2\n"))
    with pytest.raises(tables.TooLarge, match="MiB unpacked"):
        guest_module("eda", "tables_archive").gunzip(path, FullDisk())


def test_a_workbook_named_as_text_is_read_as_a_workbook(tmp_path: Path) -> None:
    book = tmp_path / "book.xlsx"
    pd.DataFrame({"a": [1], "b": ["x"]}).to_excel(book, index=False)
    sheet = open_document(tmp_path / "book.ods", {"S": [["a", "b"], [1, "x"]]})
    for path in (book, sheet):
        (table,) = tables.read(path.rename(tmp_path / "data.csv"))
        assert rows(table) == [[1, "x"]]


def test_a_text_named_as_a_workbook_is_read_as_text(tmp_path: Path) -> None:
    (table,) = tables.read(put(tmp_path, "a.xlsx", b"name,words\nAnn,so it is\nBob,not at all\n"))
    assert rows(table) == [["Ann", "so it is"], ["Bob", "not at all"]]


def test_a_login_page_that_was_saved_as_a_workbook_is_told(tmp_path: Path) -> None:
    page = b"<!DOCTYPE html><html><head><title>Sign in</title></head><body><form>Name</form></body></html>"
    assert said(tmp_path, "a.xls", page) == "a.xls: a.xls is not a table: it is a web page without a table."


def test_stray_null_bytes_are_taken_out_and_told(tmp_path: Path) -> None:
    (table,) = tables.read(put(tmp_path, "a.csv", b"a,b\n" + b"1,x\n" * 99 + b"\x003,y\x00\n"))
    assert rows(table)[-1] == [3, "y"]
    assert table.note("null_bytes").facts == {"count": 2}
    assert "encoding" in codes(table)


def test_a_row_of_two_hundred_thousand_columns_is_refused_at_once(tmp_path: Path) -> None:
    content = "\n".join(",".join(["12"] * 200_000) for _ in range(2)).encode()
    assert said(tmp_path, "a.csv", content) == (
        "a.csv: a.csv is too large: 200000 columns, the limit is 16384."
    )


def test_every_kind_and_unit_of_the_readers_has_a_russian_name() -> None:
    values = guest_module("eda", "tables_words").VALUES["ru"]
    named: set[str] = set()
    for path in (SKILLS / "eda/scripts").glob("*.py"):
        named |= set(re.findall(r'(?:kind|unit)="([^"]+[^" ])"', path.read_text(encoding="utf-8")))
    named |= {kind for _, kind in guest_module("eda", "tables_documents").MAGIC}
    named |= {
        "a WebP picture",
        "a HEIC picture",
        "a film",
        "a text",
        "an archive",
        "a PowerPoint presentation",
    }
    assert named - set(values) == set()
