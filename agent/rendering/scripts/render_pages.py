"""Pages of a PDF file as pictures: drawn by poppler, and looked at for whether there is anything on them."""

import re
import time
from pathlib import Path

from PIL import Image, ImageChops
from render_office import Unrendered, run

LONGEST = 1280
"""Pixels of the longer side of a page that lies…"""
TALLEST = 1600
"""…and of one that stands, whose letters would be too small."""
SHEET = 2000
"""And of a sheet's, which is then cropped to what is on it."""
_MARGIN = 24
_SECONDS = 60.0
_SHADES = 8
"""Of 256: a page whose lightest and darkest point differ by less is empty."""
_PAGES = re.compile(r"^Pages:\s+(\d+)$", re.MULTILINE)
_SIZE = re.compile(r"^Page size:\s+([\d.]+) x ([\d.]+) pts", re.MULTILINE)


def survey(pdf, until):
    """Pages, and whether the first one lies."""
    code, printed = run(["/usr/bin/pdfinfo", str(pdf)], min(20.0, until - time.monotonic()), cwd=pdf.parent)
    pages, size = _PAGES.search(printed), _SIZE.search(printed)
    if code or pages is None or size is None:
        raise Unrendered("broken")
    if not int(pages[1]):
        raise Unrendered("empty")
    return int(pages[1]), float(size[1]) >= float(size[2])


def draw(pdf, stem, pages, pixels, until):
    """The pages 1 to `pages` as `stem-01.png` and so on in the current folder; the numbers of those drawn.

    The longer side has `pixels`, whatever size a page says it has. Time that is over leaves pages out.
    """
    drawn = []
    until = min(until, time.monotonic() + _SECONDS)
    for page in range(1, pages + 1):
        name = f"{stem}-{page:02}"
        command = ["/usr/bin/pdftoppm", "-png", "-singlefile", "-scale-to", str(pixels)]
        command += ["-f", str(page), "-l", str(page), str(pdf), name]
        try:
            code, _ = run(command, until - time.monotonic(), cwd=".")
        except Unrendered:
            Path(f"{name}.png").unlink(missing_ok=True)  # half of it
            break
        if code == 0 and Path(f"{name}.png").is_file():
            drawn.append(page)
    if not drawn:
        raise Unrendered("timeout" if time.monotonic() >= until else "broken")
    return drawn


def is_blank(path):
    with Image.open(path) as picture:
        low, high = picture.convert("L").getextrema()
    return high - low < _SHADES


def crop(path):
    """Leave a margin of white around what is on it, and no more."""
    with Image.open(path) as opened:
        picture = opened.convert("RGB")
    box = ImageChops.difference(picture, Image.new("RGB", picture.size, "white")).getbbox()
    if box is None:
        return
    left, top, right, bottom = box
    wide, high = picture.size
    picture = picture.crop(
        (
            max(left - _MARGIN, 0),
            max(top - _MARGIN, 0),
            min(right + _MARGIN, wide),
            min(bottom + _MARGIN, high),
        )
    )
    picture.thumbnail((LONGEST, LONGEST), Image.Resampling.LANCZOS)
    picture.save(path)
