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
MORE = """
Across the ship, 342 people lived and 549 died.
The survival rate for women stood at 74 percent versus 19 percent for men.
Female passengers were nearly four times more likely to survive (74.2% vs. 18.9%).
Выживаемость женщин почти вчетверо выше: 74,2% против 18,9%.
Card: "38,4 %" · «342 из 891»
Median age: 28.0 y/o (n=714; 177 values missing, i.e. 19.9%).
Три четверти каюты не указаны (687 из 891, 77%).
Total revenue: £847.4K; returns: -£69.6K; net: £777.8K.
GBP 847,368 in total (9-Dec-2011 cut-off).
Продажи за 12 месяцев: 847,4 тыс. фунтов.
UK = 85.3%, the other 37 countries = 14.7%.
В ноябре 2011 года — 126,7 тыс. £, это максимум за период.
Nov-11 was the peak: £126.7k.
Between Sept and Nov 2011 revenue rose from £83.5k to £126.7k.
Рост добычи: ×3,83 (с 3,1 до 11,7 трлн рублей).
Прочие производства +567 % (×6,67).
Падение минералов −32,3 % г/г.
Conversion visit→purchase: 12,323/56,253 = 21.9%
Overall conversion 21.9% (12,323 of 56,253).
Loss at sign-up: 30,918 people.
2,992 stores; peak in 1990 (178).
Avg wait 45.2 min, parcel 12.5kg.
p=0.004, Cramér's V=0.54.
Sheet "Q3"; see tab 2, cells A1:C17.
Updated 12/09/2011 at 09:15 GMT+3 (UTC+03:00).
Contact: +44 20 7946 0958, order #A-10045, ticket PROJ-1234.
Release 2024.1, model GPT-4, Windows 11, iPhone 15, ISO 27001, RFC 2616.
Первые 3 месяца, последние 30 дней, каждые 2 недели, за 24 часа.
Возраст 18–25, 26–35, 65+.
Buckets: <10, 10–49, 50–99, 100+.
5-star hotels, 4th quarter, 80/20 rule.
Шаг 1. Загрузить данные. Шаг 2. Посчитать.
(1) load, (2) count, (3) draw
See footnote 3; p. 12; pp. 14-17; ch. 5.
Method: k-means with k = 5, 10-fold cross-validation, seed 42, alpha = 0.05.
Порог 80 % (правило Парето), доверительный интервал 95 %.
Window of 7 days, rolling 12-month total, 28-day retention.
Данные за 1962–2006 гг., XX век, 2-я половина 1990-х.
Slide 3/9
3 / 9
https://shop.example/p/12345?ref=77 и файл report_v2_final.xlsx
Survivors: <<mixed|352>> of 891.
Survival was <<mixed|39%>>.
Выжило <<mixed|38,48 %>> пассажиров.
Revenue: <<mixed|£874,368.30>>.
Revenue: <<mixed|£0.95M>>.
Net <<mixed|£778,817.07>>.
<<mixed|GBP 847,638>> in total.
Продажи: <<mixed|847,9 тыс. фунтов>>.
UK share: <<mixed|83.5%>>.
UK share: <<mixed|0.85%>>.
Рост добычи <<mixed|×3,38>>.
Рост добычи <<mixed|383 раза>>.
Падение минералов <<mixed|−23,3 %>>.
Median age <<mixed|29 years>>.
Median age <<mixed|28 months>>.
Known for <<mixed|741>> passengers.
Cabin missing in <<mixed|678>> rows.
Lost <<mixed|30,981>> people.
Conversion <<mixed|22.9%>>.
The gap of <<mixed|55.3 %>> between men and women.
<<mixed|2,929>> stores.
Technology earned <<mixed|$10,773.65>>, Furniture <<mixed|$11,938.71>>.
В 2012 году продано на <<mixed|70 490>>.
2011: 58,763; 2012: <<mixed|70,490>>; 2013: <<mixed|41,834>>; 2014: 72,872.
Прибыль Furniture — <<mixed|$5,296.87>>.
1 класс: <<mixed|24,2 %>>, 3 класс: <<mixed|63,0 %>>.
Average basket <<mixed|£18.40>>.
Growth of <<mixed|17%>> a year.
Churned <<mixed|1,204>> clients.
Ещё <<mixed|64>> магазина закрыты.
"""
MORE_RECORDS = [
    *RECORDS,
    *[
        fact("died", 549),
        fact("age_missing_share", 177 / 891, "%"),
        fact("countries", 37),
        fact("other_share", 1 - 0.85347, "%"),
        fact("other_growth_share", 5.6713, "%"),
    ],
]
SALES_REQUEST = (
    "Q1 sales are on three sheets. Put them together, compare months and branches, 5-slide deck for the Monday "
    "sync please. top-5 states?"
)
SALES_RECORDS: list[dict[str, Any]] = [
    fact("rows", 1000, "rows"),
    fact("sales", 243960.06, "$"),
    fact("profit", 28009.23, "$"),
    fact("margin", 0.11481, "%"),
    fact("postal_missing", 804),
    fact("loss_rows", 255),
    fact("apac", 60995.58, "$"),
    table(
        "profit_by_category",
        ["Profit", "Furniture", "Office Supplies", "Technology", "Category"],
        [10773.65, 5296.87, 11938.71],
        "$",
        columns=["Category", "Profit"],
    ),
    table(
        "sales_by_year",
        ["Sales", "2011", "2012", "2013", "2014", "year"],
        [58763.31, 41834.30, 70490.24, 72872.22],
        "$",
        columns=["Sales", "year"],
    ),
    table(
        "profit_by_sub",
        ["Profit", "Phones", "Binders", "Tables", "Sub-Category"],
        [7616.08, -2088.97, -2.88],
        "$",
        columns=["Sub-Category", "Profit"],
    ),
    fact("g14", 0.03379, "%", expression="s2014/s2013-1"),
    fact("price_mean", 466.99),
    fact("price_median", 332.5),
    fact("price_min", 100.0),
    fact("price_max", 1805.0),
    fact("performances", 243),
    fact("events", 184),
    fact("price_rows", 907),
    table(
        "stores_by_decade",
        ["stores", "1960", "1970", "1980", "1990", "2000", "decade"],
        [15, 243, 1081, 1013, 640],
        columns=["decade"],
    ),
    table("by_state", ["TX", "FL", "CA", "IL", "OH"], [315, 175, 159, 130, 124]),
    table("perf_by_month", ["2013-07", "2013-08", "2013-09", "2013-10", "2013-11"], [3, 1, 9, 26, 29]),
    fact("rating", 6.97),
    fact("invoices", 1000),
    fact("total", 322966.75, "$"),
    table("by_sheet", ["January", "February", "March"], [116291.87, 97219.37, 109455.51], "$"),
    table("by_branch", ["A", "B", "C"], [106200.37, 106197.67, 110568.71], "$"),
    fact("alloc", 6.8),
    fact("people", 10),
    fact("staff_rows", 12),
]
SALES_TEXT = """
Sales came to $243,960.06 with a profit of $28,009.23, an 11.5% margin.
Продажи 243 960 $, прибыль 28 009 $, рентабельность 11,5 %.
Postal Code пуст в 804 строках из 1000.
Profit by category: Furniture 10,773.65, Office Supplies 5,296.87, Technology 11,938.71.
Only Binders (-2,088.97) and Tables (-2.88) lose money; Phones lead with 7,616.08.
Binders lost $2,089.
Sales: 2011 — 58.8k, 2012 — 41.8k, 2013 — 70.5k, 2014 — 72.9k.
Sales grew 3.4% in 2014, to $72.9 thousand.
APAC is the largest market: 60,995.58.
255 of 1,000 rows make a loss.
243 performances, 184 distinct events; 907 price rows after flattening.
Price: mean 466.99, median 332.50, min 100.00, max 1805.00.
By decade: 1960s 15, 1970s 243, 1980s 1,081, 1990s 1,013, 2000s 640.
Top-5: TX 315, FL 175, CA 159, IL 130, OH 124.
Performances by month: 2013-07 3, 2013-08 1, 2013-09 9, 2013-10 26, 2013-11 29.
January 116,291.87, February 97,219.37, March 109,455.51; all 322,966.75.
Branch C leads with $110.6K, A and B are level at $106.2K.
Average rating 6.97 out of 10 over 1,000 invoices.
12 staff rows, 10 people; allocation adds up to 6.80.
The deck has 5 slides and 3 charts.
Monday sync, 5-slide deck, Q1, 3 sheets
2006 is partial: last opening 2006-01-31.
Excel serial 39690 → 2008-08-30.
start is epoch milliseconds: 2013-07-01 … 2014-07-03
three of the 4 real dates, header row is row 2
Sales came to <<mixed|$243,906.06>>.
Margin is <<mixed|11.6%>>.
Margin is <<mixed|$11.5>>.
Profit: <<mixed|28 090 $>>.
Sales: 2011 — 58.8k, 2012 — <<mixed|70.5k>>, 2013 — <<mixed|41.8k>>, 2014 — 72.9k.
Furniture: <<mixed|$5,296.87>>, Office Supplies: <<mixed|$10,773.65>>
By decade: 1960s 15, 1970s <<mixed|1,081>>, 1980s <<mixed|243>>, 1990s 1,013.
Top-5: TX <<mixed|175>>, FL <<mixed|315>>, CA 159.
January <<mixed|97,219.37>>, February <<mixed|116,291.87>>.
Sales fell <<mixed|3.8%>> in 2014.
<<mixed|970>> price rows after flattening.
Price: mean <<mixed|469.99>>, median <<mixed|323.50>>.
Rating <<mixed|7.69>> on average.
<<mixed|265>> of 1,000 rows make a loss.
Binders earned <<mixed|$2,089>>.
APAC: <<mixed|€60,995.58>>
Phones: <<mixed|7,616.80>>
"""


def sentences(text: str) -> list[Sentence]:
    return [
        Sentence(
            MARK.sub(lambda match: match[2], line),
            tuple((match[1], match[2]) for match in MARK.finditer(line)),
        )
        for line in text.splitlines()
        if line
    ]


@dataclass(frozen=True)
class Corpus:
    records: list[dict[str, Any]]
    request: str
    sentences: list[Sentence]


CORPORA = (
    Corpus(RECORDS, REQUEST, sentences(TEXT)),
    Corpus(MORE_RECORDS, REQUEST, sentences(MORE)),
    Corpus(SALES_RECORDS, SALES_REQUEST, sentences(SALES_TEXT)),
)
