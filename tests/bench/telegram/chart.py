"""The plot: when each chat was acknowledged and answered, and the bot's memory meanwhile."""

from collections.abc import Sequence
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt

from tests.bench.telegram.crowd import Member, Wish
from tests.bench.telegram.memory import EVERY


def draw(members: Sequence[Member], wish: Wish, held: Sequence[int], target: Path) -> None:
    mpl.use("Agg")
    figure, (waits, memory) = plt.subplots(2, 1, figsize=(10, 7), height_ratios=(2, 1))
    began = min(member.asked for member in members)
    for name, times in (
        ("first message", [member.acknowledged() for member in members]),
        ("answer", [member.answered(wish) for member in members]),
    ):
        points = [(m.asked - began, at) for m, at in zip(members, times, strict=True) if at is not None]
        waits.scatter([x for x, _ in points], [y for _, y in points], s=14, label=name)
    waits.set_yscale("log")
    waits.set_xlabel("second at which the person asked")
    waits.set_ylabel("seconds until then, logarithmic")
    waits.set_title(f"{len(members)} chats, each with a file and a request")
    waits.legend(frameon=False)
    memory.plot([place * EVERY for place in range(len(held))], [size / 2**20 for size in held])
    memory.set_xlabel("second")
    memory.set_ylabel("MiB of the bot\nand its children")
    memory.set_ylim(bottom=0)
    for axes in (waits, memory):
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
    figure.tight_layout()
    figure.savefig(target, dpi=120)
    plt.close(figure)
