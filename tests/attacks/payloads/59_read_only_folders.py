"""Code and inputs are not the script's to change, whichever way it goes at them."""

import os
import shutil

from probing import denied, outcome, tell

results = {}
for folder in ("input", "code", "skills"):
    base = f"/workspace/{folder}"
    results[folder] = {
        outcome(open, f"{base}/x", "w"),
        outcome(os.mkdir, f"{base}/x"),
        outcome(os.rename, base, f"{base}2"),
        outcome(os.chmod, base, 0o777),
        outcome(open, f"/workspace/out/../{folder}/x", "w"),
        outcome(os.open, f"/proc/self/cwd/../{folder}/x", os.O_CREAT | os.O_WRONLY),
    }
results["script"] = {
    outcome(open, __file__, "a"), outcome(os.truncate, __file__, 0), outcome(os.unlink, __file__), outcome(os.chmod, __file__, 0o777),
    outcome(os.rename, __file__, "/workspace/code/y.py"), outcome(os.utime, __file__), outcome(os.link, __file__, "/workspace/code/z.py"),
}  # fmt: skip
status = os.stat(__file__)
tell(
    allowed=sorted(name for name, found in results.items() if "allowed" in found),
    reasons=sorted(set().union(*results.values()) - {"EROFS", "EACCES", "EPERM", "EXDEV", "EBUSY"}),
    mode=oct(status.st_mode & 0o7777),
    mine=status.st_uid == os.getuid(),
    moved=denied(shutil.move, "/workspace/out", "/workspace/out2"),
)
