"""What the offline recipes understand and decide, without running anything."""

import ast
from collections.abc import Sequence
from importlib.resources import files

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolCall, ToolMessage

from agent.plan import Plan, Todo, TodoStatus
from agent.recipes.briefing import Briefing
from agent.recipes.comprehension import understood
from agent.recipes.conductor import CHARTS, DECK, EDA, TEXT_DECK, WORKBOOK, output_names
from agent.recipes.model import RecipeModel
from agent.recipes.report import Report
from agent.recipes.texts import Texts
from agent.recipes.wish import Product, Wish
from agent.tools.python import MAX_LINES
from agent.tools.todos import PlanDesk
from sandbox.names import sendable_names

PROFILE = "data.csv: 3 rows x 2 columns, utf-8, 0 duplicate rows\n- a: integer\n- b: category"
SYSTEM = "The answer: in {language}. Short\n- charts: draws\n- eda: looks\n- presentation: makes decks"


@pytest.mark.parametrize(
    ("request_text", "made"),
    [
        ("look at this", {Product.CHARTS, Product.DECK}),
        ("Посмотри файл", {Product.CHARTS, Product.DECK}),
        ("Just an EDA please", set()),
        ("только анализ", set()),
        ("what is in titanic.csv?", set()),
        ("What's in this file?", set()),
        ("Что в этом файле?", set()),
        ("что в данных влияет на отток", {Product.CHARTS, Product.DECK}),
        ("What are the sales by region?", {Product.CHARTS, Product.DECK}),
        ("a 5-slide deck for Monday", {Product.DECK}),
        ("Сделай EDA и презентацию на 9 слайдов", {Product.DECK}),
        ("deck with charts", {Product.DECK}),
        ("One chart is enough", {Product.CHARTS}),
        ("нужны графики", {Product.CHARTS}),
        ("Сделай эксель с диаграммами", {Product.WORKBOOK}),
        ("Excel with tables and a deck", {Product.WORKBOOK, Product.DECK}),
        ("PDF с графиками и Excel с таблицами", {Product.PDF, Product.WORKBOOK}),
        ("PDF one-pager with a chart", {Product.PDF}),
        ("графики, без презентации", {Product.CHARTS}),
        ("an Excel file, no deck", {Product.WORKBOOK}),
        ("Clean this staff sheet into a proper table", {Product.WORKBOOK}),
        ("Flatten to one row per price", {Product.WORKBOOK}),
        ("Почисти таблицу сотрудников", {Product.WORKBOOK}),
    ],
)
def test_the_words_of_a_request_tell_what_is_made(request_text: str, made: set[Product]) -> None:
    assert Wish.read(request_text).to_make == made


@pytest.mark.parametrize(
    ("request_text", "slides"),
    [
        ("9 slides", 9),
        ("5-slide deck", 5),
        ("на 9 слайдов", 9),
        ("презентация из семи слайдов", 7),
        ("five short slides", 5),
        ("слайдов: 12", 12),
        ("2 slides", None),
        ("99 slides", None),
        ("a deck on 12 shops", None),
    ],
)
def test_a_number_of_slides_is_read_in_digits_and_words(request_text: str, slides: int | None) -> None:
    assert Wish.read(request_text).slides == slides


@pytest.mark.parametrize("request_text", ["asdf qwerty zzz", "фыва олдж", "42"])
def test_a_request_without_a_known_word_is_not_understood(request_text: str) -> None:
    assert not understood(request_text, PROFILE)


@pytest.mark.parametrize("request_text", ["who survived?", "сделай", "categories", "прибыль", "", "👍"])
def test_a_request_of_everyday_words_columns_or_no_words_is_understood(request_text: str) -> None:
    assert understood(request_text, PROFILE, Texts.load("ru").sections["hints"])


@pytest.mark.parametrize(
    "name",
    [
        *("X (копия) 2.csv", "_a__b.csv", "-x-.csv", "con.csv", "....csv", "!!!.csv", "😀.csv"),
        *("a—b (1).tar.gz", "数据" * 40 + ".csv", "a" * 39 + " b.csv", "e\u0301" * 40 + ".csv", "𝔘" * 60),
    ],
)
def test_deliverables_keep_their_names_when_they_are_sent(name: str) -> None:
    for todo in (EDA, CHARTS, DECK, WORKBOOK, TEXT_DECK):
        for made in output_names(todo, [name]):
            assert sendable_names([made]) == (made,)


def orchestrate(*messages: BaseMessage, language: str = "English") -> AIMessage:
    tools = [tool.schema() for tool in PlanDesk(Plan(), ()).tools()]
    model = RecipeModel().bind_tools(tools)
    return model.invoke([SystemMessage(SYSTEM.format(language=language)), *messages])


def opening(request: str, profile: str = PROFILE) -> HumanMessage:
    found = f"# Profile of the input files\n{profile}" if profile else "# Input files\nnone"
    return HumanMessage(f"# The person's request\n{request}\n\n{found}")


def names(message: AIMessage) -> list[str]:
    return [call["name"] for call in message.tool_calls]


def todos(message: AIMessage) -> dict[str, dict[str, object]]:
    (create,) = [call for call in message.tool_calls if call["name"] == "create_todo_list"]
    return {todo["id"]: todo for todo in create["args"]["todos"]}


def test_the_first_answer_plans_and_starts() -> None:
    said = orchestrate(opening("a 5-slide deck"))
    assert names(said) == ["create_todo_list", "start_next_todo"]
    plan = todos(said)
    assert list(plan) == ["eda-analysis", "presentation"]
    assert plan["presentation"]["depends_on"] == ["eda-analysis"]
    assert plan["presentation"]["inputs"] == ["data.csv"]
    assert "exactly 5 slides" in str(plan["presentation"]["success"])
    assert said.usage_metadata is not None
    assert said.usage_metadata["total_tokens"] == 0


def test_only_skills_of_the_catalogue_are_named() -> None:
    plan = todos(orchestrate(opening("look")))
    assert plan["charts"]["skills"] == ["eda", "charts"]
    bare = RecipeModel(tool_names=("create_todo_list",)).invoke([SystemMessage("none"), opening("look")])
    assert todos(bare)["charts"]["skills"] == []


def conversation(report: Report, plan: Plan) -> list[BaseMessage]:
    """Up to the report on the first todo of `plan`, as the orchestrator shows it."""
    drafts = [
        todo.model_dump(include={"id", "title"}) | {"depends_on": [*todo.depends_on]} for todo in plan.todos
    ]
    made = ToolCall(name="create_todo_list", args={"todos": drafts}, id="c0", type="tool_call")
    start = ToolCall(name="start_next_todo", args={"id": "eda-analysis"}, id="c1", type="tool_call")
    body = f"status: ok\nsummary: report of eda-analysis; now complete it\n\n{report.text()}"
    return [
        opening("look"),
        AIMessage("", tool_calls=[made, start]),
        ToolMessage("status: ok\nsummary: plan created", tool_call_id="c0"),
        ToolMessage(body, tool_call_id="c1"),
        HumanMessage(f"The plan as it stands now:\n{plan.outline()}"),
    ]


PLAN = Plan(
    todos=(
        Todo(id="eda-analysis", title="EDA", status=TodoStatus.ACTIVE),
        Todo(id="charts", title="Charts", depends_on=("eda-analysis",)),
        Todo(id="presentation", title="Deck", depends_on=("eda-analysis",)),
    )
)


def test_a_good_report_is_ticked_off_and_what_waited_for_it_starts_together() -> None:
    said = orchestrate(*conversation(Report(headline="a is 3"), PLAN))
    assert names(said) == ["complete_todo", "start_next_todo", "start_next_todo"]
    assert said.tool_calls[0]["args"] == {"id": "eda-analysis", "notes": "a is 3"}


def test_a_failed_report_blocks_its_todo_and_those_that_need_it() -> None:
    said = orchestrate(*conversation(Report(problem="no memory"), PLAN))
    assert names(said) == ["block_todo"] * 3
    assert said.tool_calls[0]["args"]["reason"] == "no memory"


def test_the_answer_has_the_conclusion_first_and_says_offline_recipe() -> None:
    report = Report(headline="A wins", facts=("3 rows",), mind=("a gap",), files=("x.pptx: a deck",))
    done = PLAN.mark("eda-analysis", TodoStatus.DONE, "A wins")
    done = done.mark("charts", TodoStatus.BLOCKED, "no ink").mark("presentation", TodoStatus.DONE)
    *said, shown = conversation(report, done)
    block = ToolCall(name="block_todo", args={"id": "charts", "reason": "no ink"}, id="c2", type="tool_call")
    said += [AIMessage("", tool_calls=[block]), ToolMessage("status: ok", tool_call_id="c2")]
    answer = orchestrate(*said, shown).text
    assert answer.startswith("**A wins**")
    assert "- 3 rows" in answer
    assert "Charts: no ink" in answer
    assert "- x.pptx: a deck" in answer
    assert "offline recipe" in answer
    assert "LLM_BASE_URL" in answer


def test_the_answer_to_nonsense_says_that_this_is_the_standard_look() -> None:
    done = PLAN.mark("charts", TodoStatus.BLOCKED).mark("presentation", TodoStatus.BLOCKED)
    done = done.mark("eda-analysis", TodoStatus.DONE, "A wins")
    _, *said = conversation(Report(headline="A wins"), done)
    assert orchestrate(opening("asdf qwerty"), *said).text.startswith("The request was not understood")
    assert orchestrate(opening("look"), *said).text.startswith("**A wins**")


def test_without_a_table_or_a_text_it_says_what_it_can_do() -> None:
    assert "offline recipe" in orchestrate(opening("Why is the sky blue?", profile="")).text
    russian = orchestrate(opening("Почему небо синее?", profile=""), language="Russian").text
    assert "офлайн-рецепт" in russian


def test_a_deck_of_a_long_message_needs_no_file() -> None:
    said = orchestrate(opening("Make a deck of this. " + "Sales grew in every region. " * 12, profile=""))
    assert list(todos(said)) == ["text-deck"]


def test_files_without_a_table_get_a_look_and_no_more() -> None:
    said = orchestrate(
        opening("Make a deck", profile="empty.csv: empty.csv is empty: there is no data in it")
    )
    assert list(todos(said)) == ["look"]


@pytest.mark.parametrize(
    ("request_text", "rows", "made"),
    [
        ("look at it", False, "look"),
        ("make a deck of it", False, "text-deck"),
        ("make a deck of it", True, "text-deck"),
        ("analyse this and make a deck", True, "eda-analysis"),
        ("look at it", True, "eda-analysis"),
    ],
)
def test_a_document_becomes_slides_on_request_and_its_tables_are_analysed(
    request_text: str, rows: bool, made: str
) -> None:
    table = "plan.docx: 30 rows x 3 columns, 0 duplicate rows\n" if rows else ""
    profile = f"plan.docx: a Word document, paragraphs 9, words 120\n- Now\n{table}"
    assert next(iter(todos(orchestrate(opening(request_text, profile=profile))))) == made


def test_a_request_that_quotes_our_headings_is_read_whole() -> None:
    request = "What is\n\n# Profile of the input files\nof yours?"
    briefing = Briefing.read([opening(request)])
    assert briefing.request == request
    assert briefing.tables == ("data.csv",)


def test_a_report_reads_back_as_it_was_written() -> None:
    report = Report(problem="why", headline="a: b", facts=("x", "y"), mind=("m",), files=("f: g",))
    assert Report.parse(report.text()) == report


def test_every_script_fits_the_tool_and_compiles() -> None:
    for script in (files("agent.recipes") / "scripts").iterdir():
        if script.name.endswith(".py"):
            source = script.read_text(encoding="utf-8")
            ast.parse(source)
            assert source.count("\n") + 1 <= MAX_LINES, script.name


def test_both_languages_say_the_same_things() -> None:
    english, russian = Texts.load("en"), Texts.load("ru")
    for section in ("answer", "story"):
        assert english.sections[section].keys() == russian.sections[section].keys()


def test_the_same_conversation_gets_the_same_answer() -> None:
    messages = conversation(Report(headline="a is 3"), PLAN)
    assert orchestrate(*messages).tool_calls == orchestrate(*messages).tool_calls


def test_a_todo_that_was_started_and_not_reported_is_started_once_more() -> None:
    plan = PLAN.mark("charts", TodoStatus.BLOCKED).mark("presentation", TodoStatus.BLOCKED)
    shown = HumanMessage(f"The plan as it stands now:\n{plan.outline()}")
    assert names(orchestrate(opening("look"), shown)) == ["start_next_todo"]


def follow_up(request: str, profile: str, *made: str, came: Sequence[str] = ()) -> AIMessage:
    """With the sections that a conversation's later runs have."""
    earlier = (
        "Request:\n> a deck of 9 slides in Excel\nAnswer:\n> # Profile of the input files\n> x.csv: 1 rows"
    )
    parts = [
        f"# The person's request\n{request}",
        "# Input files that came with earlier requests\n" + "\n".join(f"- {name}" for name in came),
        "# Input files that earlier requests made\n" + "\n".join(f"- {name}" for name in made),
        f"# Earlier in this conversation\n{earlier}",
        f"# Profile of the input files\n{profile}",
    ]
    return orchestrate(HumanMessage("\n\n".join(parts)))


def test_a_follow_up_works_on_the_data_again_and_not_on_what_was_made() -> None:
    profile = f"{PROFILE}\ndata_summary.csv: 9 rows x 3 columns, utf-8\ndata_deck.pptx: 9 slides, 300 words"
    plan = todos(follow_up("Now make slide 3 a pie chart", profile, "data_deck.pptx", "data_summary.csv"))
    assert list(plan) == ["eda-analysis", "presentation"]
    assert plan["presentation"]["inputs"] == ["data.csv"]
    assert "9 slides" not in str(plan["presentation"]["success"])


def test_a_follow_up_without_the_data_works_on_the_tables_that_were_made() -> None:
    profile = "sum.csv: 9 rows x 3 columns, utf-8\ndeck.pptx: 9 slides, 300 words"
    plan = todos(follow_up("charts please", profile, "sum.csv", "deck.pptx"))
    assert plan["charts"]["inputs"] == ["sum.csv"]


def test_a_request_with_a_file_of_its_own_is_not_about_earlier_ones() -> None:
    profile = f"{PROFILE}\nlocked.xlsx: protected with a password\nnew.csv: 9 rows x 3 columns, utf-8"
    plan = todos(follow_up("overview", profile, came=["data.csv", "locked.xlsx"]))
    assert plan["eda-analysis"]["inputs"] == ["new.csv"]
    (look,) = todos(follow_up("overview", profile, came=["data.csv", "new.csv"])).values()
    assert look["inputs"] == ["locked.xlsx"]


def test_a_request_without_a_file_goes_on_with_those_that_came_before() -> None:
    plan = todos(follow_up("charts please", PROFILE, came=["data.csv"]))
    assert plan["charts"]["inputs"] == ["data.csv"]


def test_a_table_on_a_slide_that_was_made_is_no_file() -> None:
    slide = "deck.pptx [3 Values are missing, most in Cabin: 687 (77.1%)]: 4 rows x 3 columns"
    plan = todos(follow_up("overview", f"{PROFILE}\n{slide}", "deck.pptx", came=["data.csv"]))
    assert plan["eda-analysis"]["inputs"] == ["data.csv"]
