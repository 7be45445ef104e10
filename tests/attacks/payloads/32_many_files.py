"""As many files as out/ takes, and as large together as it is: all reach the host, few are for the person."""

for n in range(1200):
    with open(f"part{n:04d}.csv", "wb") as file:
        file.write(b"x" * 1000)
