"""What each column is for, and which one the request asks about."""

import re

import numpy as np
from findings_model import Derived, Outcome, Role
from table_columns import kind

FEW = 12
"""Whole numbers with at most so many values are read as levels."""
MANY = 60
POSITIVE = ("1", "1.0", "true", "yes", "y", "да", "+", "t")
NEGATIVE = ("0", "0.0", "false", "no", "n", "нет", "-", "f")


def _words(text):
    return tuple(text.split())


SUMMABLE = _words(
    "amoun revenu turnov sale profi income spend cost quan qty volum sum tota paid budg выруч сумм продаж "
    "прибыл доход расход затрат колич кол-во оборот объем объём стоимост оплат оплач"
)
"""Stems of amounts that may be added up."""
AVERAGED = _words(
    "pric rati rate perc % shar scor averag mean temp humid degr lati longi inde discou salar wage weigh "
    "heigh цен дол процен рейтин балл средн темпер скидк возраст индекс зарплат вес рост оценк"
)
"""Stems of what must not be added up."""
QUANTITY, UNIT = _words("quan qty units колич кол-во штук"), _words("pric цен")
PLACES = frozenset(_words("lat lon lng latitude longitude"))
CODES = PLACES | frozenset(
    _words(
        "id ids code zip postal postcode zipcode phone inn index row no num ид код инн номер индекс телефон"
    )
)
CONCEPTS = (
    _words("surviv выжи спас"),
    _words("churn отто ушё ушел уход"),
    _words("convers convert конверс"),
    _words("default дефолт просроч"),
    _words("fraud мошен фрод"),
    _words("purchas bought buy куп покуп"),
    _words("click клик"),
    _words("approv одобр"),
    _words("cancel отмен"),
    _words("success успе"),
    _words("paid payed оплат"),
    _words("return возвра"),
    _words("retain retent удерж"),
    _words("respon отклик"),
    _words("occup заня"),
    _words("deceas died death умер смерт"),
    _words("attrit увол"),
    _words("diseas болез забол"),
)
"""One thing in two languages, as stems."""


def roles(table):
    frame = table.frame
    found = [_role(str(name), frame[name]) for name in frame.columns]
    dates = [frame[role.column] for role in found if role.role == "date"]
    categories = [frame[role.column] for role in found if role.role == "category"]
    return tuple(_refined(role, frame, dates, categories) for role in found)


def _refined(role, frame, dates, categories):
    """Numbers that only repeat another column: a part of a date, or the code of a category."""
    if role.role not in ("measure", "count") or len(frame) < 20:
        return role
    series = frame[role.column]
    for date in dates:
        known = series.notna() & date.notna()
        parts = (date.dt.month, date.dt.day, date.dt.year)
        if known.sum() >= 20 and any((part[known] == series[known]).mean() > 0.95 for part in parts):
            return Role(role.column, "date_part")
    distinct = series.nunique()
    for category in categories:
        if distinct > 3 and distinct == category.nunique() == len(
            frame[[role.column, category.name]].drop_duplicates()
        ):
            return Role(role.column, "id")
    return role


def _role(name, series):
    found = kind(series)
    present = series.dropna()
    if found == "empty":
        return Role(name, "empty")
    distinct = present.nunique()
    if distinct == 1 and len(present) > 1:
        return Role(name, "constant")
    if found == "category" and distinct == len(present) > 1:
        return Role(name, "text")
    if found in ("id", "date", "bool", "category"):
        return Role(name, found)
    if found == "text":
        repeats = distinct <= 0.34 * len(present) and distinct > 1
        return Role(name, "label" if repeats and len(present) >= 30 else "text")
    whole = found == "integer"
    if whole and _is_year(name, present):
        return Role(name, "year")
    if tokens(name) & CODES and (whole or tokens(name) & PLACES):
        return Role(name, "id")
    if whole and distinct <= FEW and len(present) >= 5 * distinct:
        return Role(name, "count", additive=named(name, SUMMABLE))
    return Role(name, "measure", additive=_additive(name, present.to_numpy(dtype=float)))


def _is_year(name, present):
    low, high = present.min(), present.max()
    return bool(low >= 1800 and high <= 2100 and (present.nunique() <= 150) and (high - low <= 150))


def _additive(name, values):
    """The name decides where it tells; else a long tail (on both sides, if signs mix) means amounts."""
    if named(name, AVERAGED):
        return False
    if named(name, SUMMABLE):
        return True
    if len(values) < 50 or values.std() == 0:
        return False
    z = (values - values.mean()) / values.std()
    return bool(np.mean(z**3) > 1.5 if values.min() >= 0 else np.mean(z**4) > 6)


def tokens(name):
    """Words of a column name, split at case changes, lower case."""
    spaced = re.sub(r"(?<=[a-zа-яё0-9])(?=[A-ZА-ЯЁ])", " ", name)
    return {word.lower() for word in re.findall(r"[^\W_]+|%", spaced)}


def named(name, stems):
    """Whether a word of a column name begins with one of the stems."""
    words = tokens(name) | {name.lower()}
    return any(word.startswith(stem) for word in words for stem in stems)


def matches(name, hints):
    """How well words of a request name a column, 0 to 1: the same word, the same stem, or one concept."""
    best = 0.0
    for hint in (word for text in hints for word in tokens(str(text))):
        for word in tokens(name):
            best = max(best, _likeness(hint, word))
    return best


def _likeness(one, other):
    if one == other:
        return 1.0
    common = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        common += 1
    shorter = min(len(one), len(other))
    if shorter >= 4 and common >= 4 and common >= 0.7 * shorter:
        return 0.9
    if shorter >= 5 and (one.endswith(other) or other.endswith(one)):
        return 0.85  # class and qclass
    for stems in CONCEPTS:
        if any(one.startswith(stem) for stem in stems) and any(other.startswith(stem) for stem in stems):
            return 0.8
    return 0.0


def binary(series):
    """(positive value, mask of positives, mask of present) of a yes/no column, or None."""
    present = series.dropna()
    values = present.unique()
    if len(values) != 2:
        return None
    words = {str(value).strip().lower(): value for value in values}
    yes = [value for word, value in words.items() if word in POSITIVE]
    no = [value for word, value in words.items() if word in NEGATIVE]
    if len(yes) == len(no) == 1:
        positive = yes[0]
        return positive, (series == positive).fillna(False).to_numpy(dtype=bool), series.notna().to_numpy()
    return None


def outcome(table, hints, association):
    """The likeliest outcome. `association(column)` says how much the other columns tell about it, 0 to 1."""
    best, best_score = None, 0.0
    for name in table.frame.columns:
        found = binary(table.frame[name])
        if found is None or len(table.frame) < 30:
            continue
        positive, hits, present = found
        count, total = int(hits.sum()), int(present.sum())
        named = matches(str(name), hints)
        if not 0.01 * total <= count <= 0.99 * total or (not named and total < 0.8 * len(table.frame)):
            continue
        score = 10 * named + association(name) + 0.5 * (total / len(table.frame))
        if score > best_score:
            shown = positive.item() if hasattr(positive, "item") else positive
            why = "hint" if named else "statistics"
            best, best_score = Outcome(str(name), shown, count, total, count / total, why), score
    return best


def derived(found):
    """Quantity times unit price, when the table has no amount of its own."""
    names = [role for role in found if role.role in ("measure", "count")]
    quantity = [role.column for role in names if named(role.column, QUANTITY)]
    price = [role.column for role in names if named(role.column, UNIT)]
    amounts = [role for role in names if role.additive and role.column not in quantity]
    if len(quantity) == 1 and len(price) == 1 and not amounts:
        return Derived(f"{quantity[0]} × {price[0]}", (quantity[0], price[0]))
    return None
