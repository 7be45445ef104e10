"""Why there is no test; each message says what is lacking."""


class StatsError(ValueError):
    """A test that these data do not allow."""
