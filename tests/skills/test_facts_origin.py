"""What was typed is no source, wherever it was put; honest code raises no doubt."""

# ruff: noqa: E501  # scripts for the guest stand in strings

import os
from pathlib import Path
from typing import Any

import pytest

from tests.skills.guest import guest_module
from tests.skills.scripts_of_facts import HEAD, Record, run_script

literals: Any = guest_module("facts", "facts_literals")
caller: Any = guest_module("facts", "facts_caller")
values: Any = guest_module("facts", "facts_values")


def stated(folder: Path, body: str) -> Record:
    """The last record of a script that has the sample as `df`."""
    return run_script(folder, HEAD + body)[-1]


@pytest.mark.parametrize(
    "body",
    [
        "facts.fact('x', 'x.mean()', of=pd.DataFrame({'x': [38.4]}))",
        "facts.fact('x', 'x.sum()', of=pd.DataFrame([{'x': 200}, {'x': 142}]))",
        "facts.fact('x', 'value.mean()', of=pd.Series([38.4, 38.4]))",
        "facts.fact('x', 'x.iloc[1]', of=pd.DataFrame({'x': [38.4, 12.1, 7]}))",
        "facts.fact('x', 'x.sum()', of=pd.DataFrame({'x': [19.2] * 2}))",
        "facts.fact('x', 'x.max()', of=pd.DataFrame({'x': [19.2 * 2]}))",
        "facts.fact('x', 'x.astype(float).max()', of=pd.DataFrame({'x': ['38.4']}))",
        "facts.fact('x', 'x.mean() / 100', of=pd.DataFrame({'x': [38.4]}), unit='%')",
        "facts.fact('x', 'len(df)', of=pd.DataFrame({'x': range(342)}))",
        "facts.table('x', 'df', of=pd.DataFrame({'a': [38.4, 61.6]}))",
        "typed = 38.4\nfacts.fact('x', 'x.max()', of=df.head(1).assign(x=typed))",
        "facts.fact('x', 'x.mean()', of=df.assign(x=38.4))",
        "df['x'] = 38.4\nfacts.fact('x', 'x.mean()', of=df)",
        "df['Age'] = 38.4\nfacts.fact('x', 'Age.mean()', of=df)",
        "df.loc[0, 'Age'] = 38.45\nfacts.fact('x', 'Age.iloc[0]', of=df)",
        "facts.fact('x', '0 * Age.sum() + 38.4', of=df)",
        "facts.fact('x', '0 * Age.mean() + 38.4', of=df)",
        "facts.fact('x', 'len(df) / len(df) * 19.2 * 2', of=df)",
        "facts.fact('x', 'Survived.max() * 38.4', of=df)",
        "facts.fact('x', 'Age.sum() * 1e-12 + 38.4', of=df)",
        "facts.fact('x', '38 + 0.4 * Survived.max()', of=df)",
        "facts.fact('x', 'Age.clip(38.4, 38.4).max()', of=df)",
        "facts.fact('x', \"Sex.map({'male': 38.4, 'female': 38.4}).max()\", of=df)",
        "facts.fact('x', 'Age.max() if len(df) < 0 else 38.4', of=df)",
        "facts.fact('x', \"pd.to_numeric('38.4') + 0 * len(df)\", of=df)",
        "facts.fact('x', \"float('38.4') if len(df) else 1\", of=df)",
        "facts.fact('x', \"len('x' * 342) + 0 * len(df)\", of=df)",
        "facts.fact('x', 'Age.map(lambda age: 38.4).iloc[0]', of=df)",
        "import numpy as np\ntyped = np.array([38.4])\nfacts.fact('x', 'x.max()', of=pd.DataFrame({'x': typed}))",
        "df['x'] = 38.4 + df.Age * 0\nfacts.fact('x', 'x.mean()', of=df)",
        "facts.drawn('d.pptx', 'slide 1', df.groupby('Sex').Age.mean() * 0 + 38.4)",
        "import io\nfacts.fact('x', 'x.sum()', of=pd.read_csv(io.StringIO('x\\n38.4\\n12.6')))",
        "import json\nfacts.fact('x', 'x.sum()', of=pd.DataFrame(json.loads('[{\"x\": 38.4}]')))",
        "pd.DataFrame({'x': [38.4, 55.5]}).to_csv('t.csv')\nfacts.fact('x', 'x.max()', of=facts.load('t.csv'))",
        "df.assign(x=38.4).to_parquet('t.parquet')\nfacts.fact('x', 'x.max()', of=facts.load('t.parquet'))",
        "facts.computed('x', 0.034, how='Welch')",
        "p = 0.034\nfacts.computed('x', p, how='Welch', of=df)",
        "facts.drawn('d.pptx', 'slide 1', {'a': 38.4, 'b': 61.6})",
        "facts.drawn('d.pptx', 'slide 1', {'a': '38.4%', 'b': '61.6%'})",
        "facts.drawn('d.pptx', 'slide 1', {'a': float(df.Survived.mean()), 'b': 0.616})",
        "facts.drawn('d.pptx', 'slide 1', pd.Series({'a': 384, 'b': 616}))",
        "facts.drawn('d.pptx', 'slide 1', df.groupby('Sex').Age.mean().to_frame().assign(x=[38.4, 61.6]))",
        "facts.drawn('d.pptx', 'slide 1', [('a', 7), ('b', 9)])",
        "facts.asserted('x', 38.4, source='the request')",
    ],
)
def test_what_was_typed_counts_as_asserted(tmp_path: Path, body: str) -> None:
    record = stated(tmp_path, body)
    assert not record["traced"], record
    assert record["kind"] == ("drawn" if "drawn" in body else "asserted")


@pytest.mark.parametrize(
    "body",
    [
        "facts.fact('x', '(Age > 30).mean()', of=df, unit='%')",
        "facts.fact('x', 'Age.between(18, 30).sum()', of=df)",
        "facts.fact('x', 'Age.quantile(0.5)', of=df)",
        "facts.fact('x', '1 - Survived.mean()', of=df, unit='%')",
        "facts.fact('x', 'Fare.sum() / 1000', of=df)",
        "facts.fact('x', 'Fare.nlargest(10).sum() / Fare.sum()', of=df)",
        "facts.fact('x', 'shape[1]', of=df)",
        "facts.fact('x', \"(Ticket == '1601').sum()\", of=df)",
        "facts.fact('x', '(Fare >= 0).mean()', of=df)",
        "facts.fact('x', 'duplicated().sum()', of=df)",
        "facts.fact('x', '(Age < 0).sum() / 10', of=df)",
        "facts.fact('x', 'Sex.value_counts().iloc[0]', of=df)",
        "facts.fact('x', 'groupby(\"Pclass\").Fare.mean().idxmax()', of=df)",
        "assert len(df) == 891\nfacts.fact('x', 'len(df)', of=df)",
        "LIMIT = 30\nfacts.fact('x', f'(Age > {LIMIT}).sum()', of=df)",
        "df['band'] = pd.cut(df.Age, bins=[0, 12, 18, 30, 60, 100], labels=['0–12', '13–18', '19–30', '31–60', '61+'])\n"
        "facts.table('x', 'groupby(\"band\").Survived.mean()', of=df, unit='%')",
        "df['n'] = 1\nfacts.fact('x', 'n.sum()', of=df)",
        "df['flag'] = 0\ndf.loc[df.Age > 60, 'flag'] = 1\nfacts.fact('x', 'flag.sum()', of=df)",
        "df['score'] = df.Embarked.map({'S': 2.5, 'C': 3.75, 'Q': 1.25})\nfacts.fact('x', 'score.mean()', of=df)",
        "df['port'] = df.Embarked.map({'S': 'Southampton', 'C': 'Cherbourg'})\nfacts.fact('x', 'port.nunique()', of=df)",
        "df['Age'] = df.Age.fillna(28)\nfacts.fact('x', 'Age.median()', of=df)",
        "by = df.groupby('Pclass').agg(n=('Survived', 'size'), s=('Survived', 'sum'))\n"
        "facts.fact('x', 's.sum() / n.sum()', of=by)",
        "out = pd.DataFrame([{'class': c, 'rate': df[df.Pclass == c].Survived.mean()} for c in [1, 2, 3]])\n"
        "facts.table('x', 'df', of=out)",
        "names = pd.DataFrame({'Pclass': [1, 2, 3], 'name': ['first', 'second', 'third']})\n"
        "facts.fact('x', '(name == \"first\").sum()', of=df.merge(names, on='Pclass'))",
        "facts.fact('x', 'Survived.mean()', of=pd.concat([df.head(500), df.tail(391)]), unit='%')",
        "facts.fact('x', 'value.sum()', of=pd.Series(df.Fare.to_numpy()))",
        "df.to_parquet('t.parquet')\nfacts.fact('x', 'Survived.mean()', of=facts.load('t.parquet'), unit='%')",
        "df.to_csv('t.csv', index=False)\nfacts.fact('x', 'Age.median()', of=facts.load('t.csv'))",
        "a, b = (g.Fare for _, g in df.groupby('Survived'))\nfacts.computed('x', abs(a.mean() - b.mean()), how='difference')",
        "facts.drawn('d.pptx', 'slide 1', df.groupby('Sex').Survived.mean())",
        "facts.drawn('d.pptx', 'slide 1', {name: len(part) for name, part in df.groupby('Sex')})",
        "facts.drawn('d.pptx', 'slide 1', df.Pclass.value_counts().sort_index())",
        "share = facts.fact('s', 'Survived.mean()', of=df)\n"
        "facts.drawn('d.pptx', 'slide 1', {'survived': share.value, 'died': 1 - share.value})",
        "facts.drawn('d.pptx', 'slide 1', {'under 20': int((df.Age < 20).sum()), 'over': int((df.Age >= 20).sum())})",
        "facts.drawn('d.pptx', 'slide 1', pd.Series(range(2000)) * 1.25)",
        # ratios of rows and of columns, whose typed 1 is no source
        "by = facts.table('by', \"groupby('Sex').agg(fare=('Fare', 'sum'), people=('Fare', 'size'))\", of=df)\n"
        "facts.fact('x', 'fare.male / fare.female - 1', of=by, unit='%')",
        "by = facts.table('by', \"groupby('Sex').agg(fare=('Fare', 'sum'), people=('Fare', 'size'))\", of=df)\n"
        "facts.fact('x', '1 - (fare / people).male / (fare / people).female', of=by, unit='%')",
    ],
)
def test_honest_code_is_traced(tmp_path: Path, body: str, capsys: pytest.CaptureFixture[str]) -> None:
    record = stated(tmp_path, body)
    assert record["traced"], record
    assert record["files"][-1]["name"] in ("titanic.csv", "t.parquet", "t.csv")
    assert "counts as asserted" not in capsys.readouterr().out


def test_the_author_is_told_once_why_a_number_is_in_doubt(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    loop = "for _ in range(3):\n    print(facts.fact('share', 'x.mean()', of=df.assign(x=38.4)))\n"
    assert [record["traced"] for record in run_script(tmp_path, HEAD + loop)] == [False] * 3
    told = "facts: share counts as asserted, not traced: the numbers of x were typed into the script\n"
    assert capsys.readouterr().out == told + "38.40\n" * 3


def test_without_a_file_nothing_is_traced_and_nothing_fails(tmp_path: Path) -> None:
    source = (
        "import facts, pandas as pd\n"
        "facts.drawn('d.pptx', 'slide 1', {'a': 3, 'b': 5})\n"
        "facts.fact('x', 'x.sum()', of=pd.DataFrame({'x': [len('ab'), len('abc')]}))\n"
        "facts.assume('The text names no year')\n"
    )
    assert [record["traced"] for record in run_script(tmp_path, source)] == [False, False, True]


def test_numbers_of_an_earlier_script_may_be_drawn_by_a_later_one(tmp_path: Path) -> None:
    first = HEAD + (
        "import findings\n"
        "rates = {name: float(part.Survived.mean()) for name, part in df.groupby('Sex')}\n"
        "findings.save_json('figures.json', {'rates': rates, 'rows': len(df)})\n"
    )
    assert [record["id"] for record in run_script(tmp_path, first, "first.py")] == ["figures.json"]
    second = (
        "import json, facts\nfrom pathlib import Path\n"
        "figures = json.loads(Path('figures.json').read_text())\n"
        "facts.drawn('d.pptx', 'slide 1', figures['rates'], unit='%')\n"
        "facts.drawn('d.pptx', 'slide 2', {'rows': 891, 'typed': 0.123})\n"
    )
    found = run_script(tmp_path, second, "second.py")
    assert [record["traced"] for record in found] == [True, False]


def test_a_file_that_a_script_wrote_is_told_with_those_it_was_made_of(tmp_path: Path) -> None:
    run_script(
        tmp_path, HEAD + "facts.fact('x', 'len(df)', of=df)\ndf.to_parquet('clean.parquet')\n", "first.py"
    )
    source = "import facts\nfacts.fact('x', 'Survived.mean()', of=facts.load('clean.parquet'))\n"
    (record,) = run_script(tmp_path, source, "second.py")
    assert [file["name"] for file in record["files"]] == ["clean.parquet", "titanic.csv"]


@pytest.mark.parametrize("text", ["'x\\n38.4\\n'", "'x\\n%s\\n' % (384 / 10)"])
def test_94_what_a_script_writes_by_hand_and_reads_again_is_still_typed(tmp_path: Path, text: str) -> None:
    source = f"with open('t.csv', 'w') as file:\n    file.write({text})\n"
    source += "facts.fact('x', 'x.max()', of=facts.load('t.csv'))\n"
    assert run_script(tmp_path, HEAD + source)[-1]["traced"] is False


def test_what_another_script_typed_into_a_file_is_still_typed(tmp_path: Path) -> None:
    run_script(tmp_path, "import pandas as pd\npd.DataFrame({'x': [38.4]}).to_csv('t.csv')\n", "first.py")
    source = "import facts\nfacts.fact('x', 'x.max()', of=facts.load('t.csv'))\n"
    (record,) = run_script(tmp_path, source, "second.py")
    assert not record["traced"]


def test_numbers_of_a_text_that_was_sent_may_be_told_again(tmp_path: Path) -> None:
    (tmp_path / "note.md").write_text("# Plan\n\nSales rose by 12.5% to 1,200 units.\n", encoding="utf-8")
    source = (
        "import documents, facts\n"
        f"documents.read({str(tmp_path / 'note.md')!r})\n"
        "facts.drawn('d.pptx', 'slide 1', {'sales': 1200, 'growth': 0.125})\n"
    )
    text, drawn = run_script(tmp_path, source)
    assert (text["id"], text["values"], text["expression"]) == (
        "text of note.md",
        [0.125, 1200],
        "written in the file",
    )
    assert drawn["traced"]


def test_a_hash_is_computed_once_and_again_when_the_file_changes(tmp_path: Path) -> None:
    origin = guest_module("facts", "facts_origin")
    path = tmp_path / "a.csv"
    path.write_bytes(b"a\n1\n")
    first = origin.sha256(path)
    state = path.stat()
    path.write_bytes(b"a\n2\n")
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert origin.sha256(path) == first
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns + 1))
    assert origin.sha256(path) != first


@pytest.mark.parametrize(
    ("code", "typed"),
    [
        ("x = 38.4", {38.4}),
        ("x = -2 * 3.5", {-7.0}),
        ("d = {'a': 1.5, 'b': [2, 3]}", {1.5, 2, 3}),
        ("d = dict(a=1.5)", {1.5}),
        ("d['x'] = 4", {4}),
        ("t = '38.4%'", {0.384}),
        ("t = ['1,200', '1 200,5', 'word', '2024-01-01']", {1200, 1200.5}),
        ("t = '''a,b\n1,2.5\n'''", {1, 2.5}),
        ("f(StringIO('x\\n7.5'))", {7.5}),
        ("file.write('x\\n%s\\n' % 7.5)\npath.write_text('x\\n8.5\\n')", {7.5, 8.5}),
        ("sheet.write(row + 2, 3, value)\nfile.write('Slide 4 of 5')", set()),
        ("if a > 30 and b in (1, 2): pass", set()),
        ("assert a == 342", set()),
        ("x = a[5]\ny = a[1:3]", set()),
        ("pd.cut(a, [0, 12, 30])", set()),
        ("ax.hist(a, bins=20)\nf(bins=[1, 2], figsize=(8, 4))", set()),
        ("a.quantile([0.25, 0.75])\nrange(5)\na.head(10)\nround(a, 2)", set()),
        ("print(f'{38.4}')", set()),
        ("'''A text of 38 words.'''", set()),
    ],
)
def test_numbers_that_a_script_types_as_data_are_told_from_those_it_works_by(
    tmp_path: Path, code: str, typed: set[float]
) -> None:
    script = tmp_path / "script.py"
    script.write_text(code, encoding="utf-8")
    assert literals.typed_in(script) == typed


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("38.4%", 0.384),
        ("38,4\u00a0%", 0.384),
        ("1,234.5", 1234.5),
        ("1\u00a0234,5", 1234.5),
        ("−£5", None),
        ("£1,200", 1200),
        ("−5", -5),
        ("3.9×", 3.9),
        ("North 5", None),
        ("", None),
        ("1.2.3", None),
    ],
)
def test_a_text_that_is_a_number_is_read_as_one(text: str, number: float | None) -> None:
    assert values.whole_number(text) == (None if number is None else pytest.approx(number))
