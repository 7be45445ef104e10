"""Sales as one looks at them: by period, by item, ABC, returns, cohorts, repeat buyers, funnels.

`sales.lines(frame, …)` says once what each column is and what a return is; all else takes its result.
"""

from sales_buyers import cohorts, repeat_buyers
from sales_errors import MissingColumn, NoStages, SalesError
from sales_funnel import Funnel, funnel
from sales_items import Abc, abc, by, top
from sales_lines import Lines, lines
from sales_time import by_period
from sales_totals import totals

__all__ = [
    "Abc",
    "Funnel",
    "Lines",
    "MissingColumn",
    "NoStages",
    "SalesError",
    "abc",
    "by",
    "by_period",
    "cohorts",
    "funnel",
    "lines",
    "repeat_buyers",
    "top",
    "totals",
]
