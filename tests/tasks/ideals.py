"""What a right result could say for each task, in sentences and tables. The checks are tried on them."""

from collections.abc import Sequence
from dataclasses import dataclass, field

Table = Sequence[Sequence[str | float | int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ideal:
    sentences: Sequence[str]
    tables: dict[str, Table] = field(default_factory=dict[str, Table])
    slides: int = 0
    """How many a deck of it must have."""


IDEALS: dict[str, Ideal] = {
    "D01": Ideal(
        sentences=[
            "891 строка, 12 колонок.",
            "Выжили 342 из 891: 38,4 %.",
            "Пропуски: Age 177, Cabin 687 (77,1 %), Embarked 2.",
            "Выжили 74,2 % женщин (всего женщин: 314) и 18,9 % мужчин (всего мужчин: 577).",
            "Медианный возраст 28 лет, он известен у 714.",
            "15 билетов с нулевым Fare; повторов строк нет.",
        ],
        tables={
            "Выживаемость по классам": [
                ["Класс", "Доля", "Людей"],
                ["1-й", "63,0 %", 216],
                ["2-й", "47,3 %", 184],
                ["3-й", "24,2 %", 491],
            ],
            "По портам": [["Порт", "Выжили"], ["C", "55.4%"], ["Q", "39.0%"], ["S", "33.7%"]],
        },
        slides=9,
    ),
    "D02": Ideal(
        sentences=[
            "45 433 строки, 8 колонок, с 2010-12-01 по 2011-12-09.",
            "Пропуски: CustomerID 11 446 (25,2 %), Description 122; повторов строк 444.",
            "Возвраты и отмены: 578 строк, 297 документов, на −69 551,23.",
            "Выручка без отмен и нулевых цен: 847 368,30.",
            "Лучший месяц — 2011-11: 126 704,21. Худший полный — 2011-04: 41 339,97.",
            "Декабрь 2011 неполный: данные по 9-е число.",
            "Первый товар 22502 дал 39 745,87, но 38 970,00 из них — одна строка, счёт 556444: это выброс.",
            "DOT исключён из топа: услуга.",
            "POST исключён из топа: услуга.",
            "M (Manual) исключён из топа: служебная проводка.",
            "Второй товар — 22423: 16 599,61.",
            "ABC: всего 3 163 кода.",
            "Великобритания даёт 85,3 % выручки.",
            "Воронки в данных нет: ни визитов, ни этапов.",
        ],
        tables={"ABC": [["Группа", "Кодов"], ["A", 740], ["B", 868], ["C", 1555]]},
    ),
    "D03": Ideal(
        sentences=[
            "Visit 56,253, sign-up 25,335, selection 17,749, purchase 12,323.",
            "Overall 21.9% of visits end in a purchase.",
            "Best: Referrals.",
            "Worst: Ad.",
            "The largest loss is from visit to sign-up: 55.0% or 30,918 people lost.",
        ],
        tables={
            "End to end": [
                ["Channel", "Rate"],
                ["Ad", "15.4%"],
                ["Media", "18.3%"],
                ["Affiliates", "24.8%"],
                ["Referrals", "39.9%"],
                ["Direct", "23.8%"],
            ]
        },
    ),
    "D04": Ideal(
        sentences=[
            "1 000 строк, 24 колонки, с 2011-01-01 по 2014-12-30.",
            "Продажи 243 960,06, прибыль 28 009,23; рентабельность 11,5 %.",
            "Postal Code пуст в 804 строках.",
            "Убыточных строк 255.",
            "Крупнейший рынок APAC: 60 995,58.",
        ],
        tables={
            "Profit по категориям": [
                ["Категория", "Profit"],
                ["Furniture", 10773.65],
                ["Office Supplies", 5296.87],
                ["Technology", 11938.71],
                ["Binders", -2088.97],
                ["Tables", -2.88],
                ["Phones", 7616.08],
            ],
            "Sales по годам": [
                ["Год", "Sales"],
                ["2011", 58763.31],
                ["2012", 41834.30],
                ["2013", 70490.24],
                ["2014", 72872.22],
            ],
        },
    ),
    "D05": Ideal(
        sentences=[
            "1,000 rows: January 352, February 303, March 345.",
            "January lacks gross margin percentage.",
            "All sales: 322,966.75.",
            "Food and beverages lead with 56,144.84, Health and beauty come last with 49,193.74.",
            "The average rating is 6.97.",
            "1,000 distinct invoices.",
        ],
        tables={
            "Total by month": [
                ["Month", "Total"],
                ["January", 116291.87],
                ["February", 97219.37],
                ["March", 109455.51],
            ],
            "Total by branch": [["Branch", "Total"], ["A", 106200.37], ["B", 106197.67], ["C", 110568.71]],
        },
        slides=5,
    ),
    "D06": Ideal(
        sentences=[
            "21 строка, 13 колонок, файл в кодировке cp1251.",
            "«В том числе:» — подзаголовки без чисел.",
            "Добыча полезных ископаемых: с 3 062 460 до 11 730 498, в 3,83 раза.",
            "Обрабатывающие производства выросли в 4,07 раза.",
            "Прочие виды обрабатывающих производств: в 6,67 раза.",
            "Металлургическое производство: в 2,96 раза.",
            "Производство прочих неметаллических продуктов упало в 2009 на 32,3 %.",
            "Цены номинальные.",
            "Итоги разделов с их частями не складывались.",
        ],
        tables={"Рост": [["Отрасль", "Раз"], ["Добыча", 3.83]]},
    ),
    "D07": Ideal(
        sentences=[
            "2,992 stores, 16 columns, opened 1962 to 2006.",
            "Dates have two-digit years; YEAR tells the century.",
            "The peak was 1990 with 178; next came 1991 with 161.",
            "1,946 became Supercenters, 1,046 remain Wal-Mart.",
            "2006 is partial: January only.",
        ],
        tables={
            "By decade": [
                ["Decade", "Stores"],
                ["1960s", 15],
                ["1970s", 243],
                ["1980s", 1081],
                ["1990s", 1013],
                ["2000s", 640],
            ],
            "States": [["State", "Stores"], ["TX", 315], ["FL", 175], ["CA", 159], ["IL", 130], ["OH", 124]],
        },
    ),
    "D08": Ideal(
        sentences=[
            "243 performances of 184 distinct events.",
            "907 price rows.",
            "The mean price is 466.99, the median 332.50.",
            "Prices: min 100.00.",
            "Prices: max 1,805.00.",
            "From 2013-07-01 to 2014-07-03.",
            "name is missing in 243 rows, logo is missing in 135.",
        ],
        tables={
            "Performances": [
                ["Month", "Performances"],
                ["2013-07", 3],
                ["2013-08", 1],
                ["2013-09", 9],
                ["2013-10", 26],
                ["2013-11", 29],
                ["2013-12", 43],
                ["2014-01", 30],
                ["2014-02", 18],
                ["2014-03", 26],
                ["2014-04", 23],
                ["2014-05", 17],
                ["2014-06", 16],
                ["2014-07", 2],
            ]
        },
    ),
    "D09": Ideal(
        sentences=[
            "Row 1 is a title; the header is in row 2.",
            "One empty row and an empty column went; the column was headed “do not edit!”.",
            "12 rows of staff are left; Certification stood twice, now as Certification and Certification 2.",
            "8 hire dates were serial numbers: 39690 is 2008-08-30.",
            "11037 is 1930-03-20.",
            "Allocated is missing for 2 coaches.",
            "Allocated adds up to 6.80.",
            "Jason Bourne and Chien-Shiung Wu have two rows each: 10 distinct people.",
            "“Micheal” was left as it is written.",
        ],
    ),
    "D10": Ideal(
        sentences=[
            "empty.csv: 0 байт, данных нет.",
            "header_only.csv: одна колонка abs_file_name, 0 строк.",
            "ragged_rows.csv: 3 колонки, а в первой строке 4 поля.",
            "ragged_rows.csv: во второй строке 2 поля.",
            "mixed_dates.csv: 5 строк; дата 03/10/2024 неоднозначна: месяц и день могут стоять наоборот.",
        ],
    ),
}
