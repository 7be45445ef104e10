"""Files are what their names say, or they stay behind."""

import zipfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agent.disguise import objection


@pytest.mark.parametrize(
    ("name", "content", "fine"),
    [
        ("a.pdf", b"%PDF-1.7\n", True),
        ("a.pdf", b"\x7fELF\x02\x01", False),
        ("a.PNG", b"\x89PNG\r\n\x1a\n\0", True),
        ("a.png", b"MZ\x90\0", False),
        ("a.csv", "имя,цена\n".encode(), True),
        ("a.csv", "a,b\n".encode("utf-16"), True),
        ("a.csv", b"MZ\x90\0\x03", False),
        ("a.csv", b"", True),
        ("a.svg", b"<svg/>", True),
        ("a.exe", b"MZ\x90\0", False),
        ("a.xlsm", b"PK\x03\x04", False),
        ("a.xlsx", b"#!/bin/sh\n", False),
        ("a.xlsx", b"PK\x03\x04", False),
        ("a", b"text", False),
    ],
)
def test_a_file_is_what_its_name_says(name: str, content: bytes, fine: bool, tmp_path: Path) -> None:
    file = tmp_path / name
    file.write_bytes(content)
    assert (objection(file) is None) is fine


@pytest.mark.parametrize(
    ("name", "part", "fine"),
    [
        ("a.xlsx", "xl/worksheets/sheet1.xml", True),
        ("a.pptx", "ppt/embeddings/Microsoft_Excel_Sheet1.xlsx", True),
        ("a.xlsx", "xl/vbaProject.bin", False),
        ("a.xlsx", "xl/externalLinks/externalLink1.xml", False),
        ("a.docx", "word/embeddings/oleObject1.bin", False),
        ("a.pptx", "ppt/embeddings/Microsoft_Excel_Sheet1.xlsm", False),
        ("a.pptx", "ppt/activeX/activeX1.bin", False),
        ("a.xlsx", "customUI/customUI.xml", False),
        ("a.xlsx", "xl/macrosheets/sheet1.xml", False),
    ],
)
def test_a_document_does_nothing_when_it_is_opened(name: str, part: str, fine: bool, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / name, "w") as document:
        for each in ("[Content_Types].xml", part, "docProps/app.xml"):
            document.writestr(each, "x" * 100)
        document.comment = b"a comment"
    assert (objection(tmp_path / name) is None) is fine


@given(content=st.binary(max_size=200), mark=st.sampled_from([b"", b"PK\x05\x06", b"PK\x01\x02"]))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_bytes_do_more_than_be_objected_to(content: bytes, mark: bytes, tmp_path: Path) -> None:
    file = tmp_path / "a.xlsx"
    file.write_bytes(b"PK\x03\x04" + mark + content)
    assert objection(file) is not None
