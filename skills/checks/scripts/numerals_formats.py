"""Number formats of cells and charts: what unit they show, and which of them show dates."""

import re
from functools import lru_cache

from numerals_words import CURRENCY, currency_of

BUILT_IN = {9: "0%", 10: "0.00%", **dict.fromkeys((*range(14, 23), *range(45, 48)), "yyyy-mm-dd")}


def written_in(code):
    """Words and digits that a format shows by itself, whatever the number is: `"97.3%"`, `0\\%`."""
    found = re.findall(r'"([^"]*)"|\\(.)', (code or "")[:400])
    return "".join(quoted or escaped for quoted, escaped in found)


@lru_cache(maxsize=4_096)
def unit_of_format(code):
    """ "%", a currency sign, "date" or ""."""
    first = (code or "")[:400].split(";")[0]
    locale = re.search(r"\[\$([^\]-]+)", first)
    if locale and (sign := currency_of(locale[1])):
        return sign
    quoted = " ".join(re.findall(r'"([^"]*)"', first))
    bare = re.sub(r'"[^"]*"|\\.|\[[^\]]*\]|_.', "", first)
    if "%" in bare:
        return "%"
    if re.search(r"[ymdhs]", bare, re.IGNORECASE) and not re.search(r"general", bare, re.IGNORECASE):
        return "date"
    found = CURRENCY.search(quoted) or CURRENCY.search(bare) or CURRENCY.search(first)
    return currency_of(found[0]) if found else ""
