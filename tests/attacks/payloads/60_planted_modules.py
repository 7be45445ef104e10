"""Modules and settings that a later script, or an interpreter that it starts, might load. As `after`: has it?"""

import builtins
import os
import subprocess
import sys

from probing import tell

NAMES = (
    "matplotlibrc",
    "sitecustomize.py",
    "usercustomize.py",
    "json.py",
    "tabulate.py",
    "x.pth",
    "pyvenv.cfg",
    ".pythonrc.py",
)
if sys.argv[1] == "plant":
    import pandas

    pandas.EVIL = builtins.EVIL = 1
    sys.path.insert(0, "/workspace/out")
    os.makedirs("/tmp/.local/lib/python3.11/site-packages", exist_ok=True)
    for folder in ("/workspace/out", "/tmp", "/tmp/mpl", "/tmp/.local/lib/python3.11/site-packages"):
        for name in NAMES:
            with open(f"{folder}/{name}", "w") as file:
                file.write("raise SystemExit(99)" if name.endswith(".py") else "figure.dpi: 7")
    os.environ["EVIL"] = "1"
else:
    import matplotlib
    import pandas
    import tabulate

    code = "import json, matplotlib; print(matplotlib.rcParams['figure.dpi'])"
    inner = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd="/tmp")
    tell(
        planted=[
            hasattr(pandas, "EVIL"),
            hasattr(builtins, "EVIL"),
            "EVIL" in os.environ,
            "/workspace/out" in sys.path,
        ],
        niceness=os.nice(0),
        resolution=[matplotlib.rcParams["figure.dpi"], float(inner.stdout or 0)],
        table=tabulate.__file__.startswith("/opt/venv/"),
    )
