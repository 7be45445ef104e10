"""All memory: in one go, by a child that dies for its parent, in pieces, or as one impossible array."""

import subprocess
import sys

BOMB = "b = []\nwhile True: b.append(bytearray(32 << 20))"


def grandchild():
    print(subprocess.run([sys.executable, "-c", BOMB]).returncode)


def failing():
    grandchild()
    sys.exit(1)


def array():
    import numpy

    numpy.ones((1 << 20, 1 << 22))


{"plain": lambda: exec(BOMB), "grandchild": grandchild, "failing": failing, "array": array}[sys.argv[1]]()
