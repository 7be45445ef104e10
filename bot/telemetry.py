"""The log: JSON lines in a rotating file, without secrets, each fault with an id that a person can quote."""

import logging
import re
import secrets
import traceback
from collections.abc import Callable, Generator, Iterable
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from logging.handlers import RotatingFileHandler
from pathlib import Path

import structlog

MAX_BYTES = 5 * 1024 * 1024
OLD_FILES = 4
HIDDEN = "[hidden]"

_SHAPES = re.compile(
    r"""
      \bsk-[A-Za-z0-9_-]{8,}                     # OpenAI and most gateways
    | \bxox[abeprs]-[A-Za-z0-9-]{8,}             # Slack
    | \bxapp-[A-Za-z0-9-]{8,}
    | (?<!\d)\d{6,12}:[A-Za-z0-9_-]{30,}         # Telegram, also within /bot<token>/
    | \b(?:ghp|gho|ghs|github_pat|hf|glpat)[_-][A-Za-z0-9_]{16,}
    | \bAKIA[0-9A-Z]{16}\b
    | (?<=://)[^/\s:@"]*:[^/\s@"]+(?=@)          # user and password of an address
    | (?i:(?<=bearer\ ))[A-Za-z0-9._~+/=-]{8,}
    """,
    re.VERBOSE,
)

_log = structlog.stdlib.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Redactor:
    """Hides what looks like a secret, and the secrets that we know, wherever they stand in a line."""

    known: tuple[str, ...] = ()

    def __call__(self, line: str) -> str:
        for secret in self.known:
            line = line.replace(secret, HIDDEN)
        return _SHAPES.sub(HIDDEN, line)


class _RedactingFormatter(structlog.stdlib.ProcessorFormatter):
    def __init__(self, redact: Redactor) -> None:
        super().__init__(
            foreign_pre_chain=_SHARED,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.format_exc_info,
                structlog.processors.JSONRenderer(ensure_ascii=False, default=str),
            ],
        )
        self._redact = redact

    def format(self, record: logging.LogRecord) -> str:
        return self._redact(super().format(record))


class _QuietHandler(RotatingFileHandler):
    """A line that finds no room is lost; the standard handler would give the terminal a traceback for it."""

    def handleError(self, record: logging.LogRecord) -> None:
        del record

    def close(self) -> None:
        with suppress(OSError):  # the last lines are tried once more
            super().close()


_SHARED: list[structlog.typing.Processor] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
]


@contextmanager
def open_log(path: Path, *, level: str = "INFO", hide: Iterable[str] = ()) -> Generator[None]:
    """Send every logger of the process to `path`, and nothing to the terminal.

    Raises:
        OSError: the file cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    handler = _QuietHandler(
        path, maxBytes=MAX_BYTES, backupCount=OLD_FILES, encoding="utf-8", errors="backslashreplace"
    )
    handler.setFormatter(_RedactingFormatter(Redactor(tuple(hide))))
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(level)
    for chatty in ("httpx", "httpx2", "httpcore", "openai", "asyncio", "aiosqlite", "alembic"):
        logging.getLogger(chatty).setLevel(max(logging.WARNING, root.level))
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *_SHARED,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
    )
    try:
        yield
    finally:
        root.removeHandler(handler)
        handler.close()
        structlog.reset_defaults()


def without_lines(path: Path, unwanted: Callable[[str], bool]) -> int:
    """Take lines out of a log that may be written to meanwhile. How many.

    In place, since the handler goes on with the file that it has open; nobody logs while it is rewritten.

    Raises:
        OSError: the file is as it was, or lacks lines at its end.
    """
    handlers = [handler for handler in logging.getLogger().handlers if isinstance(handler, _QuietHandler)]
    with ExitStack() as stack:
        for handler in handlers:
            handler.acquire()
            stack.callback(handler.release)
        try:
            file = stack.enter_context(
                path.open("r+", encoding="utf-8", errors="surrogateescape", newline="")
            )
        except FileNotFoundError:  # rotated away
            return 0
        lines = file.readlines()
        kept = [line for line in lines if not unwanted(line)]
        if len(kept) < len(lines):
            file.seek(0)
            file.writelines(kept)
            file.truncate()
        return len(lines) - len(kept)


def note_fault(fault: BaseException, **facts: object) -> str:
    """Log a fault of ours and return the id that stands beside it in the log."""
    fault_id = secrets.token_hex(4)
    trace = "".join(traceback.format_exception(fault))
    _log.error("fault", fault_id=fault_id, exception=trace, **facts)
    return fault_id


def bind(**facts: object) -> None:
    """Facts that stand in every line of this task and of those that it starts from now on."""
    structlog.contextvars.bind_contextvars(**facts)
