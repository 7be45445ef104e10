"""What was checked is told in a few lines that nobody can bend by what stands in a file."""

import pytest

from agent.events import ResultsVerified, to_record
from agent.verification import GateFinding, Rerun, UntracedNumber, Verification
from bot.delivery.verified import LINES, in_full, summary, under_answer, verification_of
from bot.texts import Language, Texts, texts
from storage.records import EventRecord, RunId, utc_now

EN, RU = texts(Language.ENGLISH), texts(Language.RUSSIAN)
FINE = Verification(numerals=46, traced=46, rerun=Rerun.IDENTICAL)


def number(text: str, place: str = "slide 4, title", file: str = "deck.pptx") -> UntracedNumber:
    return UntracedNumber(file=file, place=place, text=text)


def finding(check: int = 4, code: str = "x", file: str = "deck.pptx", place: str = "slide 2") -> GateFinding:
    return GateFinding(check=check, code=code, file=file, place=place, detail="", blocking=True)


def test_when_all_is_well_it_is_one_line() -> None:
    assert under_answer(FINE, EN) == "46 of 46 numbers traced · re-run identical"
    assert under_answer(FINE, RU) == "Прослежено чисел: 46 из 46 · повторный прогон совпал"


@pytest.mark.parametrize(
    "found",
    [None, Verification(numerals=0, traced=0), Verification(numerals=0, traced=0, rerun=Rerun.IDENTICAL)],
)
def test_where_there_was_nothing_to_check_nothing_is_said(found: Verification | None) -> None:
    assert under_answer(found, EN) == ""
    assert in_full(found, EN) == ""


def test_what_is_left_is_named_with_its_place() -> None:
    found = Verification(
        numerals=46,
        traced=44,
        untraced=(
            number("38.5%"),
            UntracedNumber(file="", place="", text="12", asserted=True),
        ),
        findings=(finding(4), finding(99, "never_heard_of", place="")),
        rerun=Rerun.DIFFERENT,
        differences=("revenue: 1.30 became 1.31",),
    )
    assert under_answer(found, EN).splitlines() == [
        "44 of 46 numbers traced · re-run differs",
        "",
        "- Not traced: 38.5% (slide 4, title), 12 (answer; stated with a source, not computed)",
        "- When run again: revenue: 1.30 became 1.31",
        "- slide 2: a text may not fit its box",
        "- deck.pptx: something is not as it should be",
    ]


def test_however_much_there_is_it_takes_six_lines_and_says_where_the_rest_is() -> None:
    found = Verification(
        numerals=90,
        traced=10,
        untraced=tuple(number(str(n)) for n in range(30)),
        findings=tuple(finding(n) for n in range(1, 17)),
        rerun=Rerun.FAILED,
        differences=tuple(f"fact {n}" for n in range(9)),
    )
    lines = [line for line in under_answer(found, EN).splitlines() if line]
    assert len(lines) == LINES
    assert lines[0] == "10 of 90 numbers traced · re-run failed"
    assert lines[-1] == "- … and 47 more: /why"
    whole = in_full(found, EN)
    assert all(f"{n} (slide 4, title)" in whole for n in range(25))
    assert "fact 8" in whole
    assert whole.count("slide 2: ") == 16


def test_several_files_are_told_apart_and_one_is_not_named_again_and_again() -> None:
    untraced = (number("1"), number("2", "page 1", "report.pdf"))
    found = Verification(numerals=3, traced=1, untraced=untraced)
    assert "1 (deck.pptx, slide 4, title), 2 (report.pdf, page 1)" in under_answer(found, EN)


def test_a_place_is_told_in_the_language_of_the_answer() -> None:
    untraced = (number("1"), number("2", "sheet page, cell B3", "book.xlsx"))
    found = Verification(numerals=3, traced=1, untraced=untraced)
    assert "1 (deck.pptx, слайд 4, заголовок), 2 (book.xlsx, лист page, ячейка B3)" in under_answer(found, RU)


def test_words_of_a_file_neither_act_nor_pass_for_markup() -> None:
    nasty = number("`1`**2**", "[here](https://evil.example) /delete @boss\n# head | a", "a_b.pptx")
    found = Verification(
        numerals=2, traced=1, untraced=(nasty,), rerun=Rerun.DIFFERENT, differences=("```x",)
    )
    text = under_answer(found, EN)
    assert not set("`*|#") & set(text)
    assert "https://" not in text
    assert "/delete" not in text
    assert "@boss" not in text
    assert len(text.splitlines()) == 4


def test_it_is_read_from_the_events_and_what_cannot_be_read_is_no_fault() -> None:
    run_id = RunId("r1")

    def event(seq: int, payload: dict[str, object]) -> EventRecord:
        return EventRecord(run_id=run_id, seq=seq, at=utc_now(), kind="ResultsVerified", payload=payload)

    told = [
        event(n, to_record(ResultsVerified(run_id=run_id, verification=found)))
        for n, found in enumerate((Verification(numerals=1, traced=0, untraced=(number("1"),)), FINE))
    ]
    assert verification_of(told) == FINE
    assert verification_of(told[:1]) == Verification(numerals=1, traced=0, untraced=(number("1"),))
    assert verification_of([]) is None
    assert verification_of([*told, event(3, {"verification": {"numerals": "many"}})]) is None


@pytest.mark.parametrize("t", [EN, RU])
def test_each_end_of_a_re_run_has_its_words(t: Texts) -> None:
    told = {summary(Verification(numerals=1, traced=1, rerun=rerun), t) for rerun in Rerun}
    assert len(told) == len(Rerun)
