"""noexec stops files, not memory: native code runs, with no more rights than the script had."""

import os
import shutil
import subprocess
import sys

from probing import outcome, tell

binary = os.path.realpath(sys.executable)
direct, loaded = set(), set()
loader = next(
    path for path in ("/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1") if os.path.exists(path)
)
for folder in ("/workspace/out", "/tmp", "/dev/shm"):
    path = f"{folder}/program"
    shutil.copyfile(binary, path)
    os.chmod(path, 0o755)
    direct.add(outcome(subprocess.run, [path, "-c", ""]))
    loaded.add(subprocess.run([loader, path, "-c", ""], capture_output=True).returncode != 0)
    os.unlink(path)
memory = os.memfd_create("program")
with open(binary, "rb") as file:
    os.sendfile(memory, file.fileno(), 0, os.fstat(file.fileno()).st_size)
show = "print(*[l.split()[1] for l in open('/proc/self/status') if l.startswith(('CapEff', 'NoNewPrivs', 'Seccomp:'))])"
try:
    ran = subprocess.run(
        [f"/proc/self/fd/{memory}", "-I", "-S", "-c", show],
        pass_fds=[memory], capture_output=True, text=True, env={"PYTHONHOME": sys.base_prefix},
    )  # fmt: skip
    rights = ran.stdout.split() or ["none"]
except OSError:
    rights = ["none"]
tell(
    direct=sorted(direct),
    refused_by_loader=sorted(loaded),
    no_more_rights=rights in (["none"], ["0" * 16, "1", "2"]),
)
