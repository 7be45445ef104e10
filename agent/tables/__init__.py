"""Tables of an answer as files: the scripts that draw them and write the workbook, run in a sandbox only."""

from importlib.resources import files

MAIN = "table_files"
"""The script that is run; it reads `INPUT` and imports the others."""
INPUT = "tables.json"
PICTURE = "table_{number}.png"
"""What it leaves in out/ for each table, from 1, and…"""
WORKBOOK = "tables.xlsx"
"""…for all of them."""
_MODULES = ("table_text", "table_picture", "table_book", MAIN)


def sources() -> dict[str, str]:
    """File names and sources, in the order in which they are to be staged."""
    folder = files("agent.tables") / "scripts"
    return {f"{name}.py": (folder / f"{name}.py").read_text(encoding="utf-8") for name in _MODULES}
