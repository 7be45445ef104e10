"""Names stay names, whatever someone called a file."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.names import (
    MAX_BYTES,
    canonical_names,
    clean_text,
    deceives,
    is_script_name,
    sendable_names,
    split_path,
)

ANY_NAME = st.text(st.characters(codec=None, exclude_categories=()), max_size=200)


@pytest.mark.parametrize(
    ("original", "name"),
    [
        ("data.csv", "data.csv"),
        ("Продажи 2024 (итог).xlsx", "Продажи_2024_(итог).xlsx"),
        ("売上データ.CSV", "売上データ.CSV"),
        ("../../etc/passwd", "passwd"),
        ("C:\\Users\\me\\report.xlsx", "report.xlsx"),
        ("a\x00b.csv", "a_b.csv"),
        ("invoice\u202excod.exe", "invoice_xcod.exe"),
        ("e\u0301te\u0301.csv", "été.csv"),
        ("CON.txt", "file_CON.txt"),
        ("nul", "file_nul"),
        ("-rf", "rf"),
        (".htaccess", "htaccess"),
        ("trailing. . ", "trailing"),
        ("a:b|c*d?.csv", "a_b_c_d.csv"),
        ("", "file"),
        ("...", "file"),
        ("😀.csv", "file.csv"),
        ("archive.tar.gz", "archive.tar.gz"),
        ("x" * 300 + ".parquet", "x" * 112 + ".parquet"),
        ("ы" * 100 + ".csv", "ы" * 58 + ".csv"),
    ],
)
def test_a_canonical_name_keeps_what_is_harmless(original: str, name: str) -> None:
    assert canonical_names([original]) == (name,)


def test_two_uploads_of_one_name_become_two_stable_names() -> None:
    names = ["data.csv", "Data.CSV", "data.csv", "data_2.csv"]
    assert canonical_names(names) == ("data.csv", "Data_2.CSV", "data_3.csv", "data_2_2.csv")


def test_sendable_names_keep_spaces() -> None:
    assert sendable_names(["sub/Annual report.pptx", "Annual report.pptx"]) == (
        "Annual report.pptx",
        "Annual report_2.pptx",
    )


@given(st.lists(ANY_NAME, max_size=8))
def test_safe_names_hold_for_any_names(originals: list[str]) -> None:
    for make in (canonical_names, sendable_names):
        names = make(originals)
        assert len({name.casefold() for name in names}) == len(originals)
        for name in names:
            assert 0 < len(name.encode("utf-8")) <= MAX_BYTES
            assert name == unicodedata.normalize("NFC", name)
            assert name.isprintable()
            assert not set(name) & set('/\\:*?"<>|')
            assert not name.startswith((".", "-", " "))
            assert not name.endswith((".", " "))
            assert name.split(".")[0].lower() not in ("con", "nul", "com1", "aux")
            assert make([name]) == (name,)


@given(ANY_NAME)
def test_a_path_of_the_guest_is_plain_parts_or_nothing(path: str) -> None:
    parts = split_path(path)
    if parts is not None:
        assert "/".join(parts) == path
        assert not {"", ".", ".."} & set(parts)
        assert path.isprintable()


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/",
        "a//b",
        "/a",
        "a/",
        "..",
        "a/../b",
        "./a",
        "a\n",
        "a\x00",
        "\udcff",
        "a/" * 20 + "b",
        "x" * 256,
    ],
)
def test_what_is_no_plain_path_is_refused(path: str) -> None:
    assert split_path(path) is None


@pytest.mark.parametrize(
    ("name", "fine"),
    [
        ("a.py", True),
        ("шаг_1.py", True),
        ("a-b.c.py", True),
        ("a.pyc", False),
        ("-a.py", False),
        ("a b.py", False),
        ("x" * 118 + ".py", False),
    ],
)
def test_script_names(name: str, fine: bool) -> None:
    assert is_script_name(name) is fine


def test_a_script_may_end_as_the_languages_of_the_policy_do() -> None:
    assert [is_script_name(name, (".py", ".js")) for name in ("a.py", "a.js", ".js", "a.jsx", "a")] == [
        True, True, False, False, False,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("path", "deceptive"),
    [
        ("a/b.csv", False),
        ("Отчёт (1).xlsx", False),
        ("a\u0301.txt", False),
        ("con", True),
        ("x/LPT1.txt", True),
        ("a\u2066b", True),
        ("a./b", True),
        ("a\u2215b", True),
    ],
)
def test_names_that_deceive(path: str, deceptive: bool) -> None:
    assert deceives(path) is deceptive


@given(ANY_NAME)
def test_clean_text_can_be_stored_and_shown(text: str) -> None:
    clean = clean_text(text)
    assert clean.encode().decode() == clean
    assert not [c for c in clean if unicodedata.category(c) in ("Cc", "Cs") and c not in "\n\t"]
    assert clean_text(clean) == clean
