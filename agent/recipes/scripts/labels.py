"""Labels beside the bars and under the lines: distinct, and short enough for one line."""

from texts import STORY
from wording import clip, say


def apart(texts, limit):
    """Clipped texts that stay distinct: those that would be alike are cut in the middle, or else numbered."""
    texts = [clip(text, 10_000) for text in texts]
    short, kept = [clip(text, limit) for text in texts], limit // 2
    alike = {text for text in short if short.count(text) > 1}
    result = [
        cut if len(text) <= limit or cut not in alike else f"{text[: limit - kept]}…{text[1 - kept :]}"
        for text, cut in zip(texts, short, strict=True)
    ]
    return [
        text if result.count(text) == 1 or len(text) < limit else f"{text} ({result[:place].count(text) + 1})"
        for place, text in enumerate(result)
    ]


def moment(day, with_year):
    """An ISO date as the label of a chart, short enough for one line."""
    year, month, number = day.split("-")
    facts = {
        "day": number,
        "plain": int(number),
        "month": month,
        "name": STORY["months"].split()[int(month) - 1],
    }
    return say("day_of_year" if with_year else "day", year=year[2:], **facts)


def shown_name(column):
    """A column's name; nothing for the one that the reader had to make up."""
    return "" if column == "row_label" else clip(column)
