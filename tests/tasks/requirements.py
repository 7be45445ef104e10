"""For every line of `must_have` its clauses, in the tasks' order. None: a matter of judgement, unchecked."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from openpyxl import load_workbook
from pptx import Presentation

from tests.tasks.clauses import AnyOf, Clause, Shape, any_of, apart, number, says, share
from tests.tasks.reading import Reading, charts_of, sheets_of

Line = Sequence[Clause | AnyOf] | None

ROWS = r"строк|rows|записей|records|наблюдени|пассажир|passengers|транзакц|lines"
COLUMNS = r"колон|столбц|columns|fields"
MISSING = r"пропу|missing|пуст|empty|blank|null|не указан|неизвест"
SURVIVED = r"surviv|выжи"


def slides(count: int) -> Shape:
    return Shape(
        name=f"{count} slides",
        true=lambda reading: _slides(reading) == [count],
        spoilt_by="drop_slide",
    )


def charts_in(kind: str, least: int = 1) -> Shape:
    return Shape(
        name=f"native charts in .{kind}",
        true=lambda reading: any(len(charts_of(path)) >= least for path in reading.of_kind(kind)),
        spoilt_by="drop_charts",
    )


def delivered(*kinds: str) -> Shape:
    return Shape(
        name=f"files {kinds}",
        true=lambda reading: all(reading.of_kind(kind) for kind in kinds),
        spoilt_by="drop_files",
    )


def numeric_columns(*heads: str) -> Shape:
    """Under each of these words stand numbers, and no text with digits."""
    return Shape(
        name=f"numbers under {heads}",
        true=lambda reading: any(_numeric(path, heads) for path in reading.of_kind("xlsx")),
        spoilt_by="numbers_to_text",
    )


def rows_in_workbook(least: int) -> Shape:
    return Shape(
        name=f"a sheet of {least} rows",
        true=lambda reading: any(
            sheet.max_row == least + 1 or sheet.max_row in range(least + 1, least + 6)
            for path in reading.of_kind("xlsx")
            for sheet in load_workbook(path).worksheets
        ),
        spoilt_by="drop_rows",
    )


def _slides(reading: Reading) -> list[int]:
    return [len(Presentation(str(path)).slides) for path in reading.of_kind("pptx")]


def _numeric(path: Any, heads: Sequence[str]) -> bool:
    found = dict.fromkeys(heads, 0)
    for _, rows in sheets_of(path):
        for column in zip(*rows, strict=False):
            for head, first in pairwise(column):
                for name in heads:
                    if not isinstance(head, str) or name.lower() not in head.lower():
                        continue
                    if isinstance(first, str) and re.fullmatch(r"[-−]?\d[\d\s.,\u00a0]*", first):
                        return False
                    found[name] += isinstance(first, int | float)
    return all(found.values())


_D01: Sequence[Line] = [
    [number(891, ROWS), number(12, COLUMNS)],
    [number(342, SURVIVED), number(891, SURVIVED), share(38.4, SURVIVED)],
    [
        *apart({"age": 177, "cabin": 687, "embarked": 2}, MISSING),
        share(77.1, "cabin", MISSING),
    ],
    [
        *apart(
            {r"female|women|женщин": 74.2, r"(?<!fe)male|(?<!wo)\bmen\b|мужчин": 18.9}, SURVIVED, percent=True
        ),
        *apart({r"female|women|женщин": 314, r"(?<!fe)male|(?<!wo)\bmen\b|мужчин": 577}),
    ],
    [
        share(63.0, r"\b1\b|1-|first|перв", r"class|клас"),
        share(47.3, r"\b2\b|2-|second|втор", r"class|клас"),
        share(24.2, r"\b3\b|3-|third|трет", r"class|клас"),
        number(216, r"\b1\b|1-|first|перв", r"class|клас"),
        number(184, r"\b2\b|2-|second|втор", r"class|клас"),
        number(491, r"\b3\b|3-|third|трет", r"class|клас"),
    ],
    [number(28, r"медиан|median", r"age|возраст"), number(714, r"age|возраст|median|медиан")],
    apart(
        {
            r"\bC\b|cherbourg|шербур": 55.4,
            r"\bQ\b|queenstown|квинстаун": 39.0,
            r"\bS\b|southampton|саутгемптон": 33.7,
        },
        percent=True,
    ),
    [
        number(15, r"\b0\b|нул|zero|free|бесплат", r"fare|стоимост|тариф|билет"),
        any_of(
            number(0, r"дубл|duplic|повтор"), says(r"дубл|duplic|повтор", r"\bнет\b|не найден|\bno\b|none")
        ),
    ],
    [slides(9), charts_in("pptx", 2)],
    None,
]

REVENUE = r"выруч|revenue|оборот|продаж|sales|quantity × unitprice|сумма"
_D02: Sequence[Line] = [
    [
        number(45433, ROWS),
        number(8, COLUMNS),
        says("2010-12-01|01.12.2010|1 декабря 2010"),
        says("2011-12-0?9|0?9.12.2011|9 декабря 2011"),
    ],
    [
        number(11446, "customer", MISSING),
        share(25.2, "customer", MISSING),
        number(122, "description", MISSING),
        number(444, r"дубл|duplic|повтор|copy|копи"),
    ],
    [
        number(578, r"возврат|отмен|return|cancel"),
        number(297, r"документ|счет|счёт|накладн|invoice|document|возврат|отмен"),
        number(-69551.23, r"возврат|отмен|return|cancel"),
    ],
    [
        any_of(number(847368.30, REVENUE), number(777817.07, REVENUE)),
        says(
            r"возврат|отмен|return|cancel",
            r"без|исключ|за вычетом|вычетом|нетто|не входят|without|net|exclud",
        ),
    ],
    [
        any_of(
            number(126704.21, r"2011-11|нояб|\bnov"),
        ),
        number(41339.97, r"2011-04|апр|\bapr"),
        says(r"2011-12|декабр|\bdec", r"неполн|не полн|partial|по 9|до 9|incomplete|09"),
    ],
    [
        number(39745.87, r"22502|picnic basket"),
        number(38970.00, r"556444|22502|picnic|одн|single|one"),
        says(
            r"22502|picnic|556444|38.?970",
            r"выброс|outlier|одн[аоуи]\w* (?:строк|значен|счет|счёт)|single|одной строк",
        ),
    ],
    [
        says(r"\bDOT\b|DOTCOM POSTAGE", r"услуг|не товар|исключ|помеч|service|exclud|служебн"),
        says(r"\bPOST\b|POSTAGE", r"услуг|не товар|исключ|помеч|service|exclud|служебн"),
        says(r"\bM\b|manual", r"услуг|не товар|исключ|помеч|service|exclud|служебн|ручн"),
        number(16599.61, r"22423|cakestand"),
    ],
    [
        any_of(
            number(3168, r"код|товар|всего|codes|items|total|sku|позиц"),
            number(3163, r"код|товар|всего|codes|items|total|sku|позиц"),
        ),
        any_of(
            number(724, r"\bA\b", "abc|парето|pareto"),
            number(740, r"\bA\b", "abc|парето|pareto"),
            number(739, r"\bA\b", "abc|парето|pareto"),
            number(741, r"\bA\b", "abc|парето|pareto"),
        ),
        any_of(
            number(870, r"\bB\b", "abc|парето|pareto"),
            number(868, r"\bB\b", "abc|парето|pareto"),
            number(867, r"\bB\b", "abc|парето|pareto"),
            number(869, r"\bB\b", "abc|парето|pareto"),
        ),
        any_of(
            number(1574, r"\bC\b", "abc|парето|pareto"),
            number(1555, r"\bC\b", "abc|парето|pareto"),
            number(1554, r"\bC\b", "abc|парето|pareto"),
            number(1556, r"\bC\b", "abc|парето|pareto"),
        ),
    ],
    [share(85.3, r"united kingdom|великобритан|\bUK\b|англи")],
    [
        says(
            r"воронк|funnel|конверс|стади|этап|визит",
            r"\bнет\b|нельзя|невозможн|отсутств|не содерж|cannot|\bno\b|not",
        )
    ],
]

_CHANNELS = apart(
    {r"\bads?\b": 15.4, r"\bmedia\b": 18.3, "affiliate": 24.8, "referral": 39.9, r"\bdirect\b": 23.8},
    percent=True,
)
"""They also prove that no column was shifted."""
_D03: Sequence[Line] = [
    apart({"visit": 56253, r"sign.?up": 25335, "selection": 17749, "purchase": 12323}),
    [share(21.9, r"overall|total|all|visit|purchase|end.to.end")],
    [
        share(39.9, "referral"),
        share(15.4, r"\bads?\b"),
        says("best|most|highest|top", "referral"),
        says("worst|least|lowest|bottom|weakest", r"\bads?\b"),
    ],
    _CHANNELS,
    [share(55.0, r"visit|sign.?up"), number(30918, r"visit|sign.?up|lost|loss|lose")],
    apart(
        {r"\bads?\b": 15.4, r"\bmedia\b": 18.3, "affiliate": 24.8, "referral": 39.9, r"\bdirect\b": 23.8},
        percent=True,
    ),
]

_D04: Sequence[Line] = [
    [
        number(1000, ROWS),
        any_of(number(24, COLUMNS), number(25, COLUMNS)),
        says("2011-01-01|01.01.2011|1 января 2011"),
        says("2014-12-30|30.12.2014|30 декабря 2014"),
    ],
    [
        number(243960.06, r"sales|продаж|выруч"),
        number(28009.23, r"profit|прибыл|итог"),
        share(11.5, r"рентаб|марж|margin|profit.{0,12}sales|прибыл"),
    ],
    [number(804, r"postal", MISSING)],
    apart({"furniture": 10773.65, "office supplies": 5296.87, "technology": 11938.71}, "profit|прибыл"),
    [
        number(-2088.97, "binders", "profit|прибыл"),
        number(-2.88, r"(?<!\w)tables", "profit|прибыл"),
        number(7616.08, "phones", "profit|прибыл"),
    ],
    apart({"2011": 58763.31, "2012": 41834.30, "2013": 70490.24, "2014": 72872.22}, "sales|продаж|выруч"),
    [number(255, r"убыт|отрицат|loss|negative|минус")],
    [number(60995.58, r"\bAPAC\b")],
    [numeric_columns("Sales", "Profit"), charts_in("xlsx")],
]

_D05: Sequence[Line] = [
    [*apart({r"\bjan": 352, r"\bfeb": 303, r"\bmar": 345}), number(1000, ROWS)],
    [says(r"\bjanuary\b", r"gross margin percentage")],
    [
        *apart({r"\bjan|2019-01": 116291.87, r"\bfeb|2019-02": 97219.37, r"\bmar|2019-03": 109455.51}),
        number(322966.75, r"total|all|sales|quarter|Q1|revenue"),
    ],
    apart({r"\bA\b": 106200.37, r"\bB\b": 106197.67, r"\bC\b": 110568.71}),
    [number(56144.84, "food"), number(49193.74, "health")],
    [number(6.97, "rating", places=2), number(1000, "invoice|receipt", r"distinct|unique|different|invoice")],
    [slides(5)],
]

_D06: Sequence[Line] = [
    [number(21, ROWS), number(13, COLUMNS), says(r"(?<!_)cp1251|windows-1251")],
    [says(r"в том числе", r"подзаголов|не отрас|без чисел|пуст|разделител")],
    [
        number(3062460, r"добыча"),
        number(11730498, r"добыча"),
        number(3.83, r"добыча полезных ископаемых(?! )|добыча полезных ископаемых", places=2),
    ],
    [number(4.07, r"обрабатывающие производства", places=2)],
    [
        number(6.67, r"прочие виды обрабатывающих|обрабатывающих производств", places=2),
        number(2.96, r"металлургическ|готовых металлических", places=2),
    ],
    [share(-32.3, r"неметаллическ")],
    [
        says(r"номинал|действующих ценах|без поправки на инфляц|инфляц"),
        says(r"раздел|итог|составн|подотрас|вложен", r"не склад|двойн|повторно|части|входят"),
    ],
    [says("обрабатывающие производства"), charts_in("xlsx")],
]

_D07: Sequence[Line] = [
    [number(2992, r"stores|rows|openings"), number(16, COLUMNS), says("1962"), says("2006")],
    [says(r"two-digit|%y|century|19\d\d", r"YEAR|two-digit|century|pivot")],
    apart({r"196\d": 15, r"197\d": 243, r"198\d": 1081, r"199\d": 1013, r"200\d": 640}),
    [number(178, "1990"), number(161, "1991")],
    apart(
        {
            r"\bTX\b|texas": 315,
            r"\bFL\b|florida": 175,
            r"\bCA\b|california": 159,
            r"\bIL\b|illinois": 130,
            r"\bOH\b|ohio": 124,
        }
    ),
    [number(1946, r"supercenter|date_super"), number(1046, r"wal-?mart|discount|empty|missing|not|never")],
    [says("2006", r"partial|incomplete|only|january|2006-01-31|\bJan\b|one month")],
]

_MONTHS = {
    "2013-07": 3, "2013-08": 1, "2013-09": 9, "2013-10": 26, "2013-11": 29, "2013-12": 43, "2014-01": 30,
    "2014-02": 18, "2014-03": 26, "2014-04": 23, "2014-05": 17, "2014-06": 16, "2014-07": 2,
}  # fmt: skip
_D08: Sequence[Line] = [
    [number(243, "performance|rows|lines"), number(184, "event", "distinct|unique|different|event")],
    [
        any_of(number(907, "price|rows|flat"), rows_in_workbook(907)),
        number(466.99, "mean|average"),
        number(332.50, "median"),
        number(100.00, r"\bmin|lowest|least|from"),
        number(1805.00, r"\bmax|highest|most|to\b"),
    ],
    [says("2013-07-01|1 July 2013"), says("2014-07-03|3 July 2014")],
    apart(dict(_MONTHS)),
    [number(243, "name", MISSING), number(135, "logo", MISSING)],
]

_D09: Sequence[Line] = [
    [says("row 2|second row|row 1|first row|title"), says("empty|blank", "row|column"), says("do not edit")],
    [
        number(12, "rows|staff|people|records"),
        says("certification", r"certification.{0,3}[ _.(-]*\(?[12]\)?|second|twice|duplicate"),
    ],
    [says("2008-08-30|30 Aug"), says("1930-03-20|20 Mar"), number(8, "serial|number")],
    [number(2, MISSING + "|no ", r"allocated"), number(6.80, r"allocated|sum|total", places=2)],
    [says("Bourne"), says("Wu"), number(10, "people|persons|distinct|names|different")],
    [says("Micheal")],
]

_D10: Sequence[Line] = [
    [says(r"empty\.csv", r"пуст|0 байт|нет данных|данных нет|empty|no data")],
    [
        says(r"header_only\.csv|abs_file_name", "abs_file_name"),
        says(
            r"header_only\.csv|abs_file_name",
            r"\b0 строк|нет строк|без строк|строк нет|ни одной строки|только заголов|no rows",
        ),
    ],
    [
        says(r"ragged_rows\.csv|колон", r"\b4 (?:пол|знач|яч)|длиннее|лишн|больше"),
        says(r"ragged_rows\.csv|колон", r"\b2 (?:пол|знач|яч)|короче|недост|меньше"),
    ],
    [
        number(5, ROWS, r"mixed_dates"),
        says("03/10/2024"),
        says(
            "03/10/2024|2024-03-10|mixed_dates",
            r"неоднознач|двояк|день.{0,6}месяц|месяц.{0,6}день|M/D|D/M|октябр",
        ),
    ],
    [says(r"empty\.csv", r"пуст|0 байт|нет данных|данных нет|empty|no data")],
]

LINES: dict[str, Sequence[Line]] = {
    "D01": _D01, "D02": _D02, "D03": _D03, "D04": _D04, "D05": _D05,
    "D06": _D06, "D07": _D07, "D08": _D08, "D09": _D09, "D10": _D10,
}  # fmt: skip
