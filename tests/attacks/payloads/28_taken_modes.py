"""Files and folders whose owner has taken away the right to read and to remove them."""

import os

os.makedirs("folder/inner")
with open("folder/inner/file", "w") as file:
    file.write("x")
for path in ("folder/inner/file", "folder/inner", "folder", "/workspace/out"):
    os.chmod(path, 0)
