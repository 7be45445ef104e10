"""The floor: PID 1 of a container that has its libraries loaded and forks once for each script.

It knows nothing of limits, time, stray processes or files, and shares no code with the product's supervisor.
A line of JSON with the source comes in, a line with exit code and output goes out.
"""

# A guest of few lines, over libraries whose types are far wider than what is used here.
# pyright: reportAttributeAccessIssue=false, reportOptionalMemberAccess=false, reportArgumentType=false

import gc
import io
import json
import os
import sys
import traceback

import matplotlib.pyplot as plt
import pandas as pd
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches


def use_once() -> None:
    """First use of a library is slow; without this the floor would lie higher."""
    table = pd.read_csv(io.StringIO("a,b\n1,x\n2,y\n"))
    table.describe().to_string()
    figure, axes = plt.subplots(1, 2)
    table["a"].plot.hist(ax=axes[0], title="t")
    table.groupby("b")["a"].mean().plot.bar(ax=axes[1])
    figure.tight_layout()
    figure.savefig(io.BytesIO())
    plt.close("all")
    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = "t"
    data = CategoryChartData()
    data.categories = ["a"]
    data.add_series("s", (1,))
    slide.shapes.add_chart(XL_CHART_TYPE.LINE, Inches(1), Inches(1), Inches(2), Inches(2), data)
    deck.save(io.BytesIO())


def run(source: str) -> tuple[int, str]:
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.dup2(writer, 1)
        os.dup2(writer, 2)
        code = 0
        try:
            exec(compile(source, "script.py", "exec"), {"__name__": "__main__"})  # noqa: S102  # its purpose
        except BaseException:
            traceback.print_exc()
            code = 1
        sys.stdout.flush()
        os._exit(code)
    os.close(writer)
    with open(reader, encoding="utf-8") as output:  # noqa: PTH123  # a descriptor
        text = output.read()
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), text


def main() -> None:
    use_once()
    gc.freeze()
    answers = os.fdopen(os.dup(1), "w")
    os.chdir("/workspace/out")
    answers.write('{"code": 0, "output": "ready"}\n')
    answers.flush()
    for line in sys.stdin:
        code, output = run(json.loads(line)["source"])
        answers.write(json.dumps({"code": code, "output": output}) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
