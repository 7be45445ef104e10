"""What keeps a step of cleaning from being done; each message says what to give instead."""


class CleaningError(ValueError):
    """A step that these data do not allow. Nothing was changed."""
