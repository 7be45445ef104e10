"""System calls that widen what the kernel offers; as `foreign`, those of another processor's table."""

import ctypes
import mmap
import os
import signal
import sys

from probing import in_child, outcome, syscall, tell

NUMBERS = {
    "ptrace": 101, "syslog": 103, "uselib": 134, "personality": 135, "modify_ldt": 154, "pivot_root": 155,
    "adjtimex": 159, "chroot": 161, "sync": 162, "acct": 163, "settimeofday": 164, "mount": 165, "umount2": 166,
    "swapon": 167, "swapoff": 168, "reboot": 169, "sethostname": 170, "iopl": 172, "ioperm": 173,
    "init_module": 175, "delete_module": 176, "quotactl": 179, "shmget": 29, "semget": 64, "msgget": 68,
    "lookup_dcookie": 212, "mbind": 237, "mq_open": 240, "kexec_load": 246, "add_key": 248, "request_key": 249,
    "keyctl": 250, "ioprio_set": 251, "migrate_pages": 256, "unshare": 272, "vmsplice": 278, "move_pages": 279,
    "perf_event_open": 298, "fanotify_init": 300, "name_to_handle_at": 303, "open_by_handle_at": 304,
    "clock_adjtime": 305, "syncfs": 306, "setns": 308, "process_vm_readv": 310, "process_vm_writev": 311,
    "kcmp": 312, "finit_module": 313, "kexec_file_load": 320, "bpf": 321, "userfaultfd": 323,
    "pidfd_send_signal": 424, "open_tree": 428, "move_mount": 429, "fsopen": 430, "fsconfig": 431, "fsmount": 432,
    "fspick": 433, "pidfd_getfd": 438, "process_madvise": 440, "mount_setattr": 442, "quotactl_fd": 443,
    "memfd_secret": 447, "process_mrelease": 448, "cachestat": 451, "statmount": 457, "listmount": 458,
    "lsm_set_self_attr": 460, "mseal": 462,
}  # fmt: skip
CLONE, CLONE3 = 56, 435
X32 = 0x40000000


def i386():
    # mov eax, 20 (getpid); int 0x80; ret
    code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    code.write(b"\xb8\x14\x00\x00\x00\xcd\x80\xc3")
    ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))()


if sys.argv[1] == "foreign":
    raise SystemExit(syscall(X32 | 39))
results = {name: syscall(number, 0, 0, 0, 0, 0, 0) for name, number in NUMBERS.items()}
namespaces = [1 << bit for bit in (17, 25, 26, 27, 28, 29, 30)]
tell(
    other={name: result for name, result in results.items() if result not in ("EPERM", "ENOSYS")},
    clone3=syscall(CLONE3, 0, 0),
    namespaces=sorted({syscall(CLONE, flag | 17, 0, 0, 0, 0) for flag in namespaces}),
    # The latter where the kernel has no such table.
    i386=in_child(i386) in (-signal.SIGSYS, -signal.SIGSEGV),
    priority=outcome(os.setpriority, os.PRIO_PROCESS, 1, 19),
    affinity=outcome(os.sched_setaffinity, 1, {0}),
)
