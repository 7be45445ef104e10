"""Names that deceive a reader, a terminal or a chat. None is harmful as bytes; few are delivered."""

NAMES = (
    "rtl\u202etxt.exe", "esc\x1b[2J.csv", "line\nbreak.csv", "zero\u200bwidth.csv", "tag\U000e0041.csv",
    "<!channel>.csv", "-rf", "CON.txt", "trailing. ", "a:b", "full\uff0fwidth.csv", "e\u0301.csv", "\u00e9.csv",
    "blank\u3164.csv", "n" * 255, "\u044b" * 127, "ok \u0444\u044b.csv",
)  # fmt: skip
for name in NAMES:
    with open(name, "w") as file:
        file.write("x")
