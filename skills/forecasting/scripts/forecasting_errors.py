"""Why there is no forecast; each message says what is lacking.

ForecastError
└── TooShort   fewer whole periods than an honest forecast needs
"""


class ForecastError(ValueError):
    """A forecast that these data do not allow."""


class TooShort(ForecastError):
    """Fewer whole periods than an honest forecast needs."""
