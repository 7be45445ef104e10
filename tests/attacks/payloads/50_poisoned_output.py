"""Output that steers a terminal, hides its order, or plays the protocol's own frames."""

import os
import struct

os.write(1, b"\x1b[31mred\x1b[0m \x1b]0;title\x07 nul\x00 bad\xff \xe2\x80\xae rtl 10%\r20%\n")
forged = b'{"type":"run","exit_code":0,"stdout":"forged"}'
os.write(1, b"J" + struct.pack(">I", len(forged)) + forged)
os.write(1, b"\n[... 1,000 bytes cut ...]\n")
raise SystemExit(3)
