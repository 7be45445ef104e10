from agent.outputs import MAX_DELIVERED, choose
from agent.plan import Plan, Todo

PLAN = Plan(todos=(Todo(id="a", title="a", outputs=("clean.csv",)),))


def delivered(names: list[str], answer: str = "", plan: Plan = PLAN) -> list[str]:
    return [
        output.path for output in choose([(name, 1) for name in names], plan, answer) if output.deliverable
    ]


def test_documents_come_first_and_working_files_stay_back() -> None:
    assert delivered(["a.json", "chart.png", "deck.pptx", "book.xlsx"]) == ["deck.pptx", "book.xlsx"]


def test_what_the_answer_names_is_delivered_too() -> None:
    assert delivered(["chart.png", "b.png", "deck.pptx"], "See deck.pptx and chart.png") == [
        "deck.pptx",
        "chart.png",
    ]


def test_a_working_file_stays_back_even_when_the_answer_names_it() -> None:
    assert delivered(["figures.json", "deck.pptx"], "Files: deck.pptx, figures.json") == ["deck.pptx"]
    assert delivered(["figures.json"], "Files: figures.json") == ["figures.json"]


def test_without_documents_a_promised_file_is_delivered() -> None:
    assert delivered(["clean.csv", "notes.json"]) == ["clean.csv"]


def test_without_any_promise_the_best_there_is_is_delivered() -> None:
    assert delivered(["sort.py", "chart.png", "x.bin"], plan=Plan()) == ["chart.png", "sort.py"]


def test_nobody_is_buried_in_files() -> None:
    names = [f"{number}.pptx" for number in range(50)]
    assert len(delivered(names)) == MAX_DELIVERED
    assert len(choose([(name, 1) for name in names], Plan(), "")) == 50


def test_what_is_withheld_is_kept_but_not_sent() -> None:
    outputs = choose([("a.xlsx", 1), ("b.xlsx", 1)], PLAN, "see a.xlsx", withheld={"a.xlsx"})
    assert [(output.path, output.deliverable) for output in outputs] == [("b.xlsx", True), ("a.xlsx", False)]
