"""A query reads the uploaded files by name and nothing else, and its frame tells them."""

# ruff: noqa: E501  # scripts for the guest stand in strings

import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from sandbox.docker import DockerSandbox
from sandbox.session import ExitStatus, InputFile, Workspace
from tests.skills.guest import SKILLS, guest_module

names: Any = guest_module("sql", "sql_names")
database: Any = guest_module("sql", "sql_database")
errors: Any = guest_module("sql", "sql_errors")
tables: Any = guest_module("eda", "tables")
EXAMPLE = re.findall(r"```python\n(.*?)```", (SKILLS / "sql/SKILL.md").read_text("utf-8"), re.DOTALL)[0]

SCRIPT = """
import facts, pandas as pd, sql

print(sql.schema())
print(sorted(sql.tables()))
found = sql.query("SELECT Customer, sum(Amount) AS total FROM orders GROUP BY ALL ORDER BY total DESC", "by customer")
assert found.to_dict("list") == {"Customer": [7, 8, 9], "total": [30.5, 20.0, 5.0]}, found
print(facts.fact("largest", "total.max()", of=found))
share = sql.query("SELECT avg(CASE WHEN Amount > 9 THEN 1.0 ELSE 0 END) AS large FROM orders", "large", unit="%")
assert share.large.iloc[0] == 0.75
sql.add("doubled", found.assign(total=found.total * 2))
assert sql.query("SELECT sum(total) AS s FROM doubled").s.iloc[0] == 111
joined = sql.query('SELECT count(*) AS n FROM orders o JOIN customers_people p ON p.Id = o.Customer')
assert joined.n.iloc[0] == 3
TRIES = (
    "SELECT * FROM 'orders.csv'", "SELECT * FROM read_csv('/etc/passwd')", "SELECT * FROM '/etc/passwd'",
    "COPY orders TO 'x.csv'", "ATTACH 'x.db'", "INSTALL httpfs", "SET enable_external_access = true",
    "DROP VIEW orders", "SELECT 1; SELECT 2", "SELECT * FROM glob('*')",
    "SELECT * FROM order", "SELECT * FROM ordrs", "SELECT Amont FROM orders", "SELECT 38.4 AS share",
    "SELECT 38.4 AS share FROM orders", "SELECT * FROM orders, read_csv('/etc/passwd')", "",
    "WITH orders AS (SELECT 38.4 AS x) SELECT x FROM orders", "WITH o AS (SELECT 38.4 AS x) SELECT x FROM o",
    "SELECT o.x FROM (SELECT Amount * 0 + 38.4 AS x FROM orders) o", "SELECT 1 AS a; ", "PRAGMA database_list",
)
for text in TRIES:
    try:
        sql.query(text)
        print("ANSWERED", text)
    except sql.SqlError as error:
        print(f"{type(error).__name__} {error}")
for record in facts.facts():
    if record["kind"] != "assumption":
        print(record["id"], record["unit"], record["traced"], sorted(file["name"] for file in record["files"]))
"""

ANSWERS = """\
customers_people: customers.xlsx, table People, 2 rows
  Id integer
  Region text

customers_old: customers.xlsx, table Old, 2 rows
  Id integer
  Region text

orders: orders.csv, 4 rows
  "Order Date" timestamp
  Customer integer
  Amount double
  - Read as UTF-8.
  - Fields are separated by comma.

Not read: notes.csv is empty: there is no data in it (0 bytes).
['customers_old', 'customers_people', 'orders']
30.50
UnknownTable There is no table 'orders.csv'. Did you mean 'orders'?
UnknownTable The query reads none of the tables: customers_people,
UnknownTable There is no table '/etc/passwd'. There are: customers
NotASelect A query is one SELECT; tables are not changed. Make new c
NotASelect A query is one SELECT; tables are not changed. Make new c
NotASelect A query is one SELECT; tables are not changed. Make new c
NotASelect A query is one SELECT; tables are not changed. Make new c
NotASelect A query is one SELECT; tables are not changed. Make new c
NotASelect A query is one SELECT; tables are not changed. Make new c
UnknownTable The query reads none of the tables: customers_people,
SqlError Parser Error: syntax error at or near "order" See sql.sch
UnknownTable There is no table 'ordrs'. Did you mean 'orders'? The
UnknownTable There is no column 'Amont'. Did you mean 'Amount'? A t
UnknownTable The query reads none of the tables: customers_people,
TypedNumbers The column 'share' holds nothing but numbers that the
NotASelect A query reads no files and no network: the tables of the
NotASelect A query is a text: sql.query('SELECT … FROM …').
SqlError orders is a table of the files: give the WITH another nam
UnknownTable The query reads none of the tables: customers_people,
TypedNumbers The column 'x' holds nothing but numbers that the quer
UnknownTable The query reads none of the tables: customers_people,
NotASelect A query is one SELECT; tables are not changed. Make new c
by customer  True ['orders.csv']
largest  True ['orders.csv']
large % True ['orders.csv']
query: SELECT sum(total) AS s FROM doubled  True ['orders.csv']
query: SELECT count(*) AS n FROM orders o JOIN customers_people p O  True ['customers.xlsx', 'orders.csv']
"""


def made(name: str, file: str) -> Any:
    return tables.Table(name, file, pd.DataFrame({"a": [1], "Two Words": ["x"], "order": [True]}))


def test_a_table_is_called_as_its_file_in_letters_that_sql_can_hold() -> None:
    found = names.named(
        [
            made("Sales 2024", "Sales 2024.csv"),
            made("order", "order.csv"),
            made("Январь", "отчёт.xlsx"),
            made("2", "отчёт.xlsx"),
            made("x", "sales-2024.tsv"),
        ]
    )
    assert list(found) == ["sales_2024", "t_order", "отчёт_январь", "отчёт_2", "sales_2024_2"]
    assert found["отчёт_2"].source == "отчёт.xlsx, table 2"
    assert found["t_order"].columns() == [("a", "integer"), ('"Two Words"', "text"), ('"order"', "boolean")]
    with pytest.raises(errors.SqlError, match="no name of a table"):
        names.Named.of_frame("a; DROP", pd.DataFrame())


def test_a_number_of_the_query_is_refused_unless_the_tables_hold_it() -> None:
    source = pd.DataFrame({"year": [2023, 2024], "amount": [38.4, 12.5]})
    refuse = database.refuse_typed
    with pytest.raises(errors.TypedNumbers, match="'share'"):
        refuse(pd.DataFrame({"share": [0.384]}), "SELECT 0.384 AS share FROM t", [source])
    kept = pd.DataFrame({"amount": [38.4], "n": [2], "name": ["38.4"]})
    refuse(kept, "SELECT amount, count(*) AS n FROM t WHERE amount = 38.4", [source])


@pytest.mark.docker
@pytest.mark.asyncio(loop_scope="session")
async def test_sql_answers_from_the_files_and_from_nothing_else(
    docker_sandbox: DockerSandbox, tmp_path: Path
) -> None:
    orders, book = tmp_path / "orders.csv", tmp_path / "customers.xlsx"
    orders.write_text(
        "Order Date,Customer,Amount\n2024-01-03,7,10.5\n2024-01-09,7,20\n2024-02-01,8,20\n2024-02-02,9,5\n"
    )
    with pd.ExcelWriter(book) as sheets:
        people = pd.DataFrame({"Id": [7, 8], "Region": ["West", "East"]})
        people.to_excel(sheets, sheet_name="People", index=False)
        people.to_excel(sheets, sheet_name="Old", index=False)
    (tmp_path / "notes.csv").write_text("")
    skills = [scripts.parent for scripts in SKILLS.glob("*/scripts")]
    files = tuple(InputFile(name=path.name, source=path) for path in (orders, book, tmp_path / "notes.csv"))
    workspace = Workspace(
        owner="sql-1", inputs=files, code=tmp_path / "code", out=tmp_path / "out", skills=skills
    )
    example = EXAMPLE.replace("JOIN customers ", "JOIN customers_people ")
    async with docker_sandbox.lease(workspace) as session:
        await session.write("ask.py", SCRIPT)
        ran = await session.run("ask.py")
        await session.write("example.py", example)
        shown = await session.run("example.py")
    assert (ran.status, ran.stderr) == (ExitStatus.OK, "")
    assert [line[:50] for line in ran.stdout.splitlines()] == [line[:50] for line in ANSWERS.splitlines()]
    assert (shown.status, shown.stderr) == (ExitStatus.OK, "")
    assert (
        shown.stdout.splitlines()[-1]
        == "£50 in all, most of it in West; 1 orders have no customer in the list."
    )
