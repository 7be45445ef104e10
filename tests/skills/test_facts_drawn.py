"""Libraries that draw and libraries that count register what they show and what they found."""

# ruff: noqa: E501  # scripts for the guest stand in strings

from pathlib import Path

import pytest

from sandbox.docker import DockerSandbox
from sandbox.session import ExitStatus, Workspace
from tests.skills.guest import SKILLS, guest_module
from tests.skills.scripts_of_facts import HEAD, TITANIC, Record, run_script

DECK = HEAD + "from deck import Deck\nd = Deck('Title', source='titanic.csv')\n"


def drawn(folder: Path, body: str) -> dict[str, Record]:
    """{place: record} of a deck."""
    records = run_script(folder, DECK + body + "d.save('deck.pptx')\n")
    assert {record["target"] for record in records if record["kind"] == "drawn"} == {"deck.pptx"}
    return {record["source"]: record for record in records if record["kind"] == "drawn"}


def test_a_chart_of_a_deck_is_registered_as_it_is_drawn(tmp_path: Path) -> None:
    found = drawn(
        tmp_path,
        "d.bar('One', df.groupby('Pclass').Survived.mean(), percent=True, sort=True, n=df.Pclass.value_counts())\n"
        "d.stacked('Two', df.groupby(['Pclass', 'Sex']).size().unstack(), share=True)\n"
        "d.column('Three', df.Ticket.value_counts().head(20), other=True)\n",
    )
    one = found["slide 2"]
    assert [round(value, 3) for value in one["values"]] == [0.63, 0.473, 0.242]
    assert (one["unit"], one["traced"], one["line"], one["id"]) == ("%", True, 6, "deck.pptx: slide 2")
    assert one["labels"][0] == "Survived"
    assert found["slide 2, counts"]["values"] == [216, 184, 491]
    assert found["slide 3"]["unit"] == "%"
    assert sum(found["slide 3"]["values"]) == pytest.approx(3)
    assert len(found["slide 4"]["values"]) == 12
    assert all(record["traced"] for record in found.values())


def test_cards_tables_and_dots_of_a_deck_are_registered(tmp_path: Path) -> None:
    found = drawn(
        tmp_path,
        "share = facts.fact('share', 'Survived.mean()', of=df, unit='%')\n"
        "d.kpis('One', [(share, 'survived'), (len(df), 'people'), (d.percent(df.Age.isna().mean()), 'unknown'), ('Men', 'most')])\n"
        "d.table('Two', df.groupby('Sex')[['Age', 'Fare']].mean())\n"
        "d.scatter('Three', df[['Age', 'Fare']])\n",
    )
    assert found["slide 2"]["values"] == [pytest.approx(342 / 891), 891, 0.199]
    assert [round(value, 1) for value in found["slide 3"]["values"]] == [27.9, 30.7, 44.5, 25.5]
    assert found["slide 3"]["labels"] == ["Age", "Fare", "female", "male", "Sex"]
    assert found["slide 3, counts"]["values"] == [2, 2]
    assert len(found["slide 4"]["values"]) == 2 * 714
    assert all(record["traced"] for record in found.values())


def test_numbers_beside_a_column_of_names_are_registered_under_these(tmp_path: Path) -> None:
    """Wherever it stands: one that is taken for a head would move each number to the row above."""
    by_port = "df.groupby('Embarked', as_index=False)[['Age']].mean()"
    found = drawn(
        tmp_path,
        f"d.table('First', {by_port})\nd.table('Last', {by_port}[['Age', 'Embarked']])\n",
    )
    tracing_labels = guest_module("checks", "tracing_labels")
    tracing_records = guest_module("checks", "tracing_records")
    for place in ("slide 2", "slide 3"):
        ((rows, heads, cells),) = tracing_labels.layouts(tracing_records.of_dict(found[place]))
        assert (rows, heads) == (["c", "q", "s"], ["age"])
        assert [round(cells[row, "age"], 1) for row in rows] == [30.8, 28.1, 29.4]
    assert found["slide 2, counts"]["values"] == [3, 2]


def test_what_is_typed_into_a_deck_counts_as_asserted(tmp_path: Path) -> None:
    found = drawn(
        tmp_path,
        "d.bar('One', {'women': 0.742, 'men': 0.189}, percent=True)\n"
        "d.kpis('Two', [('38.4%', 'survived'), (891, 'people')])\n"
        "d.table('Three', [['who', 'share'], ['women', '74.2%']])\n"
        "d.bar('Four', df.Sex.value_counts())\n",
    )
    assert {place: record["traced"] for place, record in found.items()} == {
        "slide 2": False,
        "slide 3": False,
        "slide 4": False,
        "slide 4, counts": False,
        "slide 5": True,
    }
    assert found["slide 4"]["values"] == [0.742]


def test_a_deck_of_a_text_needs_no_file(tmp_path: Path) -> None:
    source = "from deck import Deck\nd = Deck('Words')\nd.bullets('One', ['a', 'b'])\nd.save()\n"
    assert run_script(tmp_path, source) == []


def test_a_picture_of_a_chart_is_registered_too(tmp_path: Path) -> None:
    records = run_script(
        tmp_path,
        HEAD
        + "import charts\n"
        + "charts.bar(df.groupby('Sex').Survived.mean(), 'One', 'one.png', percent=True)\n"
        + "charts.hist(df.Age, 'Two', 'two.png')\n"
        + "charts.box({'paid': df.Fare}, 'Three', 'three')\n"
        + "charts.bar({'a': 0.742, 'b': 0.189}, 'Four', 'four.png')\n",
    )
    assert [(r["target"], r["source"], r["traced"]) for r in records] == [
        ("one.png", "picture", True),
        ("two.png", "picture", True),
        ("three.png", "picture, paid", True),
        ("four.png", "picture", False),
    ]
    assert records[0]["unit"] == "%"
    assert records[1]["values"] == [0.42, 20.125, 28.0, 38.0, 80.0, 714]


def test_standard_findings_are_registered_under_their_names(tmp_path: Path) -> None:
    source = HEAD + (
        "import findings\n"
        f"findings.standard(tables.read_one({str(TITANIC)!r}), hints=('survived',))\n"
        "findings.rates_by(df, ['Sex', 'Pclass'], 'Survived')\n"
    )
    records = {record["id"]: record for record in run_script(tmp_path, source)}
    assert {record["kind"] for record in records.values()} == {"computed"}
    assert all(record["traced"] and record["rows"] == 891 for record in records.values())
    assert records["overview"]["values"][:2] == [891, 12]
    assert records["outcome: Survived, shares"]["values"] == [pytest.approx(342 / 891)]
    assert records["outcome: Survived, shares"]["unit"] == "%"
    rates = records["rates: Sex, shares"]
    assert [round(value, 3) for value in rates["values"]] == [0.189, 0.742]
    assert rates["labels"] == ["Sex", "male", "female"]
    assert rates["expression"] == "findings.standard"
    assert records["rates by Sex · Pclass, shares"]["labels"][1] == "female · 1"
    assert {
        "distributions: Age",
        "categories: Sex",
        "totals: Sex, Fare",
        "correlations: Pclass, Fare",
    } <= set(records)


QUERIES = """\
import facts, pandas as pd, tables
df = tables.read_one("sales.csv").frame
print(facts.fact("west", "SELECT count(*) FROM df WHERE region = 'West'", of=df), facts.facts()[-1]["rows"])
print(facts.fact("share", "select avg((amount > 0)::int) from df", of=df, unit="%"), facts.facts()[-1]["traced"])
regions = facts.table("by", "WITH a AS (SELECT region, sum(amount) s FROM df GROUP BY 1) SELECT * FROM a ORDER BY s", of=df)
print(regions.values.tolist(), facts.facts()[-1]["columns"], facts.facts()[-1]["values"])
for typed in ("SELECT 38.4 FROM df LIMIT 1", "SELECT max(amount) * 0 + 38.4 FROM df", "SELECT 19.2 * 2 FROM df LIMIT 1"):
    facts.fact("typed", typed, of=df)
    print(facts.facts()[-1]["kind"])
for wrong in (
    "SELECT sum(amont) FROM df", "SELECT 1", "SELECT count(*) FROM df; DROP TABLE df", "SELECT amount FROM df",
    "SELECT count(*) FROM df JOIN 'sales.csv' ON true", "SELECT count(*) FROM df JOIN read_csv('sales.csv') ON true",
    "SELECT count(*) FROM df JOIN regions ON true", 'SELECT count(*) FROM df WHERE region = "West"', "SELECT cout(*) FROM df",
    "WITH a AS (SELECT 1) INSERT INTO df SELECT 1 FROM df", "SELECT avg(amount) FROM df WHERE amount > 99",
):
    try:
        print("came out:", facts.fact("x", wrong, of=df))
    except facts.FactError as error:
        print(type(error).__name__, str(error)[:60].strip())
df["month"] = df.day.dt.to_period("M")
print(facts.fact("months", "SELECT count(DISTINCT month) FROM df", of=df))
"""
SALES = "region,amount,day\nWest,10.5,2024-01-01\nEast,20,2024-01-02\nWest,-5,2024-02-01\n"
ANSWERS = """\
2 2
66.7% True
[['West', 5.5], ['East', 20.0]] ['region', 'amount'] [5.5, 20.0]
asserted
asserted
asserted
UnknownName There is no column 'amont'. Did you mean 'amount'? There are
NotAnExpression A query reads the frame, which is called df: SELECT count(*)
NotAnExpression A query is one SELECT over df.
NotOneNumber 'SELECT amount FROM df' gives 3 × 1 values, and a fact is on
NotAnExpression A query reads df only: load a file by facts.load('name') and
NotAnExpression A query reads df only: load a file by facts.load('name') and
FactError Catalog Error: Table with name regions does not exist! The f
FactError There is no column 'West'. There are: region, amount, day. A
FactError The query 'SELECT cout(*) FROM df' failed: Catalog Error: Sc
NotAnExpression A query is one SELECT over df.
NotOneNumber 'SELECT avg(amount) FROM df WHERE amount > 99' came out as n
2
"""


@pytest.mark.docker
@pytest.mark.asyncio(loop_scope="session")
async def test_a_query_reads_the_frame_and_nothing_else(
    docker_sandbox: DockerSandbox, tmp_path: Path
) -> None:
    skills = [scripts.parent for scripts in SKILLS.glob("*/scripts")]
    workspace = Workspace(owner="queries-1", code=tmp_path / "code", out=tmp_path / "out", skills=skills)
    workspace.out.mkdir()
    (workspace.out / "sales.csv").write_text(SALES)
    async with docker_sandbox.lease(workspace) as session:
        await session.write("queries.py", QUERIES)
        ran = await session.run("queries.py")
    assert (ran.status, ran.stderr) == (ExitStatus.OK, "")
    told = [line for line in ran.stdout.splitlines() if not line.startswith("facts: ")]
    assert told == ANSWERS.splitlines()
