import pytest

from agent.plan import Plan, Todo, TodoStatus

EDA = Todo(
    id="eda",
    title="Explore data.csv",
    skills=("eda",),
    inputs=("data.csv",),
    success="figures",
    outputs=("a.csv",),
)
DECK = Todo(id="deck", title="Make the deck", depends_on=("eda",))


def test_a_todo_is_ready_only_when_all_it_depends_on_is_done() -> None:
    plan = Plan(todos=(EDA, DECK))
    assert plan.ready == (EDA,)
    assert [todo.id for todo in plan.mark("eda", TodoStatus.DONE).ready] == ["deck"]
    assert plan.mark("eda", TodoStatus.BLOCKED).ready == ()


def test_a_change_leaves_the_old_plan_as_it_was() -> None:
    plan = Plan(todos=(EDA,))
    plan.mark("eda", TodoStatus.DONE, "12 columns")
    assert plan.todos[0].status is TodoStatus.PENDING


def test_a_revision_keeps_what_is_done_and_drops_what_was_open() -> None:
    plan = Plan(todos=(EDA, DECK)).mark("eda", TodoStatus.DONE)
    revised = plan.revise([Todo(id="report", title="A report instead")])
    assert [(todo.id, todo.status) for todo in revised.todos] == [
        ("eda", TodoStatus.DONE),
        ("report", TodoStatus.PENDING),
    ]


def test_a_blocked_todo_stays_in_sight_unless_it_is_drafted_again() -> None:
    plan = Plan(todos=(EDA, DECK)).mark("eda", TodoStatus.BLOCKED, "no file")
    assert [todo.id for todo in plan.revise([Todo(id="deck", title="x")]).todos] == ["eda", "deck"]
    assert plan.revise([EDA]).todos == (EDA,)


@pytest.mark.parametrize(
    ("todos", "problem"),
    [
        ((), "no todos"),
        ((EDA, EDA), "used twice"),
        ((DECK,), "not in the plan"),
        (
            (Todo(id="a", title="a", depends_on=("b",)), Todo(id="b", title="b", depends_on=("a",))),
            "wait for each other",
        ),
    ],
)
def test_a_plan_that_cannot_be_carried_out_says_why(todos: tuple[Todo, ...], problem: str) -> None:
    assert problem in " ".join(Plan(todos=todos).problems())


def test_the_markdown_shows_marks_the_active_todo_and_its_details() -> None:
    plan = Plan(todos=(EDA, DECK)).mark("eda", TodoStatus.ACTIVE)
    assert plan.to_markdown() == (
        "# Plan\n"
        "- [>] eda: Explore data.csv **(active)**\n"
        "  skills: eda\n"
        "  inputs: data.csv\n"
        "  success: figures\n"
        "  outputs: a.csv\n"
        "- [ ] deck: Make the deck\n"
        "  depends on: eda\n"
    )
    assert plan.outline() == ("# Plan\n- [>] eda: Explore data.csv **(active)**\n- [ ] deck: Make the deck\n")
