import io
import os

import pytest
from rich.console import Console

from bot.chat import Message, MessageKind
from bot.screen import Screen, open_console


class FakeTerminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def plain() -> tuple[Screen, io.StringIO, io.StringIO]:
    out, notes = io.StringIO(), io.StringIO()
    return Screen(open_console(out), open_console(notes)), out, notes


def live() -> tuple[Screen, FakeTerminal]:
    stream = FakeTerminal()
    console = Console(file=stream, force_terminal=True, width=40, height=20, markup=False, highlight=False)
    return Screen(console, console), stream


def frame(text: str, kind: MessageKind = MessageKind.PROGRESS) -> Message:
    return Message(kind=kind, text=text, footer="0:01")


def test_without_a_terminal_each_line_of_progress_is_written_once_when_it_is_new() -> None:
    screen, out, notes = plain()
    screen.show("1", frame("○ look\n○ deck"))
    screen.show("1", frame("● look\n◐ deck"))
    screen.show("1", frame("● look\n● deck", MessageKind.SETTLED))
    assert notes.getvalue().splitlines() == ["○ look", "○ deck", "● look", "◐ deck", "● deck", "0:01"]
    assert out.getvalue() == ""


def test_the_answer_alone_goes_to_stdout() -> None:
    screen, out, notes = plain()
    screen.show("1", Message(kind=MessageKind.ANSWER, text="**42**"))
    screen.show("2", Message(kind=MessageKind.FAILURE, text="no"))
    assert (out.getvalue(), notes.getvalue()) == ("**42**\n", "no\n")


def test_what_a_terminal_would_obey_is_never_written() -> None:
    screen, out, _ = plain()
    screen.show("1", Message(kind=MessageKind.ANSWER, text="a\x1b[2Jb\x07\x9b31m\u202etxt.exe [red]x[/red]"))
    assert not [
        c for c in out.getvalue() if (ord(c) < 32 and c != "\n") or 0x7F <= ord(c) < 0xA0 or c == "\u202e"
    ]
    assert "[red]x[/red]" in out.getvalue()


def test_a_long_line_is_not_broken_in_a_file() -> None:
    screen, out, _ = plain()
    screen.say("x" * 500)
    assert out.getvalue() == "x" * 500 + "\n"


def test_colours_that_the_environment_forces_stay_out_of_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    screen, out, notes = plain()
    screen.show("1", frame("◐ look"))
    screen.say("hello")
    assert "\x1b" not in out.getvalue() + notes.getvalue()


def test_a_live_display_leaves_only_the_last_frame_behind() -> None:
    screen, stream = live()
    screen.show("1", frame("◐ look"))
    screen.show("1", frame("● look"))
    screen.show("1", frame("● look, all done", MessageKind.SETTLED))
    screen.close()
    assert stream.getvalue().rstrip().endswith("0:01\x1b[0m")
    assert "● look, all done" in stream.getvalue()


def test_a_live_frame_never_grows_beyond_the_width() -> None:
    screen, stream = live()
    screen.show("1", frame("◐ " + "wide " * 50))
    screen.close()
    drawn = [line for line in stream.getvalue().splitlines() if "wide" in line]
    assert drawn
    assert all(line.endswith("wi…") for line in drawn)


def test_control_characters_of_a_file_name_do_not_reach_a_live_display() -> None:
    screen, stream = live()
    screen.show("1", frame("◐ evil\x1b]0;title\x07"))
    screen.close()
    assert "\x1b]0;" not in stream.getvalue()


def test_a_prompt_stands_below_the_live_part_and_a_typed_line_stays_above_it() -> None:
    screen, stream = live()
    screen.ask()
    screen.show("1", frame("◐ look"))
    assert stream.getvalue().endswith("> ")
    screen.asked("/status")
    screen.say("Working")
    screen.ask()
    lines = stream.getvalue()
    screen.close()
    assert lines.index("> /status") < lines.index("Working") < lines.rindex("◐ look")
    assert lines.endswith("> ")


def test_a_pipe_without_a_reader_is_told_once_and_raises_nothing() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    gone: list[str] = []
    with open(writer, "w") as stream:  # noqa: PTH123 - a descriptor is no path
        screen = Screen(open_console(stream), open_console(stream))
        screen.on_closed = lambda: gone.append("gone")
        screen.say("one")
        screen.say("two")
        screen.show("1", frame("◐ look"))
    assert (screen.closed, gone) == (True, ["gone"])
