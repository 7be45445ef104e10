"""Texts of a column as numbers or dates, and what a reader should know of how they were read."""

from tables_dates import CONFLICT, compact_format, read_dates
from tables_numbers import CODE, is_number, read_numbers


def numbers_or_dates(name, texts, commas, facts):
    """Values parallel to the texts, None when they stay text. `commas`: the file has decimal commas."""
    if any((text[:1] in "0+" or len(text) > 15) and CODE.fullmatch(text) for text in texts):
        if all(is_number(text) or CODE.fullmatch(text) for text in texts):
            facts.column("kept_as_text", name)
            if shape := compact_format(texts):
                facts.note("compact_dates", column=name, format=shape)
        return None
    numbers = read_numbers(texts, commas) if is_number(texts[0]) else None
    if numbers is not None:
        return _told_numbers(name, numbers, facts)
    dates = read_dates(texts)
    if dates is CONFLICT:
        facts.note("conflicting_dates", column=name)
        return None
    return None if dates is None else _told_dates(name, dates, facts)


def _told_numbers(name, numbers, facts):
    if numbers.decimal == ",":
        facts.column("decimal_comma", name)
    if numbers.marks:
        facts.column("thousands_marks", name, marks=list(numbers.marks))
    if numbers.ambiguous:
        read_as = "decimals" if numbers.decimal == "," else "thousands"
        facts.column("ambiguous_numbers", name, example=numbers.ambiguous, read_as=read_as)
    if numbers.percent:
        facts.column("percent_signs", name)
    if numbers.currency:
        facts.column("currency_signs", name, signs=[numbers.currency])
    return numbers.values


def _told_dates(name, dates, facts):
    if dates.ambiguous:
        facts.note("ambiguous_dates", column=name, order=dates.order, example=dates.ambiguous)
    if dates.two_digit:
        first, last = min(dates.values).year, max(dates.values).year
        facts.note("two_digit_years", column=name, first=first, last=last)
    if dates.odd:
        facts.note("mixed_dates", column=name, count=len(dates.odd), examples=list(dates.odd[:5]))
    if dates.zoned:
        facts.column("time_zone", name)
    return dates.values
