"""What the service refuses, each with the code that clients decide by.

SandboxError
└── Refused   a request that is answered with a code and no result
"""

from sandbox.errors import NoSuchFile, NoSuchScript, PolicyError, SandboxError, UnsafeName
from sandbox.service.wire import ErrorCode, Problem

STATUS = {
    ErrorCode.MALFORMED: 400,
    ErrorCode.UNAUTHORIZED: 401,
    ErrorCode.NO_SUCH_ROUTE: 404,
    ErrorCode.NO_SUCH_SESSION: 404,
    ErrorCode.NO_SUCH_POLICY: 404,
    ErrorCode.NO_SUCH_SCRIPT: 404,
    ErrorCode.NO_SUCH_FILE: 404,
    ErrorCode.TOO_SLOW: 408,
    ErrorCode.WRONG_STATE: 409,
    ErrorCode.TOO_LARGE: 413,
    ErrorCode.INVALID: 422,
    ErrorCode.UNSAFE_NAME: 422,
    ErrorCode.TOO_MANY_SESSIONS: 429,
    ErrorCode.INTERNAL: 500,
    ErrorCode.SANDBOX_UNAVAILABLE: 503,
}
_MAX_MESSAGE = 1000


class Refused(SandboxError):
    """A request that is answered with a code and no result."""

    def __init__(self, code: ErrorCode, message: str) -> None:
        super().__init__(message)
        self.code = code


def problem_of(error: SandboxError) -> Problem:
    match error:
        case Refused(code=code):
            pass
        case UnsafeName():
            code = ErrorCode.UNSAFE_NAME
        case NoSuchScript():
            code = ErrorCode.NO_SUCH_SCRIPT
        case NoSuchFile():
            code = ErrorCode.NO_SUCH_FILE
        case PolicyError():
            code = ErrorCode.NO_SUCH_POLICY
        case _:
            code = ErrorCode.SANDBOX_UNAVAILABLE
    message = str(error).encode("utf-8", "replace").decode()
    return Problem(code=code, message=message[:_MAX_MESSAGE])
