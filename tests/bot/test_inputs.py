from dataclasses import replace

from bot.inputs import MAX_MADE, Past, carry_over, newest_files
from storage.records import ArtifactId, InputRef
from tests.bot.test_report import RUN


def file(name: str, size: int = 1, version: int = 1) -> InputRef:
    return InputRef(name=name, original=name, artifact_id=ArtifactId(f"{name}{version}"), size=size)


def run(*inputs: InputRef, made: tuple[InputRef, ...] = ()) -> Past:
    return Past(replace(RUN, inputs=inputs), made)


def names(items: tuple[InputRef, ...]) -> list[str]:
    return [item.name for item in items]


def test_of_two_files_with_one_name_the_newest_counts() -> None:
    assert newest_files([run(file("a", version=2)), run(file("a"), file("b"))]) == (
        file("a", version=2),
        file("b"),
    )


def test_the_newest_files_come_along_until_there_are_too_many() -> None:
    history = [run(file("c"), file("b"), file("a"))]
    found = carry_over(history, [file("d")], files=3, size=100)
    assert (names(found.carried), names(found.left_out)) == (["c", "b"], ["a"])


def test_a_file_that_is_too_big_stays_behind_and_a_smaller_one_comes_along() -> None:
    history = [run(file("big", 90), file("small", 5))]
    found = carry_over(history, [file("d", 20)], files=20, size=100)
    assert (names(found.carried), names(found.left_out)) == (["small"], ["big"])


def test_what_was_left_out_before_is_no_news() -> None:
    history = [run(file("b")), run(file("b"), file("a", 200))]
    found = carry_over(history, [], files=20, size=100)
    assert (names(found.carried), names(found.left_out)) == (["b"], [])


def test_a_file_that_is_replaced_takes_no_room() -> None:
    history = [run(file("a", 90), file("b", 5))]
    found = carry_over(history, [file("a", 90, 2)], files=2, size=100)
    assert (names(found.carried), names(found.left_out)) == (["b"], [])


def test_nothing_comes_along_beside_more_than_there_is_room_for() -> None:
    found = carry_over([run(file("a"))], [file("b", 500)], files=20, size=100)
    assert (names(found.carried), names(found.left_out)) == ([], ["a"])


def made(name: str, size: int = 1, version: int = 1) -> InputRef:
    return replace(file(name, size, version), made=True)


def test_what_a_run_made_comes_along_and_of_two_versions_the_latest() -> None:
    history = [
        run(file("data.csv"), made("deck.pptx"), made=(made("deck.pptx", version=2),)),
        run(file("data.csv"), made=(made("deck.pptx"), made("charts/pie.png"))),
    ]
    found = carry_over(history, [], files=20, size=100)
    assert names(found.carried) == ["data.csv", "deck.pptx", "pie.png"]
    assert all(item.earlier for item in found.carried)
    assert [item.artifact_id for item in found.carried if item.made] == ["deck.pptx2", "charts/pie.png1"]
    assert found.left_out == ()


def test_what_a_run_made_never_takes_the_name_of_what_a_person_sent() -> None:
    history = [run(file("data.csv"), made=(made("data.csv"), made("new.csv")))]
    found = carry_over(history, [file("new.csv")], files=20, size=100)
    assert [(item.name, item.original, item.made) for item in found.carried] == [
        ("data.csv", "data.csv", False),
        ("new_2.csv", "new.csv", True),
        ("data_2.csv", "data.csv", True),
    ]


def test_many_charts_crowd_out_neither_the_data_nor_the_deck_that_was_made_last() -> None:
    charts = tuple(made(f"{number}.png") for number in range(30))
    found = carry_over([run(file("data.csv"), made=(*charts, made("deck.pptx")))], [], files=20, size=100)
    assert names(found.carried)[:2] == ["data.csv", "deck.pptx"]
    assert len(found.carried) == 1 + MAX_MADE
