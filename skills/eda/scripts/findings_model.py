"""What an analysis found, as plain values: a recipe turns them into charts and sentences of any language."""

from dataclasses import asdict, dataclass, field


@dataclass(frozen=True)
class Missing:
    column: str
    count: int
    share: float


@dataclass(frozen=True)
class Overview:
    """`missing` names only columns with gaps, most first. `duplicates` counts repeats after the first; None
    where the table is too wide to compare."""

    rows: int
    columns: int
    duplicates: int | None
    complete_rows: int
    missing: tuple[Missing, ...]


@dataclass(frozen=True)
class Role:
    """`role`: id, text, label (names many things, repeats), category, count (few whole numbers), measure,
    year, date, date_part (repeats a part of a date column), bool, constant, empty.
    `additive` measures may be summed; others only averaged."""

    column: str
    role: str
    additive: bool = False


@dataclass(frozen=True)
class Outcome:
    """A yes/no column that the rest may explain. `why`: hint (the request names it) or statistics."""

    column: str
    positive: object
    count: int
    total: int
    rate: float
    why: str

    @property
    def positives(self):
        """`count`, by the name that levels give it."""
        return self.count


@dataclass(frozen=True)
class Level:
    """`value` is the category; for numeric bands "low–high" with the bounds in `low` and `high`."""

    value: str
    n: int
    positives: int
    rate: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Rates:
    """Outcome by one column. `strength` is Cramér's V; `missing` rows are in no level."""

    by: str
    strength: float
    binned: bool
    missing: int
    levels: tuple[Level, ...]


@dataclass(frozen=True)
class Distribution:
    """Outliers lie beyond 1.5 interquartile ranges. `counts[i]` values lie in edges[i]..edges[i+1],
    which are round numbers; the outermost bins also hold what lies beyond them."""

    column: str
    n: int
    minimum: float
    q1: float
    median: float
    q3: float
    maximum: float
    mean: float
    std: float | None
    skew: float | None
    zeros: int
    negatives: int
    outliers: int
    edges: tuple[float, ...]
    counts: tuple[int, ...]


@dataclass(frozen=True)
class Share:
    value: str
    n: int
    share: float


@dataclass(frozen=True)
class Categories:
    """Most frequent first; `other` rows are in levels not listed, `missing` ones have none."""

    column: str
    distinct: int
    levels: tuple[Share, ...]
    other: int
    missing: int


@dataclass(frozen=True)
class Part:
    value: str
    n: int
    total: float
    share: float | None
    mean: float
    median: float


@dataclass(frozen=True)
class Totals:
    """A measure by a category, largest total first. `share` is None when totals of both signs mix.
    For a measure that is not `additive` compare means: parts are then ordered by mean. `negative` is the sum
    of the negative values in `total`, `largest` the single value farthest from zero."""

    measure: str
    by: str
    additive: bool
    total: float
    parts: tuple[Part, ...]
    other: Part | None
    distinct: int
    negative: float
    largest: float
    lowest: tuple[Part, ...] = ()
    """The last of those in `other`, the smallest at the end."""


@dataclass(frozen=True)
class Period:
    """`start` is an ISO date. `sums` follow Dynamics.measures. `partial`: data begin or end inside it."""

    label: str
    start: str
    n: int
    sums: tuple[float, ...]
    partial: bool


@dataclass(frozen=True)
class Dynamics:
    """`grain`: day, week, month, quarter or year. Periods without rows are there with zeros."""

    column: str
    grain: str
    first: str
    last: str
    measures: tuple[str, ...]
    periods: tuple[Period, ...]


@dataclass(frozen=True)
class Correlation:
    first: str
    second: str
    r: float
    n: int


@dataclass(frozen=True)
class Small:
    """A table to chart as it is. `series` are columns; values[i] are the numbers of labels[i].
    `headings` are labels of rows without a number; `totals` are places in `labels` that sum up the others."""

    label: str
    labels: tuple[str, ...]
    series: tuple[str, ...]
    values: tuple[tuple[float | None, ...], ...]
    columns_are_time: bool
    rows_are_time: bool
    headings: tuple[str, ...]
    totals: tuple[int, ...]


@dataclass(frozen=True)
class TotalRow:
    """`row` counts from 0. `why`: name (its label says so) or sum (its numbers are the sum of the others)."""

    row: int
    label: str
    why: str


@dataclass(frozen=True)
class Derived:
    """A measure that the table holds only as a product of two columns."""

    name: str
    factors: tuple[str, str]


@dataclass(frozen=True)
class Findings:
    name: str
    file: str
    overview: Overview
    roles: tuple[Role, ...]
    outcome: Outcome | None = None
    rates: tuple[Rates, ...] = ()
    distributions: tuple[Distribution, ...] = ()
    categories: tuple[Categories, ...] = ()
    derived: Derived | None = None
    totals: tuple[Totals, ...] = ()
    dynamics: tuple[Dynamics, ...] = ()
    correlations: tuple[Correlation, ...] = ()
    small: Small | None = None
    total_rows: tuple[TotalRow, ...] = ()
    notes: tuple[str, ...] = field(default=())

    def to_dict(self):
        """Plain JSON; the outcome has both `count` and `positives`."""
        plain = asdict(self)
        if self.outcome is not None:
            plain["outcome"]["positives"] = self.outcome.positives
        return plain

    def columns_with(self, *roles):
        """Names of the columns that have one of these roles, in the table's order."""
        return [role.column for role in self.roles if role.role in roles]
