"""What keeps an analysis of sales from being made; each message says what to give instead.

SalesError
├── MissingColumn   a column that is not there, or that `lines` was not told
└── NoStages        the data have no stages, so there is no funnel
"""


class SalesError(ValueError):
    """An analysis that these data do not allow."""


class MissingColumn(SalesError):
    """A column that is not there, or that `lines` was not told."""


class NoStages(SalesError):
    """There is no funnel in these data."""
