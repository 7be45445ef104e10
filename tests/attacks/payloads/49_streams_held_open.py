"""The ends of the output streams, on their way in sockets that lie in each other, after everyone is dead."""

import array
import socket

one, two = socket.socketpair()
held = array.array("i", [1, 2, one.fileno(), two.fileno()])
one.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, held)])
print("sent")
