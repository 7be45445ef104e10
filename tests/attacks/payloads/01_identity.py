"""Is any of the process's ids root, shared or able to gain a right?"""

import os

from probing import tell

with open("/proc/self/status") as file:
    status = dict(line.rstrip().split(":\t", 1) for line in file if ":\t" in line)
ids = {*os.getresuid(), *os.getresgid(), *os.getgroups()}
tell(
    ids=len(ids),
    root=0 in ids,
    capabilities=sorted(
        {status[name].strip("0") for name in ("CapEff", "CapPrm", "CapInh", "CapBnd", "CapAmb")}
    ),
    no_new_privileges=status["NoNewPrivs"],
    seccomp=status["Seccomp"],
)
