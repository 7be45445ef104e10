"""Promises of a policy that a host may be unable to keep."""

from enum import StrEnum


class Degradation(StrEnum):
    """A promise that is not kept. A policy's `allow_degraded` lists those that an operator accepts."""

    LANDLOCK = "landlock"
    """No Landlock of version 3: only the mounts and seccomp confine writes and programs."""
    STATUS = "status"
    """The kernel interface does not report uid, capabilities, no_new_privs or seccomp as asked for."""
    SYSCALLS = "syscalls"
    """A system call or a socket family that our profile refuses was not refused."""
    MEMORY = "memory"
    SWAP = "swap"
    """Swap is not limited together with memory."""
    PIDS = "pids"
    CPU = "cpu"
    FILES = "files"
    """out/, /tmp or /dev/shm has not the size, the number of files or the mount options asked for."""
    MOUNTS = "mounts"
    """A mount is writable or visible that should not be."""
    NETWORK = "network"
    """An interface beside the loopback one."""
    PROGRAMS = "programs"
    """A program that the policy denies can be executed."""
