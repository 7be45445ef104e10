"""A socket of every family, also with numbers that the kernel cuts to 32 bits and a filter might not."""

import os
import socket

from probing import outcome, syscall, tell

SOCKET, SOCKETPAIR = 41, 53
CUT = 1 << 32
others = {
    syscall(SOCKET, family, kind, 0)
    for family in (0, *range(2, 47), CUT | socket.AF_INET, CUT | socket.AF_UNIX, CUT | socket.AF_VSOCK)
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET)
}


def connect(address):
    with socket.socket(socket.AF_UNIX) as one:
        one.connect(address)


def resolve():
    try:
        socket.getaddrinfo("example.org", 443)
    except socket.gaierror:
        return "no answer"
    return "an answer"


with open("/proc/net/dev") as file:
    interfaces = sorted(line.split(":")[0].strip() for line in file if ":" in line)
tell(
    others=sorted(others),
    pairs=sorted({syscall(SOCKETPAIR, family, socket.SOCK_STREAM, 0, 0) for family in (2, 10, 16, 40)}),
    unix=outcome(socket.socket, socket.AF_UNIX),
    python=outcome(socket.socket, socket.AF_INET),
    engine=sorted(
        {outcome(connect, path) for path in ("/var/run/docker.sock", "/run/containerd/containerd.sock")}
    ),
    abstract=outcome(connect, "\0/containerd-shim/any.sock"),
    names=resolve(),
    interfaces=interfaces,
    devices=sorted(name for name in os.listdir("/dev") if name in ("vsock", "net", "vhost-vsock", "kvm")),
)
