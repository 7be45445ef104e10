"""Files of /proc and /sys that tell of the machine, or act on it."""

import os

from probing import outcome, tell

FILES = (
    "/proc/kcore", "/proc/keys", "/proc/timer_list", "/proc/timer_stats", "/proc/sched_debug", "/proc/config.gz",
    "/proc/diskstats", "/proc/interrupts", "/proc/latency_stats", "/proc/kmsg", "/proc/kallsyms", "/proc/slabinfo",
    "/proc/vmallocinfo", "/proc/pagetypeinfo", "/proc/kpagecount", "/proc/kpageflags", "/proc/vmcore",
)  # fmt: skip
FOLDERS = (
    "/proc/scsi",
    "/proc/acpi",
    "/proc/asound",
    "/sys/firmware",
    "/dev/mqueue",
    "/dev/pts",
    "/sys/devices/virtual/powercap",
)


def content(path):
    try:
        with open(path, "rb") as file:
            data = file.read(4096)
    except OSError:
        return False
    if path == "/proc/kallsyms":  # readable by all, with every address as zero
        return any(line.split()[0].strip(b"0") for line in data.splitlines()[:-1])
    return bool(data)


def entries(path):
    try:
        return bool(os.listdir(path))
    except OSError:
        return False


tell(
    telling=[path for path in FILES if content(path)] + [path for path in FOLDERS if entries(path)],
    model=os.path.exists("/sys/devices/virtual/dmi/id/product_uuid")
    and outcome(open, "/sys/devices/virtual/dmi/id/product_uuid"),
)
