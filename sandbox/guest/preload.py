"""Imports and warms, once, what most scripts need, so that a fork has it for nothing.

Never polars (its import starts threads) and nothing that uses OpenMP: children of a parent that used
them hang.
"""

# os throughout, as for descriptors

import io
import os
import shutil
from contextlib import suppress
from importlib import import_module

_MODULES = (
    "numpy",
    "pandas",
    "matplotlib.pyplot",
    "openpyxl",
    "pptx",
    "pptx.chart.data",
    "pptx.enum.chart",
    "pptx.enum.shapes",
    "pptx.enum.text",
    "pptx.util",
    "pyflakes.checker",
    "PIL.Image",
    "PIL.ImageFont",
)
_FONT_CACHE = "/opt/mplcache"
MPL_FOLDER = "/tmp/mpl"


def seed_matplotlib() -> None:
    """Copy the baked font cache to where matplotlib may write. Anew for each script: it is quicker than to
    tell whether one has tampered with it."""
    with suppress(FileNotFoundError):
        shutil.copytree(_FONT_CACHE, MPL_FOLDER, dirs_exist_ok=True, copy_function=shutil.copyfile)
    os.makedirs(MPL_FOLDER, exist_ok=True)


def load() -> None:
    os.environ["JE_ARROW_MALLOC_CONF"] = (
        "background_thread:false"  # pandas imports Arrow, and a fork wants one thread
    )
    for name in _MODULES:
        import_module(name)
    # A printed figure is read by a person or a model: 3.5, not np.float64(3.5).
    import_module("numpy").set_printoptions(legacy="1.25")
    _warm_tables_and_charts()
    _warm_decks()


def _warm_tables_and_charts() -> None:
    pandas = import_module("pandas")
    pyplot = import_module("matplotlib.pyplot")
    table = pandas.read_csv(io.StringIO("a,b,c\n1,2.5,x\n2,3.5,y\n"))
    table.describe(include="all").to_string()
    table.groupby("c")["a"].mean()
    table.to_csv(io.StringIO())
    figure, axes = pyplot.subplots(1, 2)
    table["a"].plot.hist(ax=axes[0], title="t")
    table.groupby("c")["a"].mean().plot.bar(ax=axes[1])
    axes[0].plot([1, 2], label="q")
    axes[0].legend()
    figure.tight_layout()
    figure.savefig(io.BytesIO(), format="png")
    pyplot.close("all")


def _warm_decks() -> None:
    pptx = import_module("pptx")
    data = import_module("pptx.chart.data").CategoryChartData()
    inches = import_module("pptx.util").Inches
    kind = import_module("pptx.enum.chart").XL_CHART_TYPE.COLUMN_CLUSTERED
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = "t"
    data.categories = ["a"]
    data.add_series("s", (1,))
    slide.shapes.add_chart(kind, inches(1), inches(1), inches(2), inches(2), data)
    deck.save(io.BytesIO())
