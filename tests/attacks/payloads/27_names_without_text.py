"""Names and output that are no UTF-8: as text they have lone surrogates, which no database and no chat takes."""

import os

for name in (b"bad\xff.csv", b"\xed\xa0\x80.csv", b"cut\xf0\x9f\x98", b"good.csv"):
    with open(name, "w") as file:
        file.write("x")
os.write(1, b"bad\xff and \xed\xa0\x80 and \xf0\x9f\x98")
os.write(2, "\udc80".encode("utf-8", "surrogatepass"))
