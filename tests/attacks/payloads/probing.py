"""What the payloads share: an attempt as a word, a raw system call, and facts as the last line of stdout."""

import ctypes
import errno
import json
import os

_LIBC = ctypes.CDLL(None, use_errno=True)


def outcome(work, *arguments):
    """`allowed`, or the name of the error that stopped it."""
    try:
        result = work(*arguments)
    except OSError as error:
        return errno.errorcode.get(error.errno, str(error.errno))
    if hasattr(result, "close"):
        result.close()
    return "allowed"


def denied(work, *arguments):
    """True, or what happened instead. Which of the errors it is depends on which barrier is the first."""
    result = outcome(work, *arguments)
    return result in ("EPERM", "EACCES", "EROFS", "ENOENT", "EBUSY", "EXDEV") or result


def syscall(number, *arguments):
    """`allowed` or the name of the error of a system call by its number on this processor (x86-64)."""
    ctypes.set_errno(0)
    value = _LIBC.syscall(ctypes.c_long(number), *[ctypes.c_ulong(argument) for argument in arguments])
    return "allowed" if value >= 0 else errno.errorcode.get(ctypes.get_errno(), str(ctypes.get_errno()))


def in_child(work):
    """The exit code of a forked child that did `work`; minus N when signal N ended it."""
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            work()
            code = 0
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def tell(**facts):
    print(json.dumps(facts), flush=True)
