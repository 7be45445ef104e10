"""What blocks or surprises a reader: pipes, sockets and devices with the names of reports."""

import os
import socket
import stat

from probing import outcome, tell

os.mkfifo("pipe.csv")
socket.socket(socket.AF_UNIX).bind("socket.csv")
try:
    os.mknod("white.csv", stat.S_IFCHR, 0)  # a whiteout, which newer kernels let anyone make
except OSError:
    os.mkfifo("white.csv")
tell(
    device=outcome(os.mknod, "disk.csv", stat.S_IFBLK | 0o666, os.makedev(8, 0)),
    null=outcome(os.mknod, "null.csv", stat.S_IFCHR | 0o666, os.makedev(1, 3)),
)
