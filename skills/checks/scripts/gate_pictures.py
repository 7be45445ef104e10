"""Check 9, and of check 8 what pictures are about: alt text, aspect ratio, resolution, charts as pictures."""

import io
import re

from gate_model import finding, quoted
from PIL import Image
from pptx.oxml.ns import qn

LEAST_DPI = 150
_STRETCH = 0.03
"""Share by which a picture may be wider or narrower than it is."""
MOST_PIXELS = 60_000_000
_LEAST_SIDE = 400
"""Pixels of a picture that is delivered as a file."""
_FILE_NAME = re.compile(
    r"[\w\-. ()]+\.(?:png|jpe?g|gif|bmp|tiff?|svg|emf|wmf|webp)|(?:picture|image|chart|table|graphic"
    r"|рисунок)\s*\d*",
    re.I,
)
_NATIVE = re.compile(
    r"\b(?:bars?|columns?|line|pie|dough?nut|area|scatter|bubble|stacked)[\s-]*(?:and[\s-]line[\s-]*)?(?:chart|graph|plot|diagram)s?\b"
    r"|\bbarplot|столбчат\w+|столбиков\w+|кругов\w+ (?:диаграмм|график)|линейн\w+ (?:график|диаграмм)"
    r"|точечн\w+ (?:график|диаграмм)"
    r"|диаграмм\w+ рассеяния|график\w* (?:динамики|продаж|выручки)",
    re.I,
)
_NOT_NATIVE = re.compile(
    r"heat\s?-?map|box\s?-?plot|violin|histogram|density|\bkde\b|\bmap\b|network|tree\s?-?map|sankey"
    r"|small multiples|pair\s?-?plot"
    r"|dendrogram|q-?q|forest plot|regression|interval|decompos|correlation matri|word cloud|venn|ridge"
    r"|contour|screenshot|photo|logo"
    r"|теплов\w+|ящик|скрипичн|гистограмм|плотност|карт[аы]\b|сет[ьи]\b|матриц|регресс|интервал|снимок|фото|логотип",
    re.I,
)


def picture_findings(view, file):
    found = []
    for page in view.pages:
        for piece in page.pieces:
            if piece.kind not in ("picture", "chart", "table"):
                continue
            place = f"{page.place}, {piece.name}"
            if not _is_decorative(piece):
                found += _described(piece, file, place)
            if piece.kind == "picture":
                found += _pixels(piece, file, place)
    return found


def file_findings(path, file):
    """Of a picture that is delivered itself."""
    try:
        with Image.open(path) as image:
            if image.width * image.height > MOST_PIXELS:
                detail = (
                    f"{image.width} x {image.height} pixels are more than can be looked at. Make it smaller."
                )
                return [finding("too_large", file, "", detail)]
            image.load()
            found = []
            if _is_blank(image):
                found.append(
                    finding(
                        "blank_picture", file, "", "All of the picture has one colour. Draw before saving."
                    )
                )
            if max(image.size) < _LEAST_SIDE:
                detail = f"It has {image.width} x {image.height} pixels. Save it with dpi=200."
                found.append(finding("low_resolution", file, "", detail))
            return found
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        return [finding("unreadable", file, "", f"It is not a picture that opens: {error}.")]


def _described(piece, file, place):
    if not piece.alt:
        detail = (
            f"The {piece.kind} has no alt text. Say in a sentence what it shows and what follows from it."
        )
        return [finding("alt_missing", file, place, detail)]
    if _FILE_NAME.fullmatch(piece.alt):
        detail = f"The alt text {quoted(piece.alt)} is a name. Say in a sentence what the {piece.kind} shows."
        return [finding("alt_file_name", file, place, detail)]
    return []


def _pixels(piece, file, place):
    try:
        image, shape = piece.shape.image, piece.shape
        (across, down), blob = image.size, image.blob
    except (AttributeError, ValueError, KeyError, OSError):
        return []  # linked, or drawn by vectors: it has no pixels
    found = []
    seen = across * (1 - shape.crop_left - shape.crop_right), down * (1 - shape.crop_top - shape.crop_bottom)
    # a group may stretch what is in it, and a turned picture's box lies on its side
    width, height = piece.box.width, piece.box.height
    if 45 <= piece.turn % 180 < 135:
        width, height = height, width
    if min(*seen, width, height) <= 0:
        return []
    stretch = (width / height) / (seen[0] / seen[1])
    if abs(stretch - 1) > _STRETCH:
        detail = (
            f"The picture is {stretch:.2f} times as wide as it should be. Give only its width or "
            "only its height."
        )
        found.append(finding("distorted", file, place, detail))
    dpi = min(seen[0] / width, seen[1] / height)
    if dpi < LEAST_DPI - 1:
        detail = (
            f"The picture has {dpi:.0f} pixels an inch here; {LEAST_DPI} is the least. Save it "
            "larger, or show it smaller."
        )
        found.append(finding("low_resolution", file, place, detail))
    found += _looked_at(blob, across * down, piece, file, place)
    return found


def _looked_at(blob, pixels, piece, file, place):
    plotted = blank = False
    if pixels <= MOST_PIXELS:
        try:
            with Image.open(io.BytesIO(blob)) as picture:
                plotted = str(picture.info.get("Software", "")).startswith("Matplotlib")
                blank = _is_blank(picture)
        except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
            return [finding("unreadable", file, place, "The picture does not open. Save it again as PNG.")]
    if blank:
        return [
            finding("blank_picture", file, place, "All of the picture has one colour. Draw before saving it.")
        ]
    said = f"{piece.name} {piece.alt}"
    if _NOT_NATIVE.search(said) or not (plotted or _NATIVE.search(said)):
        return []
    why = (
        "says that it is a chart of a kind that PowerPoint has"
        if _NATIVE.search(said)
        else "was drawn by matplotlib"
    )
    detail = (
        f"The picture {why}. Draw it as a native chart; where there is no such kind, begin the alt text "
        "with the kind: "
        "'Heatmap of …', 'Box plot of …'."
    )
    return [finding("picture_of_chart", file, place, detail)]


def _is_blank(image):
    small = image.convert("RGB").resize((64, 64)) if image.width * image.height <= MOST_PIXELS else image
    return all(high - low <= 2 for low, high in small.getextrema())


def _is_decorative(piece):
    properties = piece.shape._element.find(f".//{qn('p:cNvPr')}")
    if properties is None:
        return False
    return any(
        isinstance(child.tag, str) and child.tag.endswith("}decorative") and child.get("val") == "1"
        for child in properties.iter()
    )
