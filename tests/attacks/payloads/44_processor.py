"""More processors than one, and longer than allowed."""

import os
import resource
import sys

if sys.argv[1] == "self":
    resource.setrlimit(resource.RLIMIT_CPU, (1, 5))
for _ in range(3):
    if sys.argv[1] == "many" and os.fork() == 0:
        break
while True:
    pass
