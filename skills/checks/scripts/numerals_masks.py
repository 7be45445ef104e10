"""Digits that are part of something else than an amount: dates, addresses, versions, codes, numbering."""

import re

MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?|янв(?:ар[ьяею]\w*)?|фев(?:рал[ьяею]\w*)?|мар(?:т[ауе]?)?"
    r"|апр(?:ел[ьяею]\w*)?"
    r"|ма[йяею]|июн[ьяею]?|июл[ьяею]?|авг(?:уст[ауе]?)?|сен(?:тябр[ьяею])?|окт(?:ябр[ьяею])?"
    r"|ноя(?:бр[ьяею])?"
    r"|дек(?:абр[ьяею])?)(?!\w)"
)
YEAR = r"(?:1[5-9]\d\d|20\d\d|2100)"
YEAR_END = (
    r"(?![\d\w%]|[.,]\d|[  ]?[%$€£₽×]|[  ]?(?:тыс|млн|млрд|руб|процент|thousand|million|billion|percent))"
)
DASH = r"[ \u00a0]?[-–—−/…][ \u00a0]?"
KINDS = (
    ("address", r"(?:https?://|www\.)\S+|(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,64}\.[\w.]+"),
    (
        "file",
        r"(?<![\w./\\-])[\w./\\-]{1,160}\.(?:csv|tsv|xlsx?|xlsm|json|jsonl|parquet|pptx?|docx?|pdf|png|jpe?g|svg|zip"
        r"|gz|md|txt|py|html?|xml|psv)\b",
    ),
    ("date", r"\d{4}-\d\d?-\d\d?(?:[T ]\d\d?:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?"),
    ("date", r"(?<![\d.,])\d{1,2}([./-])\d{1,2}\1(?:\d{4}|\d\d)(?![\d])"),
    (
        "date",
        rf"(?<![\d.,-])\d{{1,2}}(?:{DASH}\d{{1,2}})?(?:st|nd|rd|th|-?го"
        rf"|-?е)?[ \u00a0-](?:of )?{MONTH}(?:[ \u00a0,.-]+{YEAR})?",
    ),
    (
        "date",
        rf"(?<!\w){MONTH}\.?[ \u00a0-]\d{{1,2}}(?:st|nd|rd|th)?(?:{DASH}\d{{1,2}})?(?![\d.,]\d|\d"
        rf"|%)(?:,? {YEAR})?",
    ),
    ("date", rf"(?<!\w){MONTH}[.,]?[ \u00a0’'/-]*(?:{YEAR}|\d\d(?![\d.,%]))"),
    ("date", rf"(?<![\d.,-])(?:{YEAR})-(?:0[1-9]|1[0-2])(?![\d.,]*\d)"),
    ("date", rf"(?<![\d.,])(?:0?[1-9]|1[0-2])[./](?:{YEAR})(?!\d)"),
    ("date", rf"(?<![\d.,])(?:{YEAR})[/–—-]\d\d(?![\d.,%])"),
    (
        "date",
        r"(?<!\w)(?:FY|CY|ФГ)[ ']?\d{2,4}\b|(?<!\w)[QHКк][1-4][ \u00a0'’/-]?(?:\d{4}"
        r"|\d\d)?(?![\w.,]\d)|\b[1-4][QHКк]\d{2,4}\b",
    ),
    ("date", rf"(?<![\d.,])(?:{YEAR})(?:s|-?х|-?е|-?го|-?й|-?м)(?!\w)|(?<!\w)\d0(?:s|-?х)(?!\w)"),
    ("date", rf"(?<![\d.,$€£\w-])(?:с |from )?{YEAR}(?:{DASH}| to | по |(?: and | и )){YEAR}{YEAR_END}"),
    (
        "time",
        r"(?<![\d:.,])[0-2]?\d:[0-5]\d(?::[0-5]\d(?:\.\d+)?)?(?:\s?[ap]\.?m\.?)?(?![\d:])"
        r"|(?<![\d.,])1?\d[ \u00a0]?[ap]m\b",
    ),
    ("address", r"(?<![\d.,])\d{1,3}(?:\.\d{1,3}){3}(?:[/:]\d+)?(?![\d])"),
    ("version", r"(?<![\d.,])\d+(?:\.\d+){2,}(?:[-+]\w+)?(?!\d|,\d)"),
    (
        "phone",
        r"\+\d{1,3}[ (-]{1,2}\d{2,4}[) -]{1,2}\d[\d -]{4,}\d"
        r"|(?<![\d.,])8[ (-]{1,2}\d{3}[) -]{1,2}\d{3}-\d\d-?\d\d|\(\d{3}\) ?\d{3}-\d{4}"
        r"|(?<![\d.,-])\d{3}-\d{3}-\d{4}(?!\d)",
    ),
    ("code", r"(?<!\w)0x[0-9a-f]+\b|\b(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{7,64}\b"),
    ("code", r"(?<![\w.,$€£₽¥+-])\d{5,}[kmb](?!\w)"),  # 84849B: whoever writes billions writes no five digits
    (
        "ordinal",
        r"(?<![\d.,])\d+(?:st|nd|rd|th)(?!\w)|(?<![\d.,])\d+-(?:й|я|е|го|му|м|ю|ой|ая|ое|ые|ых|ом"
        r"|ый|ий|ому|ого|ми)(?!\w)|(?<![\d.,])\d+[ºª]",
    ),
    ("footnote", r"\[\d{1,3}(?:[,–-] ?\d{1,3})*\]"),
    (
        "phrase",
        r"(?<![\w.,])24/7(?![\w])|(?<![\w.,])\d{1,2}/\d{1,2}(?![\d/%.,]|[  ]?[%$€£₽])"
        r"|(?<![\w.,:])\d{1,2}:\d{1,2}(?![\d:])|\b1 (?:in|of|из) \d{1,2}(?![\d.,%])",
    ),
    ("significance", r"(?<!\w)[pрαa][ \u00a0]?[<≤>=][ \u00a0]?0[.,](?:1|05|01|001|0001)(?!\d)"),
)
PATTERNS = [(kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in KINDS]
NUMBERING = re.compile(r"^[\s•*>#-]*(?:\(\d{1,2}\)|\d{1,2}[.)]|\d\.\d{1,2}\.)(?=\s+\S)")
HEADING = re.compile(r"^\s*#{1,6}\s+(\d{1,2}(?:\.\d{1,2})*)(?=\s)")
LEADER = re.compile(r"(?:\.[ .]{3,}|…{2,})\s*(\d{1,4})\s*$")
GROUPS = re.compile(r"\d{1,3}(?:\.\d{3})+")


def masks(line):
    """[(start, end, kind)] of what is no amount, by their places in the line."""
    found = [
        (match.start(), match.end(), kind)
        for kind, pattern in PATTERNS
        for match in pattern.finditer(line)
        if match.end() > match.start() and not (kind == "version" and GROUPS.fullmatch(match[0]))
    ]
    found += [
        (match.start(), match.end(), "numbering")
        for pattern in (NUMBERING, HEADING, LEADER)
        if (match := pattern.search(line))
    ]
    return sorted(found)
