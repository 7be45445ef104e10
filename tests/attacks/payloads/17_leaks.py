"""What a script learns of the host: no names of people, no name servers, nothing of the bot's environment."""

import os
import re
import socket

from probing import tell

with open("/proc/self/mountinfo") as file:
    mounts = [line.split() for line in file]
sources = [
    fields[3] for fields in mounts if fields[4].startswith("/workspace/") and fields[4] != "/workspace/out"
]
with open("/etc/resolv.conf") as file:
    words = [line.split() for line in file if not line.startswith("#")]
with open("/etc/hosts") as file:
    hosts = sorted({name for line in file if not line.startswith("#") for name in line.split()[1:]})
USUAL = {
    "PATH", "HOME", "LOGNAME", "LANG", "HOSTNAME", "MPLBACKEND", "MPLCONFIGDIR", "MATPLOTLIBRC", "LC_CTYPE", "TMPDIR",
    "PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED", "PYTHONSAFEPATH", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS", "POLARS_MAX_THREADS", "ARROW_IO_THREADS", "LOKY_MAX_CPU_COUNT",
    "JE_ARROW_MALLOC_CONF",
}  # fmt: skip
tell(
    folders=len(sources),
    random_names=all(re.search(r"/[0-9a-f]{32}/(input|code|skills)$", source) for source in sources),
    host_name=socket.gethostname(),
    name_servers=[
        value for key, value in filter(None, words) if key == "nameserver" and value != "127.0.0.1"
    ],
    searched=[value for key, value in filter(None, words) if key == "search" and value != "."],
    hosts=[name for name in hosts if name != "sandbox" and not name.startswith(("localhost", "ip6-"))],
    environment=sorted(set(os.environ) - USUAL),
)
