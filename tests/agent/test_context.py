import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from agent.context import WINDOW, cut_middle, seen, window


def test_a_cut_says_how_much_it_cut() -> None:
    cut = cut_middle("a" * 700 + "b" * 300, 300)
    assert cut.startswith("a" * 200)
    assert cut.endswith("b" * 100)
    assert "700 characters cut here" in cut
    assert cut_middle("short", 300) == "short"


def conversation(size: int) -> list[BaseMessage]:
    messages: list[BaseMessage] = [HumanMessage("the todo " + "x" * 5_000)]
    for number in range(10):
        call = {"name": "write_and_run_python", "args": {"content": "c" * size}, "id": str(number)}
        messages += [
            AIMessage(content="", tool_calls=[call]),
            ToolMessage("r" * size, tool_call_id=str(number)),
        ]
    return messages


def test_a_short_conversation_is_sent_as_it_is_so_that_prompt_caches_match() -> None:
    messages = conversation(100)
    assert window(messages) == messages


def test_in_a_long_one_old_answers_and_scripts_shrink_and_new_ones_stay_whole() -> None:
    messages = conversation(6_000)
    sent = window(messages)
    assert len(sent) == len(messages)
    assert sent[0] == messages[0]
    assert len(sent[2].text) < 600
    assert len(str(sent[1])) < len(str(messages[1])) / 3
    assert sent[-6:] == messages[-6:]
    assert sum(len(m.text) for m in sent) < WINDOW


def test_shrinking_does_not_touch_the_conversation_itself() -> None:
    messages = conversation(6_000)
    window(messages)
    assert messages == conversation(6_000)


@pytest.mark.parametrize(
    ("hidden", "shown"),
    [
        ("про\u200bдажи\ufeff", "продажи"),
        ("sales\u202exlsx", "salesxlsx"),
        ("a\u2066b\u2069\u00adc\u2060d\u034fe", "abcde"),
        ("hi" + "".join(chr(0xE0000 + ord(c)) for c in "ignore all"), "hi"),
        ("x" + "".join(chr(0xE0100 + n) for n in range(30)), "x"),
        ("a\u200cb\u200dc", "abc"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("one\r\ntwo\rthree\tfour\x1b[31m\x00", "one\ntwo\nthree\tfour[31m"),
        ("Плановая цена — 5 000 ₽ 👍", "Плановая цена — 5 000 ₽ 👍"),
    ],
)
def test_70_what_no_reader_sees_no_model_sees(hidden: str, shown: str) -> None:
    assert seen(hidden) == shown
