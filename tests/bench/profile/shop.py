"""Sales lines in the shape of a real shop's: 45,433 rows of 8 columns, as many distinct values in each."""

import csv
import random
from datetime import datetime, timedelta
from pathlib import Path

ROWS = 45_433
INVOICES, PRODUCTS, WORDS, PRICES, CUSTOMERS, COUNTRIES = 2_182, 3_213, 3_241, 362, 1_256, 23
HEADER = (
    "InvoiceNo",
    "StockCode",
    "Description",
    "Quantity",
    "InvoiceDate",
    "UnitPrice",
    "CustomerID",
    "Country",
)
LETTERS = "ABCDEFGHIJKLMNOPRSTUVWY"


def write(path: Path, rows: int = ROWS) -> Path:
    """The same file for the same number of rows."""
    chance = random.Random(rows)  # noqa: S311  # data, not a secret
    begun = datetime(2010, 12, 1, 8, 26)  # noqa: DTZ001  # as in a file of a shop
    words = [
        " ".join(
            "".join(chance.choices(LETTERS, k=chance.randint(3, 9))) for _ in range(chance.randint(2, 5))
        )
        for _ in range(WORDS)
    ]
    prices = sorted({round(chance.lognormvariate(0.8, 0.9), 2) for _ in range(4 * PRICES)})[:PRICES]
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(HEADER)
        for row in range(rows):
            invoice = row * INVOICES // rows
            product = min(int(chance.expovariate(1 / 600)), PRODUCTS - 1)
            cancelled = invoice % 7 == 3 and row % 11 == 0
            writer.writerow(
                (
                    f"{'C' if cancelled else ''}{536_000 + invoice * 12}",
                    "POST" if row % 500 == 9 else f"{20_000 + product}{'B' if product % 9 == 4 else ''}",
                    "" if row % 372 == 5 else words[product % WORDS],
                    -1 if cancelled else min(int(chance.expovariate(1 / 8)) + 1, 600),
                    begun + timedelta(minutes=240 * invoice),
                    prices[product % PRICES],
                    "" if invoice % 4 == 1 else 12_346 + invoice * 7 % CUSTOMERS,
                    "United Kingdom" if invoice % 12 else f"Country {invoice % COUNTRIES}",
                )
            )
    return path


def swell(path: Path, target: Path, size: int) -> Path:
    """At least `size` bytes of the same rows over and over."""
    header, rows = path.read_bytes().split(b"\n", 1)
    with target.open("wb") as stream:
        stream.write(header + b"\n")
        while stream.tell() < size:
            stream.write(rows)
    return target
