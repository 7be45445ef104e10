"""Sentences with numbers: a planted wrong one stands as `<<kind|number>>`, all else is right or no claim."""

import re
from dataclasses import dataclass
from typing import Any

MARK = re.compile(r"<<(\w+)\|([^>]+)>>")


@dataclass(frozen=True)
class Sentence:
    text: str
    wrong: tuple[tuple[str, str], ...]
    """(kind, number as written)."""


def fact(id: str, value: float | str, unit: str = "", **more: Any) -> dict[str, Any]:
    return {"kind": "fact", "id": id, "value": value, "unit": unit, "traced": True} | more


def table(id: str, labels: list[str], values: list[float], unit: str = "", **more: Any) -> dict[str, Any]:
    return {
        "kind": "table",
        "id": id,
        "labels": labels,
        "values": values,
        "unit": unit,
        "traced": True,
    } | more


YEARS = ["2011", "2012", "2013", "2014"]
SALES = [58763.31, 41834.30, 70490.24, 72872.22]
MONTHS = ["2011-09", "2011-10", "2011-11"]
REQUEST = "Сделай EDA и презентацию на 9 слайдов, топ-10 товаров и ABC-анализ (80/15/5) с 2005 по 2016."
RECORDS: list[dict[str, Any]] = [
    fact("passengers", 891, rows=891, columns=["PassengerId"], expression="len(df)"),
    fact("survived", 342, rows=891, columns=["Survived"], expression="Survived.sum()"),
    fact("survived_share", 342 / 891, "%", rows=891, columns=["Survived"], expression="Survived.mean()"),
    fact("women_share", 233 / 314, "%", rows=314, columns=["Survived", "Sex"]),
    fact("men_share", 109 / 577, "%", rows=577, columns=["Survived", "Sex"]),
    fact("sex_ratio", 3.92801, "×"),
    fact("sex_gap", 0.55313, "pp"),
    fact("median_age", 28.0, "years", rows=714, columns=["Age"]),
    fact("age_missing", 177, "", columns=["Age"]),
    fact("cabin_missing", 687, "", columns=["Cabin"]),
    fact("cabin_missing_share", 687 / 891, "%", columns=["Cabin"]),
    fact("cramers_v", 0.5434),
    fact("fare_mean", 32.2042, "£", columns=["Fare"]),
    fact("zero_fares", 15, "", columns=["Fare"]),
    fact("duplicates", 0, "rows"),
    fact("embarked_missing", 2, "", columns=["Embarked"]),
    fact("p_value", 0.00372),
    fact("revenue", 847368.30, "£", rows=44855, columns=["Amount"]),
    fact("net_revenue", 777817.07, "£"),
    fact("returns", -69551.23, "£", rows=578),
    fact("return_invoices", 297, "invoices"),
    fact("rows", 45433, "rows"),
    fact("uk_share", 0.85347, "%"),
    fact("mining_2005", 3062460.0, "млн руб."),
    fact("mining_2016", 11730498.0, "млн руб."),
    fact("mining_growth", 3.8304, "×"),
    fact("other_growth", 6.6713, "×"),
    fact("minerals_2009", -0.32318, "%", expression="v2009 / v2008 - 1"),
    fact("margin", 0.11481, "%"),
    fact("visits", 56253, "visits"),
    fact("purchases", 12323, "purchases"),
    fact("end_to_end", 12323 / 56253, "%"),
    fact("lost", 30918, "people"),
    fact("population", 1234567, "people"),
    fact("stores", 2992, "stores"),
    fact("peak_openings", 178, "stores"),
    fact("wait", 45.2, "minutes"),
    fact("weight", 12.5, "kg"),
    fact("best_month", "2011-11"),
    fact("mean_price", 466.99, "$"),
    table(
        "class_share",
        ["Survived", "1", "2", "3", "Pclass"],
        [0.62963, 0.472826, 0.242363],
        "%",
        columns=["Pclass", "Survived"],
    ),
    table("class_size", ["1 класс", "2 класс", "3 класс"], [216, 184, 491]),
    table("sales_by_year", ["Sales", *YEARS, "Year"], SALES, "", columns=["Year", "Sales"]),
    table(
        "revenue_by_month",
        ["Amount", *MONTHS, "month"],
        [83467.5, 93214.9, 126704.21],
        "£",
        columns=["Amount"],
    ),
    table("profit", ["Furniture", "Office Supplies", "Technology"], [10773.65, 5296.87, 11938.71], "$"),
    table("age_groups", ["0–5", "6–15", "16–29", "60+"], [0.70455, 0.46154, 0.35548, 0.26923], "%"),
    table(
        "channels",
        ["Ad", "Media", "Affiliates", "Referrals", "Direct"],
        [0.1537, 0.1832, 0.2481, 0.3993, 0.2379],
        "%",
    ),
    table(
        "top_goods", ["22502", "22423", "85123A"], [39745.87, 16599.61, 15076.39], "£", columns=["StockCode"]
    ),
    {
        "kind": "computed",
        "id": "quantities",
        "labels": ["Quantity"],
        "values": [float(n) for n in range(1, 600)],
        "traced": True,
    },
    {
        "kind": "asserted",
        "id": "market",
        "value": 0.125,
        "unit": "%",
        "source": "the request",
        "traced": False,
    },
    {
        "kind": "assumption",
        "id": "assumption",
        "value": "Rows with fewer than 37 pieces are samples",
        "traced": True,
    },
]
TEXT = """
Выжили 342 из 891 = 38,4 %.
342 of 891 passengers survived (38.4%).
Survival was 38.38% overall, about 38% of all.
Доля выживших 0,38, то есть 38,4 процента.
Women survived in 74.2% of cases (n = 314), men in 18.9% (n = 577).
Женщины: 74,2 % (314 чел.), мужчины: 18,9 % (577 чел.).
Титаник: женщины выживали в 3,9\u00a0раза чаще мужчин
Women survived 3.93 times as often, a gap of 55.3 percentage points.
Разрыв 55,3 п.п., то есть 55 процентных пунктов.
The median age is 28 years, known for 714 passengers.
Медианный возраст 28 лет (по 714 записям).
Пропуски: Age 177, Cabin 687 (77,1%), Embarked 2.
Нулевой тариф у 15 пассажиров, полных дубликатов строк 0.
Cramér's V is 0.54 (0.543 before rounding), p = 0.0037, p < 0.05.
The mean fare was £32.20, or 32.2 pounds.
Revenue came to £847,368.30, net of returns £777,817.07.
Выручка 847 368,30 £, нетто 777 817 £.
Revenue is £847k, roughly £0.85M, almost £850,000.
Возвраты: −69 551,23 £ в 578 строках и 297 счетах.
Returns took £69,551 out of revenue.
The file has 45,433 rows; 44,855 of them are sales.
Великобритания даёт 85,3 % выручки.
Добыча выросла с 3 062 460 до 11 730 498 млн руб., в 3,83 раза.
Добыча: 3,06 трлн руб. в 2005 г., 11,7 трлн руб. в 2016 г.
Fastest: other manufacturing, ×6.67; mining 3.83x.
В 2009 году производство упало на 32,3 %.
Output of minerals: -32.3% in 2009.
Рентабельность 11,5%; за 2011–2014 годы.
Visit 56,253 to purchase 12,323: 21.9% end to end.
We lose 30,918 people between the first two steps.
About 1.2 million people live here, 1,234,567 to be exact.
Население 1,2 млн человек, точнее 1 234 567.
2,992 stores in all, 178 of them opened in 1990.
The average wait is 45.2 minutes (45 min).
A parcel weighs 12.5 kg.
The mean price is $466.99, USD 467.
Best month: 2011-11 with £126,704.21.
Лучший месяц — ноябрь 2011: 126 704,21 £.
2014: 72,872.22; 2013: 70,490.24.
Sales by year: 2011 58,763, 2012 41,834, 2013 70,490, 2014 72,872.
In 2013 sales reached 70,490, in 2014 72,872.
From 41,834 in 2012 to 70,490 in 2013.
Technology earns $11,938.71, Furniture $10,773.65.
Referrals 39.9%, Ad 15.4%, Media 18.3%.
Дети 0–5 лет: 70,5 %; 60+: 26,9 %.
По классам: 63,0/47,3/24,2 %.
Shares fall from 63.0 to 24.2%.
1-й класс 63,0 % (216), 3-й класс 24,2 % (491).
Код 22502 принёс 39 745,87 £, код 22423 16 599,61 £.
Top goods: 85123A with £15,076.39.
Rows with fewer than 37 pieces are samples.
Slide 4 of 9, page 12, Figure 3, Table 2, рис. 5, стр. 17.
Top 10 of 12 charts, топ-10 товаров, 2 options, 3 steps, 5 причин.
Отчёт от 09.12.2011, обновлён 9 декабря 2011 г. в 12:30.
Period 2010-12-01 to 2011-12-09, Dec 9, 2011, 1–9 December, Q4 2011, FY2012, H1.
1) First, look at the data. 2 ways to do it, see [1] and [12].
2. Second, read section 2.1 of the appendix.
Python 3.11, pandas 3.1.1, v2.0, IP 192.168.10.1, tel. +7 (495) 123-45-67.
Файл online_retail_45k.csv, см. https://example.org/a/2024/17?x=99.
95% confidence interval, 95 % доверительный интервал, the 5% level.
One in four, 1 in 4, half, 24/7, a 50/50 split, 1/3 of them.
The 1960s, 90-е годы, 21st century, 3rd place, 2‑й класс.
Счёт 556444 и invoice 536365 are single rows; INV-2024-0117.
ABC: 80/15/5, то есть A до 80 %, B 15 %, C 5 %.
За 2005–2016 годы, с 2005 по 2016.
Adults over 16, children under 6, groups of 2–4, 16+.
COVID-19, ISO 9001, p50, A4, CO2, 3D, 7-day average, 30-дневное окно.
№1 по выручке, #2, No. 3, step 4, вариант 2.
Columns 1–3, 4K, MP3, sha 3f2a9c1d.
Выжили <<rounding|38,5 %>> пассажиров.
Survival was <<rounding|38.5%>> overall.
Only <<rounding|38.3%>> survived.
Women survived in <<rounding|74.3%>> of cases.
Выжили <<rounding|343>> из 891.
Revenue came to <<rounding|£847,369>>.
Выручка составила <<rounding|847 386,30 £>>.
Добыча выросла в <<rounding|3,82 раза>>.
Fastest: <<rounding|×6.76>>.
The gap is <<rounding|55.4 percentage points>>.
Население <<rounding|1,3 млн>> человек.
The file has <<rounding|45,343>> rows.
Нетто <<rounding|777 871 £>>.
Referrals convert <<rounding|39.8%>>.
Revenue is <<rounding|£846k>>.
Survival was <<percent|0.38%>> overall.
Доля выживших <<percent|0,384 %>>.
Доля Великобритании <<percent|0,853%>>.
The share of survivors is <<percent|38.4>>.
Margin: <<percent|0.115%>>.
Referrals convert <<percent|0.399%>> of visits.
Рентабельность <<percent|11,5>> в среднем.
2014: <<swapped|70,490>>; 2013: <<swapped|72,872>>.
In 2013 sales reached <<swapped|72,872>>.
Sales by year: 2011 <<swapped|41,834>>, 2012 <<swapped|58,763>>.
В 2014 году продажи <<swapped|70 490,24>>.
Furniture earns <<swapped|$11,938.71>>.
Ad converts <<swapped|39.9%>>, Referrals <<swapped|15.4%>>.
2011-10: <<swapped|£126,704.21>>
Revenue came to <<unit|$847,368.30>>.
Выручка <<unit|847 368,30 руб.>>
The median age is <<unit|28 days>>.
Медиана возраста <<unit|28%>>.
The gap between women and men is <<unit|55.3%>>.
Mining grew by <<unit|3.83%>>.
Survival was <<unit|38.4 percentage points>>.
Всего <<unit|891 %>> пассажиров.
Wait: <<unit|45.2 hours>>.
A parcel weighs <<unit|12.5 tons>>.
Visits: <<unit|$56,253>>.
The mean price is <<unit|€466.99>>.
Добыча 2016: <<scale|11 730 498 тыс. руб.>>
Revenue is <<scale|£847M>>.
About <<scale|1.2 thousand>> people live here.
Население <<scale|1,2 млрд>> человек.
Output of minerals rose by <<sign|32.3%>>.
В 2009 году выпуск вырос: <<sign|+32,3 %>>.
Net revenue was <<sign|−777,817.07>>.
An invented share of <<invented|61.7%>> stays.
Ещё <<invented|4 512>> клиентов ушли.
Customers buy <<invented|7.31>> items on average.
A table has many numbers, yet <<invented|733>> orders are not there.
Churn of <<invented|413>> customers.
Missing: Embarked <<invented|9>> missing.
"""
SENTENCES = tuple(
    Sentence(
        MARK.sub(lambda match: match[2], line), tuple((match[1], match[2]) for match in MARK.finditer(line))
    )
    for line in TEXT.splitlines()
    if line
)
