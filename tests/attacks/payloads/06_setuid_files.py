"""A program that runs as another user, or with capabilities of its own."""

import os

from probing import tell

setuid, capable, looked = [], [], 0
for folder, names, files in os.walk("/"):
    if folder == "/":
        names[:] = [name for name in names if name not in ("proc", "sys", "dev")]
    for name in files:
        path = os.path.join(folder, name)
        looked += 1
        if os.lstat(path).st_mode & 0o6000:
            setuid.append(path)
        if "security.capability" in os.listxattr(path, follow_symlinks=False):
            capable.append(path)
tell(setuid=setuid, capable=capable, looked=looked > 1000)
