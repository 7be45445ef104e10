"""What codes and units tell: services among products, cancellations, currencies that do not add up."""

import re
from collections import Counter

import numpy as np
from tables_model import Note
from tables_numbers import sign_of

DIGIT = re.compile(r"\d")
PREFIX = re.compile(r"([^\W\d_]{1,3})[-_/ ]?\d+")
CURRENCIES = re.compile(
    "USD|EUR|GBP|JPY|CNY|RUB|RUR|INR|CAD|AUD|CHF|SEK|NOK|DKK|PLN|CZK|HUF|TRY|BRL|MXN|SGD|HKD|KRW|ILS|ZAR|UAH"
    "|KZT|BYN|CLP|RON|THB|IDR|MYR|PHP|VND|NZD|AED|SAR|COP|ARS|EGP|руб|грн|тг|[$€£¥₽₴₸₹₩]",
    re.IGNORECASE,
)
UNIT = re.compile(r"([+-]?\d[\d.,  ]*?)\s*([^\W\d_]{1,4}\.?|°[CF])")
MEASURED = re.compile(
    "mg|g|kg|t|lbs?|oz|ml|cl|l|gal|mm|cm|m|km|mi|in|ft|yd|sec|s|min|h|hrs?|pcs|kb|mb|gb|tb|°c|°f"
    "|мг|г|кг|т|мл|л|мм|см|м|км|ч|мин|сек|шт"
)
TIMES = (12, 24, 60, 100, 1000, 3600)
"""How much larger a number grows in a smaller unit: months, hours, minutes, cents, grams, seconds."""
MANY = 20
CHARACTERS = 30
FEW = 0.05


def notes(table, columns):
    for column in columns:
        if column.is_text:
            yield from _services(column)
            yield from _money(column)
            yield from _units(column)
        elif column.kind in ("number", "integer"):
            yield from _other_unit(column)
    yield from _cancellations(columns)


def _services(column):
    """A few codes without a digit in a column of codes with digits: postage, fees, entries by hand."""
    if len(column.values) < MANY or column.counts.max() <= 1:
        return
    texts = column.texts
    if np.mean([len(text) for text in texts[:500]]) > CHARACTERS or sum(" " in t for t in texts[:500]) > 100:
        return
    odd = [place for place, text in enumerate(texts) if not DIGIT.search(text) and text.strip()]
    rows = int(column.counts[odd].sum())
    if 0 < len(odd) <= max(2, FEW * len(texts)) and rows <= FEW * column.present:
        odd.sort(key=lambda place: -column.counts[place])
        examples = [f"{texts[place]} ({column.counts[place]})" for place in odd]
        facts = {"column": column.name, "count": len(odd), "rows": rows, "examples": examples}
        yield Note("service_codes", facts)


def _money(column):
    """A column of currencies, or amounts written in several."""
    if len(column.values) > 60:
        signs = Counter(sign_of(text) for text in column.texts[:300])
    else:
        texts = [text.strip() for text in column.texts]
        if len(texts) > 1 and sum(bool(CURRENCIES.fullmatch(text)) for text in texts) >= 0.9 * len(texts):
            yield Note("currency_column", {"column": column.name, "count": len(texts), "values": texts})
            return
        signs = Counter(map(sign_of, texts))
    signs = {sign: count for sign, count in signs.items() if sign not in ("", "%")}
    if len(signs) > 1 and sum(signs.values()) >= 0.8 * min(len(column.values), 300):
        yield Note("mixed_currencies", {"column": column.name, "signs": sorted(signs)})


def _units(column):
    """Numbers with a unit behind each, and not the same one everywhere."""
    found = [UNIT.fullmatch(text.strip()) for text in column.texts[:300]]
    units = Counter(match[2].lower().rstrip(".") for match in found if match)
    known = {unit: count for unit, count in units.items() if MEASURED.fullmatch(unit)}
    if known and sum(known.values()) >= 0.8 * len(found):
        yield Note(
            "units" if len(known) == 1 else "mixed_units", {"column": column.name, "units": sorted(known)}
        )


def _other_unit(column):
    """Numbers in two clouds whose centres lie a unit's factor apart: metres among centimetres."""
    values = column.values.to_numpy(dtype=float)
    if len(values) < 8 or column.present < 20 or values.min() <= 0:
        return
    order = np.argsort(values)
    logs = np.log10(values[order])
    gaps = np.diff(logs)
    place = int(np.argmax(gaps)) + 1
    low, high = logs[:place], logs[place:]
    if gaps[place - 1] < 0.3 or max(np.ptp(low), np.ptp(high)) > 1.5 * gaps[place - 1]:
        return
    counts = column.counts[order]
    centres = [
        10 ** np.average(part, weights=weight)
        for part, weight in ((low, counts[:place]), (high, counts[place:]))
    ]
    ratio = centres[1] / centres[0]
    few_are_high = counts[place:].sum() < counts[:place].sum()
    few = int(min(counts[place:].sum(), counts[:place].sum()))
    factor = next((factor for factor in TIMES if 0.7 * factor <= ratio <= 1.4 * factor), None)
    if factor is None or not 2 <= few <= 0.3 * column.present:
        return
    odd = values[order][place:] if few_are_high else values[order][:place]
    examples = [f"{value:g}" for value in odd[:3]]
    facts = {"column": column.name, "count": few, "factor": factor, "examples": examples}
    yield Note("other_unit", {**facts, "side": "larger" if few_are_high else "smaller"})


def _cancellations(columns):
    """Negative amounts, and the letters that the codes of those rows begin with."""
    for column in columns:
        if column.kind not in ("number", "integer"):
            continue
        negative = column.numbers < 0
        count = int(negative.sum())
        if not 0 < count < 0.3 * column.present or column.present < MANY:
            continue
        marked = _marked(columns, negative)
        if marked is not None:
            code, prefix, rows = marked
            facts = {"column": column.name, "count": count, "code": code, "example": prefix, "rows": rows}
            yield Note("cancellations", facts)
            return
        if column.kind == "integer" or count < 0.05 * column.present:
            yield Note("negatives", {"column": column.name, "count": count})


def _marked(columns, negative):
    """(column, letters, rows) of codes that begin so in nearly all, and only, negative rows."""
    for column in columns:
        if not column.is_text or len(column.values) < 3 or column.present < 0.5 * len(column.codes):
            continue
        of_negative = np.bincount(column.codes[negative & (column.codes >= 0)], minlength=len(column.values))
        found = Counter()
        for place in np.flatnonzero(of_negative):
            if match := PREFIX.match(column.texts[place]):
                found[match[1]] += int(of_negative[place])
        for prefix, hits in found.most_common(1):
            alike = [
                i for i, text in enumerate(column.texts) if text.startswith(prefix) and PREFIX.match(text)
            ]
            rows = int(column.counts[alike].sum())
            if hits >= 0.9 * rows and hits >= 0.4 * negative.sum() and len(alike) < len(column.values):
                return column.name, prefix, rows
    return None
