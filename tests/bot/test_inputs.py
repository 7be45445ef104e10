from dataclasses import replace

from bot.inputs import Past, carry_over, newest_files
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
