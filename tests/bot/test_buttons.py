import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.buttons import MAX_DATA, Action, Buttons, Pressed, read_key
from bot.chat import ChatRef
from storage.records import new_run_id
from tests.bot.fakes import HERE

BUTTONS = Buttons(b"k" * 32)


@pytest.mark.parametrize("action", Action)
def test_a_button_fits_and_says_again_what_it_was_made_for(action: Action) -> None:
    run = new_run_id()
    button = BUTTONS.button(HERE, "Do it", action, run, "report")
    assert len(button.data.encode("ascii")) <= MAX_DATA
    assert BUTTONS.verify(HERE, button.data) == Pressed(action, run, "report")


def test_86_a_button_is_void_in_another_conversation_and_under_another_key() -> None:
    data = BUTTONS.button(HERE, "x", Action.CANCEL, "r1").data
    for chat in (ChatRef("fake", "8"), ChatRef("fake", "7", "1"), ChatRef("other", "7")):
        assert BUTTONS.verify(chat, data) is None
    assert Buttons(b"j" * 32).verify(HERE, data) is None


def test_86_no_part_of_it_can_be_changed() -> None:
    data = BUTTONS.button(HERE, "x", Action.ANSWER, "r1", "0").data
    for forged in (
        data.replace("answer", "cancel"),
        data.replace("r1", "r2"),
        data.replace(".0.", ".1."),
        data[:-1],
        data + "A",
        data.replace(".r1.0.", ".r1.0..") or data,
    ):
        assert BUTTONS.verify(HERE, forged) is None


@given(st.text())
def test_anything_can_be_sent_as_a_press_and_means_nothing(data: str) -> None:
    assert BUTTONS.verify(HERE, data) is None
    assert BUTTONS.verify(HERE, f"cancel.r1..{data}") is None


def test_what_does_not_fit_is_a_mistake_of_ours() -> None:
    for subject in ("r" * 60, "a.b"):
        with pytest.raises(ValueError, match="a button cannot carry"):
            BUTTONS.button(HERE, "x", Action.CANCEL, subject)


def test_the_key_is_made_once_and_for_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "data" / "secret"
    key = read_key(path)
    assert len(key) == 32
    assert read_key(path) == key
    assert path.stat().st_mode & 0o777 == 0o600
    assert os.listdir(path.parent) == ["secret"]  # noqa: PTH208 - names are what is compared
