"""The way in: nothing is imported before Ctrl-C is taken care of, since the imports take a second."""

import os
import signal
from types import FrameType

INTERRUPTED = 130
"""The exit code of what Ctrl-C ended."""


def main() -> None:
    usual = signal.signal(signal.SIGINT, _leave)
    from bot.cli import cli

    signal.signal(signal.SIGINT, usual)
    try:
        cli()
    except KeyboardInterrupt:
        raise SystemExit(INTERRUPTED) from None


def _leave(number: int, frame: FrameType | None) -> None:
    """At once: nothing has begun, and an import would pass an exception on as a traceback, or swallow it."""
    del number, frame
    os._exit(INTERRUPTED)


if __name__ == "__main__":
    main()
