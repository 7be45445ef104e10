"""The head and the tail of what a script printed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.guest.capture import Capture


@given(st.lists(st.binary(max_size=50), max_size=20), st.integers(2, 40))
def test_head_and_tail_are_kept_however_the_bytes_come(parts: list[bytes], limit: int) -> None:
    capture = Capture(limit)
    for part in parts:
        capture.feed(part)
    whole = b"".join(parts)
    kept = capture.content()
    assert capture.total == len(whole)
    assert capture.dropped == max(0, len(whole) - limit) == len(whole) - len(kept)
    if capture.dropped:
        assert kept == whole[: limit - limit // 2] + whole[len(whole) - limit // 2 :]
    else:
        assert kept == whole
    assert ("bytes cut" in capture.text()) == (capture.dropped > 0)


def test_a_cut_is_marked_with_its_size() -> None:
    capture = Capture(10)
    capture.feed(b"abcdefghijklmnopqrstuvwxyz")
    assert capture.text() == "abcde\n[... 16 bytes cut ...]\nvwxyz"


@pytest.mark.parametrize("shift", range(4))
def test_a_cut_leaves_no_broken_character(shift: int) -> None:
    capture = Capture(16)
    capture.feed(b"x" * shift + "жй語😀".encode() * 20)
    text = capture.text()
    assert "\ufffd" not in text
    assert "bytes cut" in text


def test_memory_stays_bounded() -> None:
    capture = Capture(1000)
    for _ in range(1000):
        capture.feed(b"x" * 10_000)
    assert len(capture.content()) == 1000
    assert capture.dropped == 10_000_000 - 1000
