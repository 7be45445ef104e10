"""The checker that runs in the guest, run here: what is fatal, what is advice, and what is neither."""

# ruff: noqa: E501  # scripts for the guest stand in strings

from pathlib import Path

import pytest

from sandbox.guest import checker
from sandbox.guest.capture import Capture
from sandbox.guest.loop import findings_of
from sandbox.guest.runner import Outcome


@pytest.fixture
def workspace(tmp_path: Path) -> str:
    for folder in ("input", "out", "code"):
        (tmp_path / folder).mkdir()
    (tmp_path / "input" / "sales.csv").write_text("a\n1\n")
    (tmp_path / "out" / "eda.csv").write_text("a\n1\n")
    (tmp_path / "code" / "helper.py").write_text("x = 1\n")
    return str(tmp_path)


FATAL = [
    ("print(x", 1, "'(' was never closed", "cut off"),
    ("x = 1\n\nreturn x\n\n\n\n", 3, "'return' outside function", "return x"),
    ("```python\nprint(1)\n```", 1, "invalid syntax", "without Markdown fences"),
    ("!pip install x\nprint()\nprint()\nprint()", 1, "invalid syntax", "nothing can be installed"),
    ("print 'a'\nprint()\nprint()\nprint()", 1, "Missing parentheses", "print is a function"),
    ("def f():\n    return total\nf()", 2, "undefined name 'total'", "define or import it"),
    ("import pandas\npd.read_csv('a')", 2, "undefined name 'pd'", "define or import it"),
    ("import pandsa", 1, "there is no module 'pandsa'", "did you mean pandas?"),
    ("from torch import nn", 1, "there is no module 'torch'", "numpy"),
    ("name = input('who? ')", 1, "input() has no one to ask", ""),
    ("import pandas as pd\npd.read_csv('/workspace/input/sale.csv')", 2, "no /workspace/input/sale.csv", "sales.csv"),
    ("open('/workspace/titanic.csv')", 1, "there is no /workspace/titanic.csv", "sales.csv"),
    ("open('/workspace/input/new.csv', 'w')", 1, "read-only", "/workspace/out"),
    ("import pandas as pd\npd.DataFrame().to_csv('/workspace/input/x.csv')", 2, "read-only", "/workspace/out"),
    ("import pandas as pd\npd.read_csv('https://example.org/a.csv')", 2, "needs a network", "/workspace/input"),
    ("import subprocess, sys\nsubprocess.check_call([sys.executable, '-m', 'pip', 'install', 'x'])", 2, "installed", ""),
    ("def main():\n    pass\nif __name__ == '__main__':\n    input()", 4, "no one to ask", ""),
    ("a\x00b", 0, "null bytes", ""),
]  # fmt: skip


@pytest.mark.parametrize(("source", "line", "message", "advice"), FATAL)
def test_what_would_fail_for_certain_is_fatal(
    source: str, line: int, message: str, advice: str, workspace: str
) -> None:
    first = checker.check(source, "script.py", workspace)[0]
    assert (first[0], first[3]) == (line, True)
    assert message in str(first[1])
    assert advice in str(first[2])


ADVICE = [
    ("import matplotlib.pyplot as plt\nplt.show()", "shows nothing", "savefig"),
    ("import socket", "needs a network", ""),
    ("import urllib.request\nurllib.request.urlopen('x')", "needs a network", ""),
    ("path = '/mnt/data/x.csv'", "path of another machine", "/workspace/input"),
    ("path = r'C:\\Users\\x.csv'", "path of another machine", ""),
    ("import pandas as pd\npd.read_csv('sales.csv')", "in another folder", "/workspace/input/sales.csv"),
    ("import os\nos.system('pip install x')", "nothing can be installed", ""),
    ("try:\n    import torch\nexcept ImportError:\n    torch = None", "no module 'torch'", ""),
    ("def ask():\n    return input()", "no one to ask", ""),
    ("from contextlib import suppress\nwith suppress(OSError):\n    open('/workspace/input/none')", "there is no", ""),
    ("'{} {}'.format(1)", "missing argument", ""),
    ("if (1, 2):\n    pass", "tuple", ""),
]  # fmt: skip


@pytest.mark.parametrize(("source", "message", "advice"), ADVICE)
def test_what_may_fail_is_advice(source: str, message: str, advice: str, workspace: str) -> None:
    found = [
        finding for finding in checker.check(source, "script.py", workspace) if message in str(finding[1])
    ]
    assert found
    assert not any(finding[3] for finding in found)
    assert advice in str(found[0][2])


FINE = [
    "",
    "import os, sys\nunused = 1",
    "import pandas as pd\ndf = pd.read_csv('/workspace/input/sales.csv')\ndf.to_csv('/workspace/out/x.csv')",
    "import pandas as pd\npd.DataFrame().to_csv('new.csv')\npd.read_csv('new.csv')\npd.read_csv('eda.csv')",
    "import helper\nprint(helper.x)",
    "from math import *\nprint(pi)",
    "def input(x):\n    return x\n",
    "print('see https://example.org or a/b')",
    "x = '\\d'",
    "import json\nwith open('/tmp/x.json', 'w') as f:\n    json.dump({}, f)",
    "import os\nfor folder in ('out', 'input'):\n    pass\nos.open('/workspace/out', os.O_RDONLY)",
    "import os\nos.open('/workspace/input', os.O_RDONLY)\nos.open('/workspace/input/none', os.O_RDONLY)",
    "import pandas as pd\npd.read_parquet('/workspace/out')\npd.read_parquet('/workspace/input/')",
    "import glob\nprint(glob.glob('/workspace/input/*.csv'))",
    "import os\nos.makedirs('/workspace/input', exist_ok=True)",
    "from pathlib import Path\nPath('seen.txt').write_text('/workspace/input/sales.csv')",
    "import json, sys\njson.dump('/workspace/input/sales.csv', sys.stdout)",
]


@pytest.mark.parametrize("source", FINE)
def test_what_is_fine_is_not_mentioned(source: str, workspace: str) -> None:
    assert checker.check(source, "script.py", workspace) == []


def test_a_script_that_hides_a_module_is_told_so(workspace: str) -> None:
    [finding] = checker.check("", "random.py", workspace)
    assert finding[3] is False
    assert "random.py" in str(finding[1])


def test_findings_are_few_and_short(workspace: str) -> None:
    source = "\n".join(f"{'x' * 5000}{n}" for n in range(100))
    findings = checker.check(source, "script.py", workspace)
    assert len(findings) == 30
    assert max(len(str(part)) for finding in findings for part in finding) <= 600


@pytest.mark.parametrize(
    ("oom_kills", "killed_for", "fatal"), [(0, "", True), (1, "", False), (0, "timeout", False)]
)
def test_a_check_that_the_sandbox_could_not_afford_says_nothing_against_the_source(
    oom_kills: int, killed_for: str, fatal: bool
) -> None:
    outcome = Outcome(Capture(100), Capture(100), exit_code=137, oom_kills=oom_kills, killed_for=killed_for)
    [finding] = findings_of(outcome)
    assert finding[3] is fatal
    outcome.exit_code = 0
    outcome.stdout.feed(b"[]")
    assert findings_of(outcome) == []
