"""How many planted numbers the checker finds, and how many right ones it takes for wrong.

python -m tests.skills.tracing_rates
"""

import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.skills.guest import guest_module
from tests.skills.tracing_corpus import CORPORA, RECORDS, REQUEST
from tests.skills.tracing_samples import book, deck, in_part

numerals = guest_module("checks", "numerals")
tracing = guest_module("checks", "tracing")


@dataclass
class Rates:
    planted: Counter[str] = field(default_factory=Counter)
    found: Counter[str] = field(default_factory=Counter)
    missed: list[str] = field(default_factory=list)
    good: int = 0
    """Numbers that are right, or claim nothing."""
    alarms: list[str] = field(default_factory=list)

    @property
    def numerals(self) -> int:
        return self.good + self.planted.total()

    def judge(self, where: str, count: int, told: list[str], wrong: list[tuple[str, str]]) -> None:
        """Of one text or file: how many numbers it has, which were told, and which are planted."""
        left = [plain(text) for text in told]
        for kind, text in wrong:
            self.planted[kind] += 1
            match = next((one for one in left if one == plain(text)), None)
            if match is None:
                self.missed.append(f"{kind}: {text} in {where}")
            else:
                self.found[kind] += 1
                left.remove(match)
        self.good += count - len(wrong)
        self.alarms += [f"{text} in {where}" for text in left]

    def table(self) -> str:
        lines = [f"{kind:<12}{self.found[kind]:>4} of {count} found" for kind, count in self.planted.items()]
        share = len(self.alarms) / self.good
        lines += [
            f"{'planted':<12}{self.found.total():>4} of {self.planted.total()} found",
            f"{'good':<12}{len(self.alarms):>4} of {self.good} raise an alarm ({share:.1%})",
            f"{self.numerals} numerals",
        ]
        return "\n".join(
            [*lines, *(f"missed {one}" for one in self.missed), *(f"alarm {one}" for one in self.alarms)]
        )


def plain(text: str) -> str:
    return text.replace("\u00a0", " ").strip(" .")


def measured(folder: Path) -> Rates:
    rates = Rates()
    for corpus in CORPORA:
        for sentence in corpus.sentences:
            found = tracing.trace([], sentence.text, request=corpus.request, records=corpus.records)
            told = [one.text for one in (*found.untraced, *found.asserted)]
            count = len(numerals.extract_text(sentence.text))
            rates.judge(sentence.text, count, told, list(sentence.wrong))
    for path, wrong in files(folder):
        found = tracing.trace([path.name], request=REQUEST, records=RECORDS, folder=folder)
        told = [one.text for one in (*found.untraced, *found.asserted)]
        assert found.notes == []
        rates.judge(path.name, len(numerals.extract(path)), told, wrong)
    return rates


def files(folder: Path) -> Iterator[tuple[Path, list[tuple[str, str]]]]:
    """Each place of a deck and of a workbook with one wrong number in it, and both without any."""
    wrong_sales = [58763.31, 41834.30, 70490.24, 78272.22]
    swapped = [58763.31, 41834.30, 72872.22, 70490.24]
    yield deck(folder / "good.pptx"), []
    yield deck(folder / "title.pptx", title="Survival was 38.5%"), [("title", "38.5%")]
    yield deck(folder / "card.pptx", card="324\nof 891 survived"), [("group", "324")]
    yield deck(folder / "cell.pptx", cell="71,490"), [("table", "71,490")]
    yield deck(folder / "turned.pptx", cell="72,872"), [("swapped", "72,872")]
    yield deck(folder / "notes.pptx", notes="Source: shop.csv, 44,533 rows."), [("notes", "44,533")]
    yield deck(folder / "alt.pptx", alt="Women 74.2%, men 19.8%."), [("alt text", "19.8%")]
    yield (
        deck(folder / "chart.pptx", sales=wrong_sales),
        [("chart", "78272.22")],
    )
    yield (
        in_part(
            deck(folder / "cache.pptx"),
            "ppt/charts/chart.*xml",
            lambda text: text.replace("72872.22", "78272.22"),
        ),
        [
            ("cache", "78272.22"),
        ],
    )
    yield (
        deck(folder / "swapped.pptx", sales=swapped),
        [("swapped", "72872.22"), ("swapped", "70490.24")],
    )
    yield book(folder / "good.xlsx"), []
    yield book(folder / "share.xlsx", share=0.3948), [("cell", "0.3948")]
    yield book(folder / "percent.xlsx", share=38.3838), [("percent", "38.3838")]
    yield book(folder / "money.xlsx", revenue=847638.30), [("cell", "847638.3")]
    yield book(folder / "years.xlsx", sales=swapped), [("swapped", "72872.22"), ("swapped", "70490.24")]


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        rates = measured(Path(folder))
    sys.stdout.write(rates.table() + "\n")


if __name__ == "__main__":
    main()
