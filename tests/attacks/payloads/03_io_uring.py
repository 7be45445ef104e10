"""io_uring reaches the kernel around most filters of system calls."""

from probing import syscall, tell

tell(results=sorted({syscall(number, 0, 0, 0, 0, 0, 0) for number in (425, 426, 427)}))
