"""From what a script did to what an operator hears of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.alerts import THREATS, Alert, AlertCode
from sandbox.session import ExitStatus, FileEntry, SkippedFile
from sandbox.watchman import MAX_DETAIL, Sighting, Watchman, alerts_of


def _skipped(reason: str) -> tuple[SkippedFile, ...]:
    return (SkippedFile(path="a", reason=reason),)


def _file(path: str) -> tuple[FileEntry, ...]:
    return (FileEntry(path=path, size=1),)


@pytest.mark.parametrize(
    ("sighting", "code"),
    [
        (Sighting(observed=(("socket", "x"),)), AlertCode.SOCKET),
        (Sighting(observed=(("forbidden-command", "x"),)), AlertCode.FORBIDDEN_COMMAND),
        (Sighting(observed=(("unlisted-program", "x"),)), AlertCode.UNLISTED_PROGRAM),
        (Sighting(status=ExitStatus.ERROR, exit_code=159), AlertCode.SECCOMP_KILL),
        (Sighting(status=ExitStatus.OUT_OF_MEMORY), AlertCode.MEMORY_LIMIT),
        (Sighting(oom_kills=2), AlertCode.MEMORY_LIMIT),
        (Sighting(status=ExitStatus.TIMEOUT, timeouts=2), AlertCode.TIME_LIMIT),
        (Sighting(refused_forks=9), AlertCode.PROCESS_LIMIT),
        (Sighting(status=ExitStatus.OUTPUT_LIMIT), AlertCode.OUTPUT_LIMIT),
        (Sighting(status=ExitStatus.DISK_LIMIT, no_space=True), AlertCode.DISK_LIMIT),
        (Sighting(no_space=True), AlertCode.DISK_LIMIT),
        (Sighting(skipped=_skipped("too large together with the others")), AlertCode.DISK_LIMIT),
        (Sighting(skipped=_skipped("more than 2000 files")), AlertCode.DISK_LIMIT),
        (Sighting(skipped=_skipped("its name is not UTF-8")), AlertCode.FORGED_NAME),
        (Sighting(skipped=_skipped("its name has control characters")), AlertCode.FORGED_NAME),
        (Sighting(skipped=_skipped("not a regular file")), AlertCode.SPECIAL_FILE),
        *((Sighting(files=_file(path)), AlertCode.FORGED_NAME) for path in (
            "CON.txt", "a/nul", "COM1", "a\u202eb", "a\u200bb.csv", "a\uff0fb", "x\u3164", "end.", "end ",
            "e\u034f",
        )),
    ],
    ids=repr,
)  # fmt: skip
def test_each_cause_raises_one_alert(sighting: Sighting, code: AlertCode) -> None:
    assert [alert.code for alert in alerts_of(sighting)] == [code]


@pytest.mark.parametrize(
    "sighting",
    [
        Sighting(),
        Sighting(status=ExitStatus.ERROR, exit_code=1),
        Sighting(status=ExitStatus.KILLED, exit_code=137),
        Sighting(timeouts=3),
        Sighting(
            skipped=_skipped("an earlier output that does not fit into the sandbox: too large together")
        ),
        Sighting(files=_file("Отчёт за март (2).xlsx") + _file("a/b.tar.gz") + _file("конец.csv")),
    ],
    ids=repr,
)
def test_ordinary_work_raises_none(sighting: Sighting) -> None:
    assert alerts_of(sighting) == ()


def test_the_third_timeout_says_that_it_is_the_third() -> None:
    codes = [alert.code for alert in alerts_of(Sighting(status=ExitStatus.TIMEOUT, timeouts=3))]
    assert codes == [AlertCode.TIME_LIMIT, AlertCode.REPEATED_TIMEOUTS]


def test_88_a_watchman_raises_each_code_once() -> None:
    watchman = Watchman()
    first, other = Alert(code=AlertCode.SOCKET, detail="a"), Alert(code=AlertCode.DISK_LIMIT)
    assert watchman.news([first]) == (first,)
    assert watchman.news([Alert(code=AlertCode.SOCKET, detail="b"), other]) == (other,)
    assert watchman.news([first, other]) == ()


def test_every_code_has_the_number_of_its_threat() -> None:
    assert set(THREATS) == set(AlertCode)
    assert Alert(code=AlertCode.SOCKET).threat == 4


@given(st.text(max_size=300))
def test_88_a_detail_is_one_short_line_without_anything_unseen(text: str) -> None:
    [alert] = alerts_of(Sighting(observed=(("socket", text),)))
    assert len(alert.detail) <= MAX_DETAIL
    assert alert.detail.isprintable()
