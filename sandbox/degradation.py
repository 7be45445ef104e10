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
    LIMITS = "limits"
    """A script may write core files, open more files, lock more memory or use message queues."""
    FILES = "files"
    """out/, /tmp or /dev/shm has not the size, the number of files or the mount options asked for."""
    MOUNTS = "mounts"
    """A mount is writable or visible that should not be."""
    NETWORK = "network"
    """An interface beside the loopback one, or a name server or a name of the host."""
    PROGRAMS = "programs"
    """A program that the policy denies or does not allow can be executed, or a file runs as another user."""
    USER_NAMESPACE = "user-namespace"
    """The engine does not map the container's users to others of the host."""


NEVER_ACCEPTED = frozenset({Degradation.USER_NAMESPACE})
"""Whoever sets `user_namespace: true` asks for a refusal where it cannot be had."""
