"""Two sandboxes of one host: `meet` waits for what the other one, `call`, offers by every way there is."""

import os
import socket
import sys
import time

from probing import tell

NAME = "\0deckhand-meeting"
FILES = ("/dev/shm/meeting", "/tmp/meeting", "/workspace/out/meeting")
if sys.argv[1] == "call":
    offered = socket.socket(socket.AF_UNIX)
    offered.bind(NAME)
    offered.listen()
    for path in FILES:
        open(path, "w").close()
    print("calling", flush=True)
    time.sleep(999)
reached = [path for path in FILES if os.path.exists(path)]
with socket.socket(socket.AF_UNIX) as one:
    try:
        one.connect(NAME)
        reached.append("socket")
    except ConnectionRefusedError:
        pass
tell(
    reached=reached,
    processes=len([name for name in os.listdir("/proc") if name.isdigit()]),
    sockets=open("/proc/net/unix").read().count("@"),
)
