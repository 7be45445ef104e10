"""A disk of one's own, another root, another file system."""

import ctypes
import os
import stat

from probing import outcome, tell

libc = ctypes.CDLL(None, use_errno=True)


def mount(source, target, kind, flags):
    if libc.mount(source, target, kind, flags, None):
        raise OSError(ctypes.get_errno(), "mount")


MS_REMOUNT, MS_BIND = 32, 4096
writes = {
    path: outcome(open, f"{path}/x", "w")
    for path in (
        "/",
        "/etc",
        "/opt",
        "/opt/guest",
        "/usr",
        "/usr/bin",
        "/dev",
        "/workspace",
        "/sys",
        "/proc/sys/kernel",
    )
}
tell(
    block=outcome(os.mknod, "/workspace/out/disk", stat.S_IFBLK | 0o666, os.makedev(8, 0)),
    character=outcome(os.mknod, "/tmp/memory", stat.S_IFCHR | 0o666, os.makedev(1, 1)),
    mount=outcome(mount, b"tmpfs", b"/tmp", b"tmpfs", 0),
    remount=outcome(mount, b"/", b"/", b"", MS_REMOUNT | MS_BIND),
    chroot=outcome(os.chroot, "/tmp"),
    writes=sorted(set(writes.values()) - {"EROFS", "EACCES", "ENOENT"}),
    devices=sorted(
        set(os.listdir("/dev"))
        & {"mem", "kmem", "kmsg", "port", "sda", "vda", "fuse", "kvm", "net", "loop-control"}
    ),
    terminals=[outcome(os.open, path, os.O_RDWR | os.O_NOCTTY) for path in ("/dev/ptmx", "/dev/pts/ptmx")],
    links=outcome(os.symlink, "/x", "/workspace/input/x"),
)
