"""Whether a .pptx can be a template: it opens, has layouts, and nothing in it acts or reaches out.

Prints one line of JSON: {"layouts": 11}, or {"problem": a code}.
"""

import json
import re
import zipfile
from pathlib import Path
from xml.etree import ElementTree

from pptx import Presentation

FILE = Path("/workspace/input/brand.pptx")
MOST = 200 << 20
"""Bytes of all parts once they are unpacked."""
MANY = 5_000
ACTIVE = re.compile(
    r"vba|activex|externallinks|customui|macrosheets|oleobject|embeddings/.*(?<!\.xlsx)$", re.IGNORECASE
)
"""Programs, controls, ribbons, and objects of other programs; a chart has its table as .xlsx."""
ACTING = re.compile(
    r"/(?:vba\w*|oleObject|control|activeX\w*|ui/\w+|attachedToolbars|xlMacrosheet)$", re.IGNORECASE
)
"""Types of relations that mean such a part, whatever it is called."""


def problem_of(path):
    """What speaks against it, before anything in it is used; None when nothing does."""
    with zipfile.ZipFile(path) as archive:
        parts = archive.infolist()
        if len(parts) > MANY or sum(part.file_size for part in parts) > MOST:
            return "large"
        if any(ACTIVE.search(part.filename) for part in parts):
            return "active"
        files = [archive.read(part) for part in parts if part.filename.lower().endswith(".rels")]
        # The sandbox bounds what it costs.
        relations = [one for file in files for one in ElementTree.fromstring(file)]  # noqa: S314
    if any(ACTING.search(one.get("Type", "")) for one in relations):
        return "active"
    return "outside" if any(map(reaches_out, relations)) else None


def reaches_out(relation):
    """Whether it fetches something from elsewhere: a deck would do so with everybody who opens it.

    A link waits for a click.
    """
    return relation.get("TargetMode", "").lower() == "external" and not relation.get("Type", "").endswith(
        "/hyperlink"
    )


def layouts_of(path):
    return sum(len(master.slide_layouts) for master in Presentation(path).slide_masters)


def report(path):
    try:
        if problem := problem_of(path):
            return {"problem": problem}
        layouts = layouts_of(path)
    except Exception:
        return {"problem": "unreadable"}
    return {"layouts": layouts} if layouts else {"problem": "layouts"}


if __name__ == "__main__":
    print(json.dumps(report(FILE)))
