"""The table of endings."""

import pytest
from aiodocker.exceptions import DockerError

from sandbox.errors import ImageMissing, SandboxUnavailable
from sandbox.failure import Ending, KilledFor, classify, engine_error
from sandbox.session import ExitStatus


@pytest.mark.parametrize(
    ("ending", "status"),
    [
        (Ending(exit_code=0), ExitStatus.OK),
        (Ending(exit_code=1), ExitStatus.ERROR),
        (Ending(exit_code=139), ExitStatus.ERROR),
        (Ending(exit_code=137), ExitStatus.KILLED),
        (Ending(exit_code=137, killed_for=KilledFor.TIMEOUT), ExitStatus.TIMEOUT),
        (Ending(exit_code=137, killed_for=KilledFor.OUTPUT), ExitStatus.OUTPUT_LIMIT),
        (Ending(exit_code=137, oom_kills=1), ExitStatus.OUT_OF_MEMORY),
        (Ending(exit_code=1, oom_kills=1), ExitStatus.OUT_OF_MEMORY),
        (Ending(exit_code=0, oom_kills=1), ExitStatus.OK),
        (Ending(exit_code=1, no_memory=True), ExitStatus.OUT_OF_MEMORY),
        (Ending(exit_code=137, oom_kills=1, killed_for=KilledFor.TIMEOUT), ExitStatus.TIMEOUT),
        (Ending(exit_code=1, no_space=True), ExitStatus.DISK_LIMIT),
        (Ending(exit_code=0, no_space=True), ExitStatus.OK),
        (Ending(exit_code=137, oom_kills=1, no_space=True), ExitStatus.OUT_OF_MEMORY),
        (Ending(exit_code=152), ExitStatus.TIMEOUT),
        (Ending(exit_code=153), ExitStatus.DISK_LIMIT),
    ],
)
def test_an_ending_has_one_status(ending: Ending, status: ExitStatus) -> None:
    assert classify(ending) is status


@pytest.mark.parametrize(
    ("error", "kind", "text"),
    [
        (TimeoutError(), SandboxUnavailable, "did not answer in time while testing"),
        (
            DockerError(900, "Cannot connect"),
            SandboxUnavailable,
            "no Docker engine answers (testing): Cannot connect",
        ),
        (
            DockerError(404, "No such image"),
            ImageMissing,
            "the sandbox image box:1 is missing: run `make image`",
        ),
        (
            DockerError(500, "no space left on device"),
            SandboxUnavailable,
            "refused testing: no space left on device",
        ),
        (ConnectionResetError(), SandboxUnavailable, "failed while testing: ConnectionResetError"),
    ],
)
def test_an_engine_error_says_what_failed(error: Exception, kind: type[Exception], text: str) -> None:
    made = engine_error(error, "testing", image="box:1")
    assert type(made) is kind
    assert text in str(made)
