"""What the gate asks of a deck the library keeps by itself: notes, a last slide, variety, a brand's look."""

import io
import re
import zipfile
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from tests.skills.guest import guest_module

Deck: Any = guest_module("presentation", "deck").Deck
color: Any = guest_module("presentation", "deck_color")
checks: Any = guest_module("checks", "checks")
facts: Any = guest_module("facts", "facts")
Presentation: Any = import_module("pptx").Presentation
Inches: Any = import_module("pptx.util").Inches
qn: Any = import_module("pptx.oxml.ns").qn
etree: Any = import_module("lxml.etree")
Image: Any = import_module("PIL.Image")
RELATIONSHIP_TYPE: Any = import_module("pptx.opc.constants").RELATIONSHIP_TYPE

UNTRACED, NO_GLYPH = 14, 12
"""Checks of the numbers, and of fonts that only the image has."""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Facts are recorded in the current folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def blocking(path: str) -> list[tuple[int, str]]:
    found = checks.report([path])["findings"]
    return [
        (item["check"], item["code"])
        for item in found
        if item["blocking"] and item["check"] not in (UNTRACED, NO_GLYPH)
    ]


def filled(template: Path | None = None, language: str = "en") -> Any:
    """Eight charts and texts of all kinds: more of one composition than may be, were they not varied."""
    long = {f"a category with a rather long name {n}": n + 1 for n in range(9)}
    d = Deck("What $ was sold 😀", "a.csv", language=language, source="a.csv", rows=12, template=template)
    d.kpis(
        "12.5% came back, and 漢字 too", [("12.5%", "came back"), (3, "Ж"), (1, "=1+1")], takeaway="Short."
    )
    for number in range(5):
        d.bar(f"Bars say more than words do, {number}", long, takeaway="Read this.", y_title="Sold, pieces")
    d.line("Sales grew", {"2023": 1.5, "2024": 2}, x_title="Year", y_title="Sold, £", takeaway="By a third.")
    d.table("Nothing is hidden", pd.DataFrame({"x\x0b": [1, None], "b": ["=1", "y"]}), takeaway="Two rows.")
    d.two_columns("It helps and it hurts", ("It helps", ["one", "two"]), ("It hurts", ["three"]))
    return d


def slides_of(path: str) -> list[Any]:
    return list(Presentation(path).slides)


def words_on(slide: Any) -> str:
    return "\n".join(shape.text_frame.text for shape in slide.shapes if shape.has_text_frame)


def branded(path: Path, *, size: tuple[float, float] = (13.333, 7.5), dark: bool = False) -> Path:
    """A template with a logo, fonts and colours of its own, and two sample slides."""
    made = Presentation()
    across, down = size[0] / 10, size[1] / 7.5
    for holder in (made.slide_master, *made.slide_layouts):
        for shape in holder.placeholders:
            if shape._element.spPr.find(qn("a:xfrm")) is not None:
                places = (shape.left * across, shape.top * down, shape.width * across, shape.height * down)
                shape.left, shape.top, shape.width, shape.height = map(int, places)
    made.slide_width, made.slide_height = Inches(size[0]), Inches(size[1])
    master = made.slide_master
    part = master.part.part_related_by(RELATIONSHIP_TYPE.THEME)
    theme = etree.fromstring(part.blob)
    for latin, name in zip(
        theme.findall(f".//{qn('a:fontScheme')}/*/{qn('a:latin')}"), ("Georgia", "Verdana"), strict=True
    ):
        latin.set("typeface", name)
    colors = {"accent1": "FFDD00", "accent2": "00A3AD"}
    colors |= {"dk1": "F5F5F5", "lt1": "101820"} if dark else {}
    for name, value in colors.items():
        slot = theme.find(f".//{qn('a:clrScheme')}/{qn(f'a:{name}')}")
        slot.clear()
        etree.SubElement(slot, qn("a:srgbClr")).set("val", value)
    part._blob = etree.tostring(theme)
    picture = io.BytesIO()
    Image.new("RGB", (300, 120), "#e03030").save(picture, "PNG")
    _, relation = master.part.get_or_add_image_part(picture)
    new_picture = import_module("pptx.oxml.shapes.picture").CT_Picture.new_pic
    corner = (Inches(size[0] - 1.6), Inches(size[1] - 0.62), Inches(1.2), Inches(0.48))
    master.shapes._spTree.append(new_picture(50, "Logo", "logo", relation, *corner))
    for layout in list(made.slide_layouts)[:2]:
        made.slides.add_slide(layout).shapes.title.text = "Sample"
    made.save(str(path))
    return path


def families(path: str) -> set[str]:
    with zipfile.ZipFile(path) as archive:
        slides = [
            archive.read(name) for name in archive.namelist() if re.match(r"ppt/slides/[^/]+xml$", name)
        ]
    return {
        match.decode() for slide in slides for match in re.findall(rb'<a:latin typeface="([^"]+)"', slide)
    }


@pytest.mark.parametrize("language", ["en", "ru"])
def test_a_deck_of_many_alike_charts_and_odd_texts_passes_the_gate(language: str) -> None:
    path = filled(language=language).save("deck.pptx")
    assert blocking(path) == []
    assert families(path) == {"Calibri"}


def test_every_slide_of_content_names_its_source_in_the_notes() -> None:
    slides = slides_of(filled().save("deck.pptx"))
    assert all("a.csv, 12 rows" in slide.notes_slide.notes_text_frame.text for slide in slides[1:])


def test_a_card_with_a_fact_tells_in_the_notes_how_it_was_computed() -> None:
    Path("a.csv").write_text("kept\n1\n0\n0\n0\n", encoding="utf-8")
    share = facts.fact("kept", "kept.mean()", of=facts.load("a.csv"), unit="%")
    d = Deck("T", source="a.csv")
    d.kpis("Some are kept", [(share, "kept"), (1, "x")])
    d.bar("Bars", {"kept": share, "lost": 1 - share.value}, percent=True)
    slides = slides_of(d.save("deck.pptx"))
    assert "25.0% kept: kept.mean(); n\u00a0=\u00a04; a.csv" in slides[1].notes_slide.notes_text_frame.text
    assert d.percent(share) == "25.0%"
    (chart,) = [shape.chart for shape in slides[2].shapes if shape.has_chart]
    assert list(chart.plots[0].series[0].values) == [0.25, 0.75]


def test_the_last_slide_tells_the_assumptions_that_were_registered() -> None:
    facts.assume("Rows with a negative quantity are returns")
    d = Deck("T", source="a.csv")
    d.two_columns("What to keep in mind", ("Limitations", ["one"]), ("More", ["two"]))
    d.save("deck.pptx")
    assert "negative quantity are returns" in words_on(slides_of("deck.pptx")[-1])
    assert d.slides == 3


def test_a_slide_of_limitations_is_the_last_one_where_nothing_was_assumed() -> None:
    d = Deck("T", source="a.csv")
    d.two_columns("What to keep in mind", ("Limitations", ["one"]), ("More", ["two"]))
    d.save("deck.pptx")
    assert d.slides == 2


def test_assumptions_without_room_are_in_the_notes_and_counted() -> None:
    d = Deck("T", source="a.csv")
    told = [f"Assumption {n}: " + "many words " * 12 for n in range(20)]
    d.method(items=["By hand."], assumptions=told)
    last = slides_of(d.save("deck.pptx"))[-1]
    assert d.slides == 2
    assert re.search(r"\d+ more are in the notes", words_on(last))
    assert "Assumption 19" in last.notes_slide.notes_text_frame.text


def test_a_deck_of_another_length_than_asked_for_is_refused_with_advice() -> None:
    d = Deck("T", source="a.csv", slides=2)
    d.bullets("This is one slide too many", ["x"])
    with pytest.raises(ValueError, match=r"2 slides were asked for.*these are 3.*d\.method"):
        d.save("deck.pptx")


def test_slides_of_short_texts_do_not_all_look_alike() -> None:
    d = Deck("T", source="a.csv")
    for number in range(6):
        d.bullets(f"Text {number} is short", ["one", "two", ("Three.", "four")] + ["five"] * (number % 2))
    assert blocking(d.save("deck.pptx")) == []


def test_a_title_that_was_told_before_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    d = Deck("T", source="a.csv")
    d.bullets("The same", ["x"])
    d.bullets("The same", ["y"])
    d.save("deck.pptx")
    assert "slide 3: has the title of slide 2" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("size", "dark"),
    [((13.333, 7.5), False), ((13.333, 7.5), True), ((10, 7.5), False), ((10, 5.625), False)],
)
def test_a_brand_gives_size_fonts_colors_and_logo_and_passes_the_gate(
    tmp_path: Path, size: tuple[float, float], *, dark: bool
) -> None:
    template = branded(tmp_path / "brand.pptx", size=size, dark=dark)
    path = filled(template).save("deck.pptx")
    made = Presentation(path)
    assert blocking(path) == []
    assert (made.slide_width, made.slide_height) == (Inches(size[0]), Inches(size[1]))
    assert families(path) == {"Georgia", "Verdana"}
    assert "Sample" not in "".join(map(words_on, made.slides))
    assert any(shape.name == "Logo" for shape in made.slide_master.shapes)
    (first, *_) = [shape.chart for slide in made.slides for shape in slide.shapes if shape.has_chart]
    bars = first.plots[0].series[0].format.fill.fore_color.rgb
    ground = color.RGBColor.from_string("101820" if dark else "FFFFFF")
    assert color.contrast(bars, ground) >= 4.5
    assert bars[0] > bars[2] + 60
    """Still the brand's yellow, though a darker shade of it on white."""


Edit = Callable[[str, bytes], bytes | None]
LINK = (
    b'<Relationship Id="rId99" Target="http://x.example/a.png" TargetMode="External" Type="http://schemas.'
    b'openxmlformats.org/officeDocument/2006/relationships/image"/></Relationships>'
)


LAYOUTS = {f"ppt/slideLayouts/slideLayout{number}.xml": b"<x/>" for number in range(12, 212)}


def linked(name: str, data: bytes) -> bytes:
    is_master = name == "ppt/slideMasters/_rels/slideMaster1.xml.rels"
    return data.replace(b"</Relationships>", LINK) if is_master else data


def titleless(name: str, data: bytes) -> bytes:
    return (
        re.sub(rb'type="(title|ctrTitle)"', b'type="body" idx="77"', data)
        if "slideLayouts/s" in name
        else data
    )


@pytest.mark.parametrize(
    ("edit", "extra", "reason"),
    [
        (lambda _, data: data, {"ppt/vbaProject.bin": b"x"}, "macros"),
        (linked, {}, "outside the file"),
        (lambda _, data: data, LAYOUTS, "211 layouts"),
        (lambda name, data: b"<!DOCTYPE a>" + data if "theme1" in name else data, {}, "entities"),
        (lambda name, data: None if "slideMaster" in name else data, {}, "cannot be read"),
        (lambda name, data: data[:200] if name.endswith("Layout2.xml") else data, {}, "cannot be read"),
        (lambda name, data: b"<a/>" if "theme1" in name else data, {}, "no colours"),
        (titleless, {}, "no layout with a title"),
    ],
)  # fmt: skip
def test_a_hostile_or_odd_template_is_named_and_the_deck_has_our_look(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], edit: Edit, extra: dict[str, bytes], reason: str
) -> None:
    source, spoilt = branded(tmp_path / "sound.pptx"), tmp_path / "spoilt.pptx"
    with zipfile.ZipFile(source) as given, zipfile.ZipFile(spoilt, "w") as made:
        for name in given.namelist():
            if (data := edit(name, given.read(name))) is not None:
                made.writestr(name, data)
        for name, data in extra.items():
            made.writestr(name, data)
    d = Deck("T", source="a.csv", template=spoilt)
    path = d.save("deck.pptx")
    assert re.search(rf"template spoilt\.pptx is not used: .*{reason}", capsys.readouterr().out)
    assert families(path) == {"Calibri"}


def test_a_template_that_is_no_archive_is_named_and_a_missing_one_is_a_mistake(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("brand.pptx").write_bytes(b"no zip")
    Deck("T", template="brand.pptx")
    assert "is not a .pptx file" in capsys.readouterr().out
    with pytest.raises(ValueError, match="no template"):
        Deck("T", template="other.pptx")
