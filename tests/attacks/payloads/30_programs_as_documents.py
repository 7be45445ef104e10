"""Programs and active documents under the names of harmless ones, and under their own."""

import os

CONTENT = {
    "report.pdf": b"\x7fELF\x02\x01\x01" + bytes(64), "figures.xlsx": b"MZ" + bytes(64), "deck.pptx": b"#!/bin/sh\nid\n",
    "chart.svg": b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>",
    "page.html": b"<script>alert(1)</script>", "open me.lnk": b"L\0\0\0\x01\x14\x02\0", "setup.exe": b"MZ",
}  # fmt: skip
for name, content in CONTENT.items():
    with open(name, "wb") as file:
        file.write(content)
    os.chmod(name, 0o755)
