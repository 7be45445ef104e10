"""The wish: what a request asks for, as far as its words tell."""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Self

MIN_SLIDES, MAX_SLIDES = 3, 30


class Product(StrEnum):
    DECK = "deck"
    CHARTS = "charts"
    WORKBOOK = "workbook"
    PDF = "pdf"


_WORDS = {
    Product.DECK: r"\bdecks?\b|presentation|\bslides?\b|pptx|power\s?point|презентац|презу\b|слайд|\bдеки?\b",
    Product.CHARTS: r"\b(?:chart|plot|graph)s?\b|visuali[sz]|\bpng\b|график|диаграмм|визуализ|картинк",
    # data asked back in a better order is a workbook too
    Product.WORKBOOK: r"excel\b|xlsx?\b|spreadsheet|workbook|экс[еэ]л|xls\b|\bproper table\b"
    r"|\b(?:clean|tidy|flatten|unnest)(?:s|ed|en|ing)?\b|\b(?:очист|почист|вычист)",
    Product.PDF: r"\bpdf\b|\bпдф\b|one-?pager",
}
_DENIED = re.compile(
    r"\b(?:без|не нуж\w+|не надо|no|without|not an?|no need for)\s+(?:any\s+|an?\s+)?[\w-]+",
    re.IGNORECASE,
)
_ANALYSIS_ONLY = re.compile(
    r"\b(?:just|only)\s+(?:an?\s+|the\s+)?(?:\w+\s+)?(?:eda|analysis|summary|overview|look)\b"
    r"|\b(?:eda|analysis|summary)\s+only\b|\bтолько\s+(?:\w+\s+)?(?:eda|анализ|сводк\w+|обзор)",
    re.IGNORECASE,
)
_ANALYSIS = re.compile(r"analy|explor|\beda\b|\bdata\b|анализ|исследу|изуч|данн", re.IGNORECASE)
_OVERVIEW = re.compile(
    r"^\W*(?:(?:please\W+)?(?:tell me|show me)\W+)?what(?:'s|’s| is| are| does| do)\s+(?:there\s+|here\s+)?"
    r"(?:(?:in|inside|this|that|it|the|these|my|file|files|data|dataset|table|sheet|spreadsheet|about|contains?|hold"
    r"|columns?|[\w().-]+\.\w{2,7})\b[\s?.!]*)+$"
    r"|^\W*что\s+(?:(?:это|такое|за|тут|здесь|там|есть|лежит|находится|содержится|внутри|в|во|у|этом|этой|моём|моей"
    r"|файле?|файлах|файла|таблице|таблицы|таблица|данных|данные|листе|[\w().-]+\.\w{2,7})(?![\w.])[\s?.!]*)+$",
    re.IGNORECASE,
)
_NUMBERS = {
    name: number
    for number, names in (
        (3, "three три трёх трех"),
        (4, "four четыре четырёх четырех"),
        (5, "five пять пяти"),
        (6, "six шесть шести"),
        (7, "seven семь семи"),
        (8, "eight восемь восьми"),
        (9, "nine девять девяти"),
        (10, "ten десять десяти"),
        (12, "twelve двенадцать двенадцати"),
    )
    for name in names.split()
}
_COUNT = re.compile(
    rf"\b(\d{{1,2}}|{'|'.join(_NUMBERS)})(?:\s*-\s*|\s+)(?:\w+\s+)?(?:slides?|слайд\w*)\b"
    r"|\b(?:slides|слайдов)\s*[:=–-]\s*(\d{1,2})\b",
    re.IGNORECASE,
)


_ONE_PAGE = re.compile(
    r"\bone-?pager\b|\b(?:one|1|single)[ -]page\b|\b(?:одн\w+|1) (?:страниц\w+|лист\w*)\b|одностраничн",
    re.IGNORECASE,
)
_ONE_CHART = re.compile(
    r"\b(?:one|1|a single|один|1)\s+(?:chart|plot|graph|график|диаграмм\w)\b|\bодну диаграмму\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    products: frozenset[Product]
    """Empty when the request names none."""
    analysis: bool = False
    """It speaks of data or of analysing, so a document is sent for the sake of its tables."""
    analysis_only: bool = False
    slides: int | None = None
    """Asked for, within MIN_SLIDES and MAX_SLIDES."""
    charts: int | None = None
    """1 when a single chart is asked for."""
    one_page: bool = False
    """The report is to have one page."""

    @classmethod
    def read(cls, request: str) -> Self:
        text = _DENIED.sub(" ", request)
        found = frozenset(
            product for product, words in _WORDS.items() if re.search(words, text, re.IGNORECASE)
        )
        return cls(
            products=found,
            analysis=bool(_ANALYSIS.search(request)),
            analysis_only=not found and bool(_ANALYSIS_ONLY.search(request) or _OVERVIEW.search(request)),
            slides=_slides(text),
            charts=1 if _ONE_CHART.search(text) else None,
            one_page=bool(_ONE_PAGE.search(text)),
        )

    @property
    def to_make(self) -> frozenset[Product]:
        """What is made of a table; without a wish there are charts and a deck."""
        if self.analysis_only:
            return frozenset()
        if not self.products:
            return frozenset({Product.CHARTS, Product.DECK})
        made = set(self.products)
        if made != {Product.CHARTS}:
            made.discard(Product.CHARTS)  # a deck, a workbook and a report have their own
        return frozenset(made)


def _slides(text: str) -> int | None:
    match = _COUNT.search(text)
    if match is None:
        return None
    word = (match[1] or match[2]).lower()
    number = int(word) if word.isdigit() else _NUMBERS[word]
    return number if MIN_SLIDES <= number <= MAX_SLIDES else None
