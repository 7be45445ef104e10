"""Numbers typed into a script as data: in lists, dicts, frames and plain assignments.

Bins, thresholds, positions, sizes and checks are no data, so they are left out: those of comparisons, of
assertions, of subscripts, and of calls that take numbers to work by.
"""

import ast
import re
import sys
from pathlib import Path

from facts_caller import tree_of
from facts_run import current
from facts_values import whole_number

MAX_SCRIPTS = 40
_MAKERS = {
    "DataFrame", "Decimal", "Fact", "Series", "append", "array", "asarray", "assign", "clip", "computed",
    "concat", "dict", "drawn", "fillna", "float", "from_dict", "from_records", "fromiter", "full",
    "full_like",
    "insert", "int", "mask", "number", "percent", "replace", "where",
}  # fmt: skip
"""Calls that make data of what is typed in them."""
_WORKERS = {
    "asserted", "between", "cut", "describe", "figure", "hist", "histogram", "isin", "linspace", "nlargest",
    "percentile", "qcut", "quantile", "range", "reindex", "subplots",
}  # fmt: skip
"""Calls that work by what is typed in them."""
_SETTINGS = {"bins", "figsize", "labels", "percentiles", "q", "edges", "size", "widths", "n_clusters"}
_WRITERS = {"write", "write_text"}
"""Calls whose texts may be read again; numbers in them may be places, as of a cell."""
_TEXTS = {"BytesIO", "StringIO", "loads", "read_csv", "read_json"}
_NUMBER = re.compile(r"[-+−]?\d[\d,\u00a0\u202f ]*(?:\.\d+)?|[-+−]?\.\d+")


def typed_in(path, *, everything=False):
    """Numbers that the script of this path, and the modules beside it that it imported, hold as data.

    `everything` takes all scripts of the folder: what one of them wrote may be what another one reads.
    """
    known, key = current().typed, (path, everything, len(sys.modules))
    if key not in known:
        trees = map(tree_of, _scripts(path, everything=everything))
        known[key] = set().union(*(_of_tree(tree) for tree in trees if tree is not None))
    return known[key]


def mentioned_in(path):
    """All numbers of a script but those that it only compares with."""
    tree = tree_of(path) if path else None
    return set() if tree is None else set(_constants(tree))


def is_typed(value, typed):
    """Whether a value is one of these numbers, as it is or as percent, thousand or million of it."""
    value = float(value)
    if _near(value, typed):
        return True
    return any(_near(value * scale, typed, telling=True) for scale in (100, 0.01, 1e3, 1e-3, 1e6, 1e-6))


def is_telling(value):
    """Whether a number is hardly met by chance: one with a fraction, or of three digits and more."""
    value = abs(float(value))
    return not value.is_integer() or (value >= 32 and value not in (50, 60, 90, 100, 365, 1000))


def _near(value, typed, *, telling=False):
    rounded = float(f"{value:.10g}")
    return (value in typed or rounded in typed) and (not telling or len(f"{rounded:.10g}".strip("-0.")) >= 3)


def _scripts(path, *, everything):
    if path is None:
        return []
    folder, main = path.parent, getattr(sys.modules.get("__main__"), "__file__", None)
    if everything:
        return sorted(folder.glob("*.py"))[:MAX_SCRIPTS]
    loaded = {
        Path(file) for module in list(sys.modules.values()) if (file := getattr(module, "__file__", None))
    }
    beside = {file for file in loaded if file.parent == folder and file.suffix == ".py"}
    return sorted({path, *beside, *([Path(main)] if main and Path(main).parent == folder else [])})[
        :MAX_SCRIPTS
    ]


def _of_tree(tree):
    found = set()
    _visit(tree, found, data=False)
    return found


def _visit(node, found, *, data):
    if isinstance(node, (ast.Compare, ast.Assert, ast.JoinedStr)):
        return
    if data and (value := _folded(node)) is not None:
        found.add(float(value))
        return
    if isinstance(node, ast.Constant):
        if data and isinstance(node.value, str):
            found |= _in_text(node.value)
        return
    if isinstance(node, ast.Call):
        _visit_call(node, found)
        return
    if isinstance(node, ast.Subscript):
        _visit(node.value, found, data=False)
        return
    if isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
        if node.value is not None:
            _visit(node.value, found, data=True)
        return
    inside = isinstance(node, (ast.List, ast.Tuple, ast.Set, ast.Dict)) or (
        data and isinstance(node, ast.BinOp)
    )
    parts = node.values if isinstance(node, ast.Dict) else ast.iter_child_nodes(node)
    for part in parts:
        _visit(part, found, data=inside)


def _visit_call(node, found):
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    _visit(node.func, found, data=False)
    for part in node.args:
        if name in _TEXTS and isinstance(part, ast.Constant) and isinstance(part.value, (str, bytes)):
            text = part.value if isinstance(part.value, str) else part.value.decode("utf-8", "replace")
            found.update(_numbers(text))
        elif name not in _WORKERS:
            _visit(part, found, data=name in _MAKERS or (name in _WRITERS and _is_text(part)))
    for keyword in node.keywords:
        if keyword.arg not in _SETTINGS and name not in _WORKERS:
            _visit(keyword.value, found, data=name in _MAKERS)


def _is_text(node):
    """A text, with what is put into it by an operator."""
    while isinstance(node, ast.BinOp):
        node = node.left
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _in_text(text):
    """The number that a text is; those of a text of several lines, which may be a table."""
    whole = whole_number(text)
    if whole is not None:
        return {whole}
    return set(_numbers(text)) if "\n" in text and len(text) < 100_000 else set()


def _numbers(text):
    for match in _NUMBER.finditer(text):
        for part in {match[0], *match[0].split(",")}:
            value = whole_number(part.strip(" ,"))
            if value is not None:
                yield value


def _folded(node):
    """The number that constants and operators between them come to; None where there is anything else."""
    if isinstance(node, ast.Constant):
        plain = isinstance(node.value, (int, float)) and not isinstance(node.value, bool)
        return node.value if plain and abs(node.value) < 1e300 else None
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        value = _folded(node.operand)
        return None if value is None else -value if isinstance(node.op, ast.USub) else value
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub, ast.Mult, ast.Div)):
        left, right = _folded(node.left), _folded(node.right)
        if left is None or right is None or (isinstance(node.op, ast.Div) and not right):
            return None
        left, right = float(left), float(right)
        return {
            ast.Add: left + right,
            ast.Sub: left - right,
            ast.Mult: left * right,
            ast.Div: left / (right or 1),
        }[type(node.op)]
    return None


def _constants(tree):
    """Every number of a tree, without comparisons and assertions."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.Compare, ast.Assert)):
            continue
        value = _folded(node) if isinstance(node, ast.expr) else None
        if value is not None:
            yield float(value)
        waiting += ast.iter_child_nodes(node)
