"""What a slide is made of, as the gate sees it: boxes in inches, pieces, cells, pages."""

from dataclasses import dataclass, field

from gate_colors import Palette
from gate_text import TextBlock

_FOOTERS = ("dt", "ftr", "sldNum", "hdr")


@dataclass(frozen=True)
class Box:
    """A rectangle on the slide, in inches; of a turned shape, the one around it."""

    left: float
    top: float
    width: float
    height: float

    @property
    def right(self):
        return self.left + self.width

    @property
    def bottom(self):
        return self.top + self.height

    def contains(self, other, slack=0.03):
        return (
            self.left - slack <= other.left
            and self.top - slack <= other.top
            and other.right <= self.right + slack
            and other.bottom <= self.bottom + slack
        )

    def common(self, other):
        """Width and height of what both cover; not above zero where they are apart."""
        across = min(self.right, other.right) - max(self.left, other.left)
        down = min(self.bottom, other.bottom) - max(self.top, other.top)
        return across, down


@dataclass(frozen=True)
class Cell:
    row: int
    column: int
    width: float
    height: float
    text: TextBlock
    fill: str | None


@dataclass(frozen=True)
class Piece:
    """One shape. `kind`: title, text, picture, chart, table, shape, line, or empty: an unused placeholder."""

    kind: str
    name: str
    box: Box
    order: int
    """From the back to the front."""
    shape: object = None
    text: TextBlock | None = None
    alt: str = ""
    fill: str | None = None
    """Six hex digits; None: nothing, a gradient or a picture."""
    painted: bool = False
    """Whether the ground is covered at all, be it by what `fill` cannot say."""
    placeholder: str | None = None
    inherited_place: bool = False
    turn: float = 0.0
    cells: tuple = ()
    grouped: bool = False

    @property
    def is_footer(self):
        return self.placeholder in _FOOTERS

    @property
    def words(self):
        return self.text.words if self.text else ""

    @property
    def is_content(self):
        """What a reader reads: neither decoration nor ground."""
        return self.kind in ("picture", "chart", "table") or bool(self.words)


@dataclass(frozen=True)
class Page:
    number: int
    pieces: tuple
    ground: str | None
    """The slide's background; None when a picture or a gradient."""
    notes: str
    hidden: bool
    backdrop: tuple = ()
    """Pieces of the layout and the master that are drawn below the slide's own."""

    @property
    def place(self):
        return f"slide {self.number}"

    @property
    def title(self):
        return next((piece for piece in self.pieces if piece.kind == "title"), None)

    def content(self):
        return [piece for piece in self.pieces if piece.is_content]


@dataclass(frozen=True)
class DeckView:
    width: float
    height: float
    pages: tuple
    count: int
    """Of all slides, also beyond those that are looked at."""
    palette: Palette = field(repr=False, default=None)
