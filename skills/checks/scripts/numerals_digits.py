"""The digits of one number: how they are grouped, and the ways to read them."""

import re

_SPACE = "[\u00a0 '’]"
BODY = re.compile(
    rf"(?<![0-9])(?:[0-9]{{1,3}}(?:{_SPACE}[0-9]{{3}})+(?![0-9])(?:[.,][0-9]+)?"
    r"|[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])(?:\.[0-9]+)?"
    r"|[0-9]{1,3}(?:\.[0-9]{3})+,[0-9]+|[0-9]{1,3}(?:\.[0-9]{3}){2,}(?![0-9])"
    r"|[0-9]+(?:[.,][0-9]+)?|(?<![\w.,])[.,][0-9]+)(?:[eE][+-]?[0-9]{1,3}(?![\w]))?"
)


def readings_of(body, line):
    """[(value, step, decimals)]: the likelier way to read the digits first."""
    mantissa, _, power = body.lower().partition("e")
    factor = 10.0 ** min(int(power), 300) if power else 1.0
    digits = re.sub(_SPACE, "", mantissa)
    commas, dots = digits.count(","), digits.count(".")
    if commas and dots:
        decimal = "," if digits.rfind(",") > digits.rfind(".") else "."
        return [_value(digits, decimal, factor)]
    mark = "," if commas else "." if dots else ""
    if not mark:
        return [_value(digits, "", factor)]
    if commas > 1 or dots > 1:
        return [_value(digits, "", factor)]
    as_decimal = _value(digits, mark, factor)
    if not re.fullmatch(r"[1-9][0-9]{0,2}[.,][0-9]{3}", mantissa) or re.search(_SPACE, mantissa):
        return [as_decimal]
    as_group = _value(digits, "", factor)
    russian = re.search("[а-яА-Я]", line)
    return [as_decimal, as_group] if mark == "." or russian else [as_group, as_decimal]


def _value(digits, decimal, factor):
    digits = digits.replace("." if decimal == "," else ",", "")
    digits = digits.replace(decimal, ".") if decimal else digits.replace(".", "")
    decimals = len(digits.partition(".")[2])
    return float(digits[:320]) * factor, 10.0**-decimals * factor, decimals
