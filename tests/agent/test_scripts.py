"""What a model may write and run: Python, and other languages where the policy has some."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agent.bench import Bench
from agent.scripts import OURS
from agent.tools.python import ScriptDesk
from skills.catalog import SkillCatalog
from tests.conftest import fresh_workspace
from tests.fakes import FakeRun, FakeSandbox


@pytest.fixture
def sandbox() -> FakeSandbox:
    return FakeSandbox(otherwise=lambda source: FakeRun(stdout=f"ran {source}"), suffixes=(".py", ".js"))


async def unheard(ahead: int) -> None:
    del ahead


@pytest.fixture
async def desk(sandbox: FakeSandbox, tmp_path: Path) -> AsyncIterator[ScriptDesk]:
    workspace = fresh_workspace(tmp_path)
    async with Bench(sandbox, workspace, waiting=unheard) as bench:
        yield ScriptDesk(bench, workspace.code, (".js",))


async def call(desk: ScriptDesk, tool: str, **arguments: str) -> str:
    return (await next(known for known in desk.tools() if known.name == tool).answer(arguments)).text()


def test_a_model_hears_of_other_languages_only_where_there_are_some(desk: ScriptDesk) -> None:
    plain = ScriptDesk(desk.bench, desk.code)
    assert [tool.name for tool in desk.tools()] == [
        *(tool.name for tool in plain.tools()),
        "write_and_run_script",
    ]
    assert "ends in .js" in str(desk.tools()[-1].schema())
    assert ".js" not in str([tool.schema() for tool in plain.tools()])


async def test_a_script_of_another_language_is_written_run_and_mended(desk: ScriptDesk) -> None:
    ran = await call(desk, "write_and_run_script", name="code/a.js", content="let x = 1;")
    assert ran.startswith("status: ok")
    assert "ran let x = 1;" in ran
    mended = await call(desk, "fix_and_run_python", name="a.js", old="1", new="2")
    assert "ran let x = 2;" in mended


async def test_a_language_that_the_policy_lacks_is_refused_with_those_that_it_has(desk: ScriptDesk) -> None:
    refused = await call(desk, "write_and_run_script", name="a.rb", content="x")
    assert refused.startswith("status: error\nsummary: 'a.rb' is not a plain file name ending in .py or .js")
    refused = await call(desk, "fix_and_run_python", name="a.rb", old="1", new="2")
    assert "ending in .py or .js" in refused


async def test_93_a_script_never_takes_the_place_of_a_library_or_of_our_own_scripts(
    sandbox: FakeSandbox, tmp_path: Path
) -> None:
    """Its folder is looked through before the libraries': a checks.py would judge its own numbers."""
    workspace = fresh_workspace(tmp_path)
    reserved = SkillCatalog.load().modules | {*OURS}
    async with Bench(sandbox, workspace, waiting=unheard) as bench:
        desk = ScriptDesk(bench, workspace.code, reserved=reserved)
        for name in ("checks.py", "tracing.py", "facts.py", "gate.py", "code/deck.py", *OURS):
            for tool in ("write_and_run_python", "write_python_file"):
                refused = await call(desk, tool, name=name, content="x = 1")
                assert "is the name of a library here" in refused
        assert not workspace.code.exists()
        assert (await call(desk, "write_and_run_python", name="01_deck.py", content="x = 1")).startswith(
            "status: ok"
        )


@pytest.mark.parametrize(
    "source",
    [
        'open(".deckhand/facts/a.jsonl", "w")',
        "from pathlib import Path\nPath('.deckhand') / 'facts'",
        "import facts_record\nfacts_record.write('fact', 'x', value=1)",
        "if True:\n    from facts_ledger import write",
    ],
)
async def test_94_facts_are_not_written_past_the_library(desk: ScriptDesk, source: str) -> None:
    refused = await call(desk, "write_and_run_python", name="01.py", content=source)
    assert refused.startswith("status: error\nsummary: facts are stated by facts.fact")
    stated = "import facts\nprint(facts.fact('x', 'A.sum()', of=facts.load('deckhand.csv')))"
    assert (await call(desk, "write_and_run_python", name="01.py", content=stated)).startswith("status: ok")
