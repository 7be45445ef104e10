"""A test's result: numbers, assumptions that were checked, a plain sentence in two languages."""

from dataclasses import dataclass, field

ALPHA = 0.05


@dataclass(frozen=True)
class Check:
    """An assumption and whether the data bear it out; `said` says what was done about it."""

    name: str
    holds: bool
    said: str


@dataclass(frozen=True)
class Test:
    """`estimate` with its interval `low` to `high` of `level`; `effect` is a size without units, `size` its
    word. `p` is None where nothing is tested. `groups` maps each group to its numbers."""

    name: str
    estimate: float
    low: float
    high: float
    p: float | None = None
    statistic: float | None = None
    effect: float | None = None
    effect_name: str = ""
    size: str = ""
    n: int = 0
    level: float = 0.95
    groups: dict = field(default_factory=dict)
    pairs: tuple = ()
    """Of several groups: Pair by pair, p values adjusted by Holm."""
    power: float | None = None
    """Of two shares: the chance to show a difference as large as the one that was seen."""
    detectable: float | None = None
    """The least difference that such groups show with a power of 80%."""
    checks: tuple = ()
    texts: dict = field(default_factory=dict)

    @property
    def significant(self):
        return self.p is not None and self.p < ALPHA

    def sentence(self, language="en"):
        """What it says, in plain words."""
        return self.texts.get(language, self.texts.get("en", ""))


@dataclass(frozen=True)
class Pair:
    """Two groups: the difference of the first from the second, p adjusted by Holm."""

    first: str
    second: str
    difference: float
    p: float


def size_of(effect, small, medium, large):
    """The word of an effect size by three boundaries (Cohen 1988)."""
    value = abs(effect)
    return (
        "large" if value >= large else "medium" if value >= medium else "small" if value >= small else "tiny"
    )


RUSSIAN_SIZE = {"tiny": "ничтожный", "small": "слабый", "medium": "средний", "large": "сильный"}


def shown_p(p, language="en"):
    text = "< 0.001" if p < 0.001 else f"= {p:.3f}"
    return text.replace(".", ",") if language == "ru" else text


def number(value, language="en", digits=2):
    text = f"{value:,.{digits}f}".replace("-", "−")
    return text.replace(",", " ").replace(".", ",") if language == "ru" else text


def percent(value, language="en"):
    text = f"{value:.1%}"
    return text.replace(".", ",").replace("%", " %") if language == "ru" else text


def points(value, language="en", *, unit=True):
    """A difference of shares, with its sign."""
    text = f"{value * 100:+.1f}".replace("-", "−")
    text, word = (text.replace(".", ","), " п. п.") if language == "ru" else (text, " points")
    return text + word if unit else text
