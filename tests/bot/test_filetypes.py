import pytest

from bot.chat import Attachment
from bot.intake.filetypes import is_taken, sorted_out

XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


def file(name: str, media_type: str = "") -> Attachment:
    return Attachment(name=name, handle=name, media_type=media_type)


@pytest.mark.parametrize(
    "name",
    """a.csv a.tsv a.txt a.json a.jsonl a.parquet a.xlsx a.xls a.ods a.zip a.md a.docx a.pdf a.pptx
    a.png a.jpg a.jpeg a.gif a.webp a.bmp a.tif A.CSV Отчёт.XLSX 数据.csv a.tar.csv""".split(),  # noqa: SIM905 - names
)
def test_the_usual_files_are_taken_whatever_the_client_says_of_them(name: str) -> None:
    assert is_taken(file(name))
    assert is_taken(file(name, "video/mp4"))


@pytest.mark.parametrize(
    ("name", "media_type", "taken"),
    [
        ("data", "", True),
        ("data", "application/octet-stream", True),
        ("data", "text/csv; charset=utf-8", True),
        ("data", "audio/ogg", False),
        ("sales.2024", "", True),
        ("sales.data", XLSX, True),
        ("sales.data", "application/x-msdownload", False),
        ("invoice.pdf.exe", "application/pdf", False),
        ("setup.sh", "text/plain", False),
        ("clip.mp4", "video/mp4", False),
        ("voice.ogg", "application/octet-stream", False),
        ("sticker.tgs", "", False),
        ("archive.rar", "", False),
    ],
)
def test_an_extension_that_tells_nothing_leaves_it_to_the_media_type(
    name: str, media_type: str, taken: bool
) -> None:
    assert is_taken(file(name, media_type)) is taken


def test_files_are_sorted_out_in_their_order() -> None:
    taken, others = sorted_out([file("b.csv"), file("x.exe"), file("a.csv")])
    assert [item.name for item in taken] == ["b.csv", "a.csv"]
    assert [item.name for item in others] == ["x.exe"]
