"""Words, numbers and sentences of one language."""

import math
import re

import facts
from deck_words import words
from tables_words import worded
from task import LANGUAGE
from texts import ERRORS, STORY

WORDS = words(LANGUAGE)
CLIP = 48


def say(key, **facts):
    return STORY[key].format(**facts)


def plural(count, key):
    """'891 rows': forms of the key are one|few|many."""
    return WORDS.count(count, tuple(f"{{}} {form}" for form in STORY[key].split("|")))


def number(value):
    """Whole from ten thousand up, else as many digits as tell something."""
    value = float(value)
    if not math.isfinite(value):
        return "–"
    if value == int(value) or abs(value) >= 10_000:
        return WORDS.number(value, decimals=0)
    if abs(value) >= 1:
        return _trimmed(WORDS.number(value, decimals=2 if abs(value) < 1_000 else 1))
    places = min(6, 2 - math.floor(math.log10(abs(value)))) if value else 0
    return _trimmed(WORDS.number(value, decimals=places))


def _trimmed(text):
    return text.rstrip("0").rstrip(".,") if "." in text or "," in text else text


def money(value):
    """A total: to the hundredth where it is not whole."""
    value = float(value)
    return WORDS.number(value, decimals=0 if value == int(value) or abs(value) >= 1_000_000 else 2)


def percent(share):
    return WORDS.percent(share, spaced=True)


def derived(value, how, unit=""):
    """The value, registered with its calculation: what a recipe works out of the findings."""
    plain = value.item() if hasattr(value, "item") else value
    facts.computed(clip(how, 120), plain, unit=unit, how=how)
    return plain


def span(low, high):
    mark = "–" if low >= 0 else " … "  # a dash beside a minus cannot be read
    return f"{number(low)}{mark}{number(high)}"


def clip(text, limit=CLIP):
    text = re.sub(r"[ \t\r\n]+", " ", str(text)).strip()  # the no-break space of a number stays
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def listed(items, limit=3):
    """A few names and how many more there are, each once."""
    items = list(dict.fromkeys(clip(item) for item in items))
    more = [say("and_more", count=len(items) - limit)] if len(items) > limit else []
    return ", ".join(items[:limit] + more)


def told(error):
    """The sentence of a reader's error in our language, else its own."""
    template = ERRORS.get(error.code)
    if not template:
        return str(error)
    facts = {key: shown(value) for key, value in error.facts.items()}
    facts.setdefault("file", getattr(error, "file", ""))
    try:
        return template.format(**facts)
    except KeyError:  # a fact that this version of the reader does not tell
        return str(error)


def shown(value):
    """A fact of a reader in our language."""
    if isinstance(value, dict):
        value = [f"{key} {item}" for key, item in value.items()]
    if isinstance(value, (list, tuple)):
        return listed([worded(str(item), LANGUAGE) for item in value])
    return worded(str(value), LANGUAGE)
