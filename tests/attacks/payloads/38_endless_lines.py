"""Text that has one line, or a million columns, or says it is another encoding than it is."""

with open("one_line.csv", "wb") as file:
    for _ in range(100):
        file.write(b"x" * (1 << 20))
with open("columns.csv", "w") as file:
    file.write(",".join(map(str, range(10**6))) + "\n")
with open("marked.csv", "wb") as file:
    file.write(b"\xff\xfe" + b"\xd8\xd8" * (1 << 20))
