"""Spellings that are close to each other: reported, never merged."""

import re
from collections import defaultdict

import pandas as pd

SHORTEST = 5
"""Letters from which one letter apart is worth a question: Anna and Anne are two people."""
MOST = 20_000
"""Different values that are compared."""
MAX_PAIRS = 500


def close(series):
    """A frame of pairs: one, other, rows of each, how ("letters" or "case, spaces or marks")."""
    counts = series.dropna().astype("str").value_counts()
    counts = counts[counts.index.str.strip() != ""].head(MOST)
    alike, near = defaultdict(list), defaultdict(set)
    for text in counts.index:
        alike[plain(text)].append(text)
    for key in alike:
        if len(key) >= SHORTEST:
            for short in {key, *(key[:place] + key[place + 1 :] for place in range(len(key)))}:
                near[short].add(key)
    rows = [
        (group[0], other, "case, spaces or marks")
        for key, group in alike.items()
        if key
        for other in group[1:]
    ]
    seen = set()
    for keys in near.values():
        ordered = sorted(keys)
        for place, one in enumerate(ordered):
            for other in ordered[place + 1 :]:
                if (one, other) not in seen and _one_letter(one, other):
                    seen.add((one, other))
                    first, second = sorted((alike[one][0], alike[other][0]), key=lambda text: -counts[text])
                    rows.append((first, second, "one letter"))
    found = pd.DataFrame(rows[:MAX_PAIRS], columns=["one", "other", "how"])
    found["rows_one"] = [int(counts[text]) for text in found.one]
    found["rows_other"] = [int(counts[text]) for text in found.other]
    return found


def plain(text):
    """Without case, spaces and marks; ё is е."""
    return re.sub(r"[\W_]+", "", text.casefold().replace("ё", "е"))


def _one_letter(one, other):
    """Whether one letter is more, less or another, or two neighbours changed places; digits are codes."""
    if re.sub(r"\D", "", one) != re.sub(r"\D", "", other):
        return False
    if len(one) == len(other):
        places = [place for place in range(len(one)) if one[place] != other[place]]
        if len(places) == 2 and places[1] == places[0] + 1:
            first, second = places
            return one[first] == other[second] and one[second] == other[first]
        return len(places) == 1
    short, long = sorted((one, other), key=len)
    return len(long) - len(short) == 1 and any(
        long[:place] + long[place + 1 :] == short for place in range(len(long))
    )
