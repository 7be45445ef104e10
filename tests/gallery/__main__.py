"""`make gallery`: the README's pictures, of deliverables that the product makes now and renders itself."""

import asyncio
import sys
import tempfile
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.e2e.product import ROOT, Product
from tests.gallery.sheet import contact_sheet
from tests.replay.player import play
from tests.replay.replay import RECORDINGS, Recording

TARGET = ROOT / "docs" / "gallery"
WITHIN = 300.0
"""Seconds for one run, its checks and its pictures."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exhibit:
    name: str
    suffix: str
    """Of the deliverable that is shown."""
    recording: str = ""
    """One of a model played by hand; the offline recipes make the others."""
    files: Sequence[str] = ()
    request: str = ""
    columns: int = 3


EXHIBITS = (
    Exhibit(name="deck-titanic", suffix=".pptx", recording="titanic"),
    Exhibit(name="deck-supermarket", suffix=".pptx", recording="supermarket"),
    Exhibit(
        name="deck-offline",
        suffix=".pptx",
        files=["examples/titanic/titanic.csv"],
        request="Explore this data and make a deck of 9 slides",
    ),
    Exhibit(
        name="workbook",
        suffix=".xlsx",
        files=["tests/replay/recordings/supermarket/supermarket_3sheets.xlsx"],
        request="Put the sheets together, compare branches and months, Excel with charts please",
        columns=2,
    ),
    Exhibit(
        name="pdf-report",
        suffix=".pdf",
        files=["examples/titanic/titanic.csv"],
        request="Analyse this data and write a PDF report with charts",
        columns=4,
    ),
)


async def make(exhibit: Exhibit) -> None:
    with tempfile.TemporaryDirectory(prefix="deckhand-") as folder:
        async with _product(exhibit, Path(folder)) as (product, arguments):
            code, said = await product.finish("ask", *arguments, within=WITHIN)
        pages = _pages(product, exhibit.suffix)
        if code or not pages:
            sys.exit(f"{exhibit.name}: no picture came of it\n{said}")
        TARGET.mkdir(parents=True, exist_ok=True)
        path = TARGET / f"{exhibit.name}.png"
        contact_sheet(pages, columns=exhibit.columns).save(path, optimize=True)
        sys.stdout.write(f"{path.relative_to(ROOT)}: {len(pages)} pages, {path.stat().st_size >> 10} KiB\n")


@asynccontextmanager
async def _product(exhibit: Exhibit, folder: Path) -> AsyncGenerator[tuple[Product, Sequence[str]]]:
    if not exhibit.recording:
        files = [str(ROOT / file) for file in exhibit.files]
        yield Product(folder), (*files, exhibit.request)
        return
    recording = Recording.load(RECORDINGS / exhibit.recording)
    async with play(recording.exchanges) as player:
        assert player.endpoint is not None
        files = [str(file) for file in recording.files]
        yield Product(folder, player.endpoint.url), (*files, recording.request)
        if player.differences:
            sys.exit(f"{exhibit.name} went another way:\n" + "\n".join(player.differences))


def _pages(product: Product, suffix: str) -> list[Path]:
    """Pictures of the first deliverable of that kind: they are saved file by file, page by page."""
    names = [event["name"] for event in product.events() if event.get("preview")]
    pictures = sorted(product.run_folder().glob("previews/*/*.png"))
    files = [name.rsplit("-", 1)[0] for name in names]
    first = next((file for file in files if file.endswith(suffix)), None)
    return [picture for picture, file in zip(pictures, files, strict=True) if file == first]


def main() -> None:
    wanted = set(sys.argv[1:]) or {exhibit.name for exhibit in EXHIBITS}
    for exhibit in EXHIBITS:
        if exhibit.name in wanted:
            asyncio.run(make(exhibit))


if __name__ == "__main__":
    main()
