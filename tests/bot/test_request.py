import io
from pathlib import Path

import pytest

from bot.errors import SettingsError
from bot.request import Asked, check_out, read_words


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text("x\n")
    (tmp_path / "sub").mkdir()
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_the_last_word_is_the_request_and_files_are_optional() -> None:
    assert read_words(["a.csv", "what is it?"], io.StringIO()) == Asked("what is it?", (Path("a.csv"),))
    assert read_words(["write quicksort"], io.StringIO()) == Asked("write quicksort", ())


@pytest.mark.usefixtures("folder")
def test_a_dash_reads_the_request_from_stdin() -> None:
    assert read_words(["a.csv", "-"], io.StringIO("from a pipe\n")).text == "from a pipe\n"


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("words", "key"),
    [
        (["b.csv", "what is it?"], "ask-file-missing"),
        (["b.csv"], "ask-file-missing"),
        (["a.csv"], "ask-request-missing"),
        (["a.csv", "a.csv"], "ask-request-missing"),
        (["a.csv", "  "], "ask-request-empty"),
        (["a.csv", ""], "ask-request-empty"),
        ([""], "ask-request-empty"),
        (["", "what is it?"], "ask-file-missing"),
        (["sub", "what is it?"], "ask-file-folder"),
        (["a\0b", "what is it?"], "ask-file-missing"),
    ],
)
def test_what_is_wrong_is_named(words: list[str], key: str) -> None:
    with pytest.raises(SettingsError) as caught:
        read_words(words, io.StringIO())
    assert caught.value.key == key


def test_the_folder_for_results_is_made(folder: Path) -> None:
    assert check_out(folder / "new" / "one").is_dir()


def test_a_folder_that_cannot_be_is_told_before_the_run(folder: Path) -> None:
    with pytest.raises(SettingsError, match="ask-out-unusable"):
        check_out(folder / "a.csv")
