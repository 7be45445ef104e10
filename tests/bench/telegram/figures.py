"""The figures of a run, and the targets that they are held against."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

ACK_MS, RSS_MB = 1_000.0, 400.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    chats: int
    ack_p50_ms: float
    ack_p99_ms: float
    """From the moment a person sends to the bot's first message, in milliseconds."""
    rss_mb: float
    """The most that the bot and its children held, in MiB."""
    lost: int
    """Chats without the answer."""
    doubled: int
    """Chats with more than one."""
    edits_over_pace: int
    """Edits that Telegram's pace refused: one a second per chat beyond a burst of five, thirty in all."""
    answer_p50_s: float
    answer_p99_s: float
    seconds: float
    """From the first request to the last answer."""

    def record(self) -> dict[str, float]:
        return asdict(self)

    def misses(self) -> list[str]:
        """The targets that were missed."""
        held = {
            f"acknowledged within {ACK_MS:.0f} ms at p99": self.ack_p99_ms <= ACK_MS,
            f"at most {RSS_MB:.0f} MiB": self.rss_mb <= RSS_MB,
            "no answer lost": self.lost == 0,
            "no answer doubled": self.doubled == 0,
            "no edit over the pace": self.edits_over_pace == 0,
        }
        return [target for target, met in held.items() if not met]


def quantile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least this share of all do not exceed; infinite without values."""
    if not values:
        return float("inf")
    ordered = sorted(values)
    return ordered[max(0, -int(-len(ordered) * share // 1) - 1)]
