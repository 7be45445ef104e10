from dataclasses import replace
from itertools import count
from math import inf

from hypothesis import given
from hypothesis import strategies as st

from bot.chat import Attachment, Incoming, MessageRef
from bot.intake.assembly import Draft, Part, Patience, replay
from storage.mail import InboxId
from tests.bot.fakes import ANN, HERE

PATIENCE = Patience(files=1.2, text=0.7, most=10.0)


def part(
    number: int, at: float, text: str = "", *files: str, batch: str = "", reply: str | None = None
) -> Part:
    said = Incoming(
        chat=HERE,
        sender=ANN,
        text=text,
        attachments=tuple(Attachment(name=name, handle=name) for name in files),
        message=MessageRef(HERE, str(number)),
        batch=batch,
    )
    return Part(id=InboxId(number), said=said, at=at, reply=reply)


def draft(*parts: Part) -> Draft:
    made = Draft()
    for item in parts:
        made = made.add(item)
    return made


def album(size: int) -> list[Part]:
    return [
        part(9 + number, number / 100, "what is it?" if number == 3 else "", f"{number}.png", batch="album")
        for number in range(size)
    ]


@given(st.permutations(album(10)))
def test_an_album_of_ten_is_one_request_in_the_order_of_sending_however_it_arrives(parts: list[Part]) -> None:
    arrived = [replace(item, at=at / 10) for at, item in enumerate(parts)]
    (made,) = replay(arrived, PATIENCE)
    request = made.request()
    assert [file.name for file in request.attachments] == [f"{number}.png" for number in range(10)]
    assert request.text == "what is it?"
    assert request.message == MessageRef(HERE, "12")


@given(
    st.lists(
        st.tuples(st.sampled_from(["", "a", "b", "deck, please"]), st.booleans()), min_size=1, max_size=12
    ),
    st.data(),
)
def test_no_file_and_no_word_is_lost_or_doubled_by_the_order_of_arrival(
    said: list[tuple[str, bool]], data: st.DataObject
) -> None:
    parts = [
        part(number, 0.0, text, *([f"{number}.csv"] if has_file or not text else []))
        for number, (text, has_file) in enumerate(said, start=1)
    ]
    shuffled = data.draw(st.permutations(parts))
    made = draft(*shuffled)
    request = made.request()
    assert request == draft(*parts).request() or not request.text
    assert sorted(file.name for file in request.attachments) == sorted(
        file.name for item in parts for file in item.said.attachments
    )
    assert (
        request.text.split("\n") == list(dict.fromkeys(text for text, _ in said if text)) or not request.text
    )
    assert sorted(made.ids) == [item.id for item in parts]


@given(st.lists(st.floats(min_value=0, max_value=3), min_size=1, max_size=8), st.data())
def test_what_arrives_is_always_part_of_exactly_one_request(gaps: list[float], data: st.DataObject) -> None:
    at, parts = 0.0, list[Part]()
    for number, gap in zip(count(1), gaps, strict=False):
        at += gap
        text = data.draw(st.sampled_from(["", "words"]))
        parts.append(part(number, at, text, *([] if text else ["a.csv"])))
    drafts = replay(parts, PATIENCE)
    assert [item for made in drafts for item in made.ids] == [item.id for item in parts]
    assert all(made.request().text for made in drafts[:-1])


def test_more_is_waited_for_after_files_than_after_words_and_never_for_ever() -> None:
    assert draft(part(1, 5.0, "hello")).due(PATIENCE) == 5.7
    assert draft(part(1, 5.0, "", "a.csv")).due(PATIENCE) == 6.2
    assert draft(part(1, 5.0, "", "a.csv"), part(2, 5.1, "look")).due(PATIENCE) == 6.2
    slow = draft(*(part(number, float(number), "", "a.csv") for number in range(1, 15)))
    assert slow.due(PATIENCE) == 11.0


def test_loose_files_and_words_right_before_or_after_them_are_one_request() -> None:
    before = replay([part(1, 0.0, "compare"), part(2, 0.5, "", "a.csv"), part(3, 1.5, "", "b.csv")], PATIENCE)
    after = replay([part(1, 0.0, "", "a.csv"), part(2, 1.0, "", "b.csv"), part(3, 2.1, "compare")], PATIENCE)
    for (made,) in (before, after):
        assert made.request().text == "compare"
        assert [file.name for file in made.request().attachments] == ["a.csv", "b.csv"]


def test_two_captions_are_joined_and_one_that_is_repeated_counts_once() -> None:
    made = draft(part(1, 0, "sales", "a.csv"), part(2, 0, "costs", "b.csv"), part(3, 0, "sales", "c.csv"))
    assert made.request().text == "sales\ncosts"


def test_same_named_files_all_come_along() -> None:
    made = draft(part(1, 0, "look", "a.csv"), part(2, 0, "", "a.csv"))
    assert [file.name for file in made.request().attachments] == ["a.csv", "a.csv"]


def test_two_requests_with_a_pause_between_are_two() -> None:
    first, second = replay([part(1, 0.0, "one"), part(2, 2.0, "two")], PATIENCE)
    assert (first.request().text, second.request().text) == ("one", "two")


def test_files_without_words_wait_and_the_next_words_take_them_along() -> None:
    (made,) = replay(
        [part(1, 0.0, "", "a.csv"), part(2, 500.0, "", "b.csv"), part(3, 900.0, "look")], PATIENCE
    )
    assert made.held == 2
    assert [file.name for file in made.request().attachments] == ["a.csv", "b.csv"]
    (waiting,) = replay([part(1, 0.0, "", "a.csv")], PATIENCE)
    assert waiting.hold().due(PATIENCE) == inf
    assert waiting.hold().add(part(2, 50.0, "", "b.csv")).due(PATIENCE) == 51.2


def test_what_one_receipt_acknowledges_belongs_together_whatever_the_clock_said() -> None:
    (made,) = replay([part(1, 0.0, "one", reply="5"), part(2, 9.0, "two", reply="5")], PATIENCE)
    assert made.request().text == "one\ntwo"


def test_an_edit_counts_for_its_message_and_goes_into_the_request() -> None:
    made = draft(part(1, 0, "sales", "a.csv"), part(2, 0, "costs", "b.csv"))
    assert made.reworded("7", "x") is None
    changed = made.reworded("2", "prices", InboxId(3))
    assert changed is not None
    assert (changed.request().text, changed.ids) == ("sales\nprices", (1, 2, 3))
