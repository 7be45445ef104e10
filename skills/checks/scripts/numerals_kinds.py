"""Whether a number claims something of the data, by the words around it: the first rule to fit decides."""

import re
from dataclasses import dataclass

from numerals_model import CLAIM, WEAK
from numerals_words import BOUND, CODED, CONFIDENCE, COUNTED, DATA_NOUN, STRUCTURE_NOUN

SMALL = 12
"""People count steps, reasons and charts up to about a dozen."""
LIMIT = 100
"""A bare whole number after "up to" or "older than" is a rule of the analysis up to here."""
LEVELS = (0.8, 0.9, 0.95, 0.99, 0.05, 0.01, 0.1)
"""Percentages that intervals and tests use by convention."""
SIZE = re.compile(r"(?<!\w)n\s?=\s?$", re.IGNORECASE)
YEAR = re.compile(r"(?:1[5-9]|20)[0-9][0-9]|2100")
ADJECTIVE = re.compile(r"-(?!point|percent|fold|процент|кратн)[^\W\d_]{2,}", re.IGNORECASE)
COMPARED = re.compile(
    r"\s?(?:more|less|fewer|higher|lower|larger|bigger|smaller|greater|faster|slower|as|the"
    r"|чаще|реже|больше|меньше|выше|ниже|крупнее|быстрее|медленнее|дороже|дешевле)\b",
    re.IGNORECASE,
)
SECTION = re.compile(
    r"\b(?:section|chapter|appendix|figure|fig\.|table|раздел\w*|глав\w+|рис\w*\.?|табл\w*\.?|п\.) ?$",
    re.IGNORECASE,
)
VERSION = re.compile(r"\b(?:version|release|build|model|python|версия|версии|релиз|v\.?) ?$", re.IGNORECASE)
SEED = re.compile(r"\b(?:seed|random_state)[ =:]*$", re.IGNORECASE)
TEST = re.compile(r"\b(?:alpha|альфа)[ =:]*$|α[ =:]*$", re.IGNORECASE)
CROSS = re.compile(r"[ -]?(?:cross|cv\b|кросс)", re.IGNORECASE)
LEVEL = re.compile(
    r"(?:\bCI|ДИ|confidence|significance|interval|уровн\w+|значимост\w+|power|интервал\w*|доверит\w*)"
    r"[\w ,:(=-]{0,15}$",
    re.IGNORECASE,
)
YEARLY = re.compile(
    r"sales|orders?|returns?|purchases|visits|продаж\w*|заказ\w*|возврат\w*|покуп\w+|визит\w*", re.IGNORECASE
)
"""`2013 sales` are those of a year, `2013 rows` are many."""
DATED = re.compile(
    r"\b(?:in|by|since|from|to|of|for|during|until|year|and|в|во|с|со|по|за|к|до|год\w*|и) ?$",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Written:
    """A number among its words: `body` its digits, `before` and `tail` what stands around number and unit."""

    body: str
    text: str
    before: str
    tail: str
    noun: str
    unit: str
    value: float
    bare: bool
    """Whole, and neither thousands nor marks of any kind are written."""
    negative: bool

    @property
    def counts_data(self):
        return bool(DATA_NOUN.fullmatch(self.noun))


def _counted(one):
    if not one.unit and SECTION.search(one.before) and re.fullmatch(r"\d{1,2}\.\d{1,2}", one.body):
        return True
    return one.bare and one.unit in ("", "×") and not one.negative and COUNTED.search(one.before)


def _code(one):
    zero = one.bare and one.body.startswith("0") and len(one.body) > 1
    return (
        zero
        or (one.bare and SEED.search(one.before))
        or (one.bare and not one.unit and len(one.body) >= 3 and CODED.search(one.before))
    )


def _version(one):
    return not one.unit and re.fullmatch(r"\d+\.\d+", one.body) and VERSION.search(one.before)


def _convention(one):
    if one.unit == "×" and CROSS.match(one.tail):
        return True
    if TEST.search(one.before) and not one.unit:
        return True
    level = one.unit == "%" and any(abs(abs(one.value) - level) < 1e-9 for level in LEVELS)
    return level and (CONFIDENCE.match(one.tail) or LEVEL.search(one.before))


def _year(one):
    if not (one.bare and one.unit in ("", "years") and YEAR.fullmatch(one.body)):
        return False
    return not one.counts_data or DATED.search(one.before) or YEARLY.fullmatch(one.noun)


def _amount(one):
    if one.bare and SIZE.search(one.before):
        return True
    return one.unit != "×" and (not one.bare or one.unit in ("%", "pp") or one.unit in tuple("$€£₽¥₴₸₹₩"))


def _repeated(one):
    """`asked 3 times` counts no data, `3 times as many` and `в 3 раза` do."""
    spelled = "times" in one.text or "раз" in one.text
    return (
        one.unit == "×"
        and one.bare
        and abs(one.value) <= SMALL
        and spelled
        and not one.before.endswith(("в ", "by "))
        and not COMPARED.match(one.tail)
    )


def _ratio(one):
    return one.unit == "×"


def _structure(one):
    return STRUCTURE_NOUN.fullmatch(one.noun) and abs(one.value) <= LIMIT


def _limit(one):
    if ADJECTIVE.match(one.tail):
        return True
    if abs(one.value) > LIMIT:
        return False
    return one.tail[:1] == "+" or (BOUND.search(one.before) and not one.counts_data)


def _small(one):
    return abs(one.value) <= SMALL and not one.counts_data


def _whole(one):
    return one.unit == "%" and abs(one.value) == 1


RULES = (
    (_counted, "counted"),
    (_code, "code"),
    (_version, "version"),
    (_convention, "convention"),
    (_whole, WEAK),
    (_year, "year"),
    (_amount, CLAIM),
    (_repeated, WEAK),
    (_ratio, CLAIM),
    (_structure, "counted"),
    (_limit, WEAK),
    (_small, WEAK),
)


def kind_of(written):
    return next((kind for rule, kind in RULES if rule(written)), CLAIM)
