import ast
import re
from pathlib import Path

import pytest
from fluent.syntax import FluentParser
from fluent.syntax import ast as ftl
from fluent.syntax.visitor import Visitor

from agent.brands import PROBLEMS
from agent.budget import Limit
from agent.checking import UNCHECKED
from agent.events import FailureReason
from agent.verification import Rerun
from bot.delivery.verified import KINDS
from bot.intake.admission import PRESETS
from bot.ops.doctor import Level, Subject
from bot.texts import Language, language_of, texts
from storage.records import RunStatus
from tests.parsing import tree_of

BOT = Path(__file__).parents[2] / "bot"
COMMANDS = ("cli.py", "sandboxcli.py")
"""Their help texts are English, in code, where typer reads them."""
TELEGRAM_SAYS = "telegram/faults.py"
"""Knows Telegram's errors by their words."""
_SENTENCE = re.compile(r"[A-Za-zА-Яа-яё]{2,}[ ,][^{}]*[ ][A-Za-zА-Яа-яё]{2,}")


class _Variables(Visitor):
    def __init__(self) -> None:
        self.names: set[str] = set()

    def visit_VariableReference(self, node: ftl.VariableReference) -> None:  # the library's name
        self.names.add(node.id.name)


def sentences(language: Language) -> dict[str, set[str]]:
    """Every sentence with the variables that it needs."""
    found: dict[str, set[str]] = {}
    for path in sorted((BOT / "locales" / language.value).glob("*.ftl")):
        for entry in FluentParser().parse(path.read_text("utf-8")).body:
            assert not isinstance(entry, ftl.Junk), f"{path.name}: {entry.content}"
            if isinstance(entry, ftl.Message):
                assert entry.id.name not in found, f"{entry.id.name} is there twice"
                variables = _Variables()
                variables.visit(entry)
                found[entry.id.name] = variables.names
    return found


def test_both_languages_say_the_same_things_with_the_same_facts() -> None:
    english, russian = sentences(Language.ENGLISH), sentences(Language.RUSSIAN)
    assert english.keys() == russian.keys()
    differing = {key for key in english if english[key] != russian[key]}
    assert not differing


def keys_in_code() -> set[str]:
    """Strings that have the form of a sentence's id and stand where one is used."""
    used: set[str] = set()
    for path in BOT.rglob("*.py"):
        for node in ast.walk(tree_of(path.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                used.add(node.value)
    return used


def codes_of_the_gate(before: str = "") -> set[str]:
    """What the gate may call a finding, or with `before`, certainly does."""
    form = re.compile(rf"""{before}"([a-z]+(?:_[a-z]+)*)\"""")
    scripts = (BOT.parent / "skills" / "checks" / "scripts").glob("gate*.py")
    return {code for path in scripts for code in form.findall(path.read_text("utf-8"))}


def test_what_the_gate_finds_has_words() -> None:
    codes = codes_of_the_gate(r"finding\(\s*")
    assert len(codes) > 20
    assert not {code for code in codes if not texts(Language.ENGLISH).has(f"finding-{code}")}


def test_no_sentence_is_left_unused() -> None:
    families = [
        *(f"failed-{reason.value}" for reason in FailureReason),
        *(f"failed-budget-{limit.value}" for limit in Limit),
        *(f"status-of-{status.value}" for status in RunStatus),
        *(f"doctor-check-{subject.value}" for subject in Subject),
        *(f"doctor-level-{level.value}" for level in Level),
        *(f"column-{key}" for key in keys_in_code()),
        *(f"quota-{what}-{whose}" for what in ("at-once", "runs", "tokens") for whose in ("person", "chat")),
        *(f"{kind}-{name}" for kind in ("button", "preset") for row in PRESETS for name in row),
        *(f"brand-{problem}" for problem in PROBLEMS),
        *(f"place-{kind}" for kind in KINDS),
        *(f"verified-rerun-{rerun.value}" for rerun in Rerun),
        *(f"finding-{check}" for check in (*range(1, 17), *codes_of_the_gate(), UNCHECKED)),
    ]
    used = keys_in_code() | {key.replace("_", "-") for key in families}
    unused = {key for key in sentences(Language.ENGLISH) if key not in used and not key.startswith("step-")}
    assert not unused


def test_every_key_that_code_asks_for_exists() -> None:
    known = sentences(Language.ENGLISH)
    prefixes = {key.partition("-")[0] for key in known}
    for path in BOT.rglob("*.py"):
        for node in ast.walk(tree_of(path.read_text("utf-8"))):
            if (
                isinstance(node, ast.Call)
                and ast.unparse(node.func).split(".")[-1] in ("t", "_t", "Refused", "SettingsError")
                and node.args
                and isinstance(key := node.args[0], ast.Constant)
            ):
                assert key.value in known, f"{path.name}: {key.value}"
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "key":
                value = node.value.value if isinstance(node.value, ast.Constant) else None
                if isinstance(value, str) and value.partition("-")[0] in prefixes:
                    assert value in known, f"{path.name}: {value}"


@pytest.mark.parametrize("language", Language)
def test_each_failure_and_each_limit_has_its_sentence(language: Language) -> None:
    t = texts(language)
    for reason in FailureReason:
        assert t.has(f"failed-{reason.value}")
    for limit in Limit:
        assert t.has(f"failed-budget-{limit.value}")


@pytest.mark.parametrize("language", Language)
def test_each_tool_of_the_agent_is_told_in_words(language: Language) -> None:
    sources = [path.read_text("utf-8") for path in (BOT.parent / "agent" / "tools").glob("*.py")]
    tools = {name for source in sources for name in re.findall(r'name="([a-z_]+)"', source)}
    steps = [path.read_text("utf-8") for path in (BOT.parent / "agent").glob("**/*.py")]
    tools |= {name for source in steps for name in re.findall(r'\.step\(\w+, "([a-z_]+)"', source)}
    assert "check_results" in tools
    assert tools
    assert [name for name in sorted(tools) if not texts(language).has(f"step-{name}")] == []


def test_no_sentence_lives_outside_the_locales() -> None:
    found: list[str] = []
    for path in sorted(BOT.rglob("*.py")):
        if path.name in COMMANDS or path.match(TELEGRAM_SAYS):
            continue
        tree = tree_of(path.read_text("utf-8"))
        quiet = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}  # docstrings
        for raised in (node for node in ast.walk(tree) if isinstance(node, ast.Assign | ast.Call)):
            # What an exception says to a developer, or a table of code points, is no sentence for a person.
            if isinstance(raised, ast.Assign) and ast.unparse(raised.targets[0]) in ("detail", "_SHAPES"):
                quiet |= {id(node) for node in ast.walk(raised.value)}
            if isinstance(raised, ast.Call) and ast.unparse(raised.func) == "super().__init__":
                quiet |= {id(node) for node in ast.walk(raised)}
            if isinstance(raised, ast.Call) and ast.unparse(raised.func) == "re.compile":
                quiet |= {id(node) for node in ast.walk(raised)}
        found += [
            f"{path.name}:{node.lineno}: {node.value}"
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in quiet
            and _SENTENCE.search(node.value)
        ]
    assert not found


def test_a_missing_fact_is_an_error_and_not_a_hole_in_the_sentence() -> None:
    with pytest.raises(ValueError, match="file-missing"):
        texts(Language.ENGLISH)("file-missing")


def test_russian_counts_take_their_three_forms() -> None:
    t = texts(Language.RUSSIAN)
    forms = [t("failed-kept", count=count) for count in (1, 3, 5)]
    assert len({form.split()[-1] for form in forms}) == 3


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Explore this data", Language.ENGLISH),
        ("Сделай презентацию по titanic.csv", Language.RUSSIAN),
        ("make a deck: выручка", Language.ENGLISH),
        ("123 ?", None),
        ("データ", None),
    ],
)
def test_the_language_is_that_of_most_letters(text: str, language: Language | None) -> None:
    assert language_of(text) is language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("now in Russian: сделай книгу Excel", Language.RUSSIAN),
        ("make a deck in Russian", Language.RUSSIAN),
        ("Explore titanic.csv and answer по-русски", Language.RUSSIAN),
        ("deck na 5 slides, titanic.csv, на русском языке", Language.RUSSIAN),
        ("Сделай презентацию in English", Language.ENGLISH),
        ("Сделай обзор по-английски", Language.ENGLISH),
        ("Сделай обзор на английском, пожалуйста", Language.ENGLISH),
        ("Not in English please, in Russian", Language.RUSSIAN),
        ("sales in Russian cities", Language.ENGLISH),
        ("продажи на английском рынке", Language.RUSSIAN),
    ],
)
def test_an_explicit_wish_decides_on_the_language(text: str, language: Language) -> None:
    assert language_of(text) is language


@pytest.mark.parametrize("language", Language)
def test_a_sentence_names_the_button_as_it_is_written_there(language: Language) -> None:
    t = texts(language)
    assert t("button-retry") in t("failed-updated")


@pytest.mark.parametrize("language", Language)
def test_a_file_that_telegram_does_not_hand_over_is_named(language: Language) -> None:
    assert "big.csv" in texts(language)("telegram-download-too-big", name="big.csv")


@pytest.mark.parametrize("language", Language)
def test_a_bot_with_nothing_to_serve_says_which_setting_is_missing(language: Language) -> None:
    assert "TELEGRAM_BOT_TOKEN" in texts(language)("serve-nothing")
