import contextlib
import json
import time

import pytest
from pydantic import ValidationError

from agent.tools.drafts import TodoList, as_todos

OBJECTS = [
    {"id": "eda", "title": "Explore", "skills": ["eda"], "outputs": ["out/a.csv"]},
    {"id": "deck", "title": "Deck", "depends_on": ["eda"]},
]


@pytest.mark.parametrize(
    "sent",
    [
        OBJECTS,
        json.dumps(OBJECTS),
        f"```json\n{json.dumps(OBJECTS)}\n```",
        json.dumps({"todos": OBJECTS}),
        [json.dumps(OBJECTS[0]), json.dumps(OBJECTS[1])],
        "- eda: Explore\n  skills: eda\n  outputs: a.csv\n- deck: Deck\n  depends on: eda",
        "1. [ ] eda: Explore\n   skills: [eda]\n   outputs: a.csv\n2. [ ] deck: Deck\n   depends_on: eda",
    ],
)
def test_a_list_is_understood_however_it_was_sent(sent: object) -> None:
    eda, deck = as_todos(TodoList.model_validate({"todos": sent}).todos)
    assert (eda.id, eda.title, eda.skills, eda.outputs) == ("eda", "Explore", ("eda",), ("a.csv",))
    assert (deck.id, deck.depends_on) == ("deck", ("eda",))


def test_plain_strings_become_todos_with_ids_of_their_own() -> None:
    todos = as_todos(
        TodoList.model_validate(
            {"todos": ["Explore the data", "Построить графики", "Explore the data"]}
        ).todos
    )
    assert [todo.id for todo in todos] == ["explore-the-data", "построить-графики", "explore-the-data-2"]


def test_lists_inside_a_todo_may_be_words_between_commas() -> None:
    (draft,) = TodoList.model_validate(
        {"todos": [{"title": "x", "inputs": "a.csv, b.csv", "skills": None}]}
    ).todos
    assert draft.inputs == ("a.csv", "b.csv")
    assert draft.skills == ()


@pytest.mark.parametrize("sent", ["just some words", "{", []])
def test_what_cannot_be_understood_is_refused_with_what_to_send(sent: object) -> None:
    with pytest.raises(ValidationError) as refused:
        TodoList.model_validate({"todos": sent})
    assert sent == [] or "must be a JSON list such as" in str(refused.value)


@pytest.mark.parametrize(
    "sent", ["[" * 100_000, "-" + " " * 200_000 + "x", ["{" * 100_000], "- a: b\n" * 30_000]
)
def test_a_hostile_list_is_refused_or_cut_at_once(sent: object) -> None:
    began = time.process_time()
    with contextlib.suppress(ValidationError):
        as_todos(TodoList.model_validate({"todos": sent}).todos)
    assert time.process_time() - began < 2.0


def test_what_a_todo_says_is_bounded_and_of_one_line() -> None:
    draft = {"title": "x\ny" * 100_000, "success": "y" * 10**6, "outputs": ["z" * 10**5] * 100, "skills": []}
    (todo,) = as_todos(TodoList.model_validate({"todos": [draft]}).todos)
    assert len(todo.model_dump_json()) < 60_000
    assert "\n" not in todo.title
