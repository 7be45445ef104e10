"""Mistakes that generated code typically makes: there is no terminal, no network, no installing here."""

# os throughout, as for descriptors

import ast
import difflib
import importlib.util
import os
import re
import sys

from . import child

Findings = list[list[int | str | bool]]

_NETWORK = {
    "requests", "httpx", "aiohttp", "urllib3", "socket", "ftplib", "smtplib", "websockets", "paramiko",
    "boto3",
}  # fmt: skip
_FETCHES = {"urlopen", "urlretrieve"}
_READERS = {
    "open", "read_csv", "read_table", "read_excel", "read_json", "read_parquet", "read_feather",
    "read_pickle", "ExcelFile", "load_workbook", "Presentation", "Document", "scan_csv", "imread",
    "loadtxt", "genfromtxt", "ZipFile",
}  # fmt: skip
_OPENS = {
    "open", "io.open", "codecs.open", "gzip.open", "bz2.open", "lzma.open", "Image.open",
    "PIL.Image.open",
}  # fmt: skip
"""The calls named open whose first argument is a file's path for certain: os.open opens folders too."""
_WRITERS = {
    "to_csv", "to_excel", "to_json", "to_parquet", "to_feather", "to_pickle", "to_html", "to_markdown",
    "savefig", "save", "ExcelWriter", "write_csv",
}  # fmt: skip
"""Calls whose first argument is a path, if it is a string."""
_ELSEWHERE = re.compile(r"(/mnt/|/home/|/Users/|/root/|/content/|/kaggle/|/app/|/data/|~/|[A-Za-z]:[\\/])\S")
_FOLDERS = tuple(f"/workspace/{name}/" for name in ("input", "out", "code", "skills"))
_OURS = ("/workspace/", "/tmp/", "/opt/", "/dev/", "/proc/", "/usr/")
_COMMON = (
    "pandas", "numpy", "matplotlib", "seaborn", "scipy", "sklearn", "statsmodels", "openpyxl",
    "xlsxwriter", "pptx", "docx", "reportlab", "PIL", "duckdb", "pyarrow", "tabulate", "lxml",
    "odf", "xlrd", "pypdf",
)  # fmt: skip


def findings(tree: ast.Module, workspace: str = "/workspace") -> Findings:
    visitor = _Visitor(workspace)
    visitor.visit(tree)
    return visitor.found


class _Visitor(ast.NodeVisitor):
    """`certain` holds where code runs unconditionally: outside of functions, branches, loops and try."""

    def __init__(self, workspace: str) -> None:
        self.found: Findings = []
        self.certain = True
        self.workspace = workspace
        self.present = _files(f"{workspace}/input", "") + _files(f"{workspace}/out", "")
        self.inputs = _files(f"{workspace}/input", "")
        self.local = _modules(f"{workspace}/code", *child.skill_folders())

    def report(self, node: ast.AST, message: str, advice: str, *, fatal: bool = False) -> None:
        self.found.append([getattr(node, "lineno", 0), message, advice, fatal and self.certain])

    def generic_visit(self, node: ast.AST) -> None:
        conditional = (
            ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.If, ast.IfExp, ast.For, ast.While, ast.Try,
            ast.TryStar, ast.BoolOp, ast.Match, ast.comprehension,
        )  # fmt: skip
        before = self.certain
        self.certain = before and not isinstance(node, conditional) and not _suppresses(node)
        super().generic_visit(node)
        self.certain = before

    def visit_If(self, node: ast.If) -> None:
        if ast.unparse(node.test) == "__name__ == '__main__'":
            for statement in node.body:  # runs for certain, since the script is __main__
                self.visit(statement)
        else:
            self.generic_visit(node)

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            self._imported(node, alias.name)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        if node.module and not node.level:
            self._imported(node, node.module)

    def visit_Call(self, node: ast.Call) -> None:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        whole = ast.unparse(node.func)
        if whole == "input":
            self.report(node, "input() has no one to ask", "put the value into the script", fatal=True)
        elif whole in ("plt.show", "pyplot.show", "fig.show"):
            self.report(node, f"{whole}() shows nothing here", "save the picture: plt.savefig('name.png')")
        elif name in _FETCHES or whole.split(".")[0] in ("requests", "httpx"):
            self.report(
                node, f"{whole}() needs a network", "there is none: use the files in /workspace/input"
            )
        elif name in ("run", "Popen", "call", "check_call", "check_output", "system") and _installs(node):
            self.report(node, "nothing can be installed", self._installed(), fatal=name.startswith("check_"))
        elif whole in _OPENS if name == "open" else name in _READERS or name in _WRITERS:
            self._path(node, name)
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, str) and _ELSEWHERE.match(node.value):
            self.report(
                node,
                f"{node.value[:80]!r} is a path of another machine",
                "read /workspace/input, write /workspace/out",
            )

    def _imported(self, node: ast.AST, module: str) -> None:
        top = module.split(".")[0]
        if top in self.local:
            return
        if not _installed(top):
            close = difflib.get_close_matches(top, self._there(), n=1)
            advice = f"did you mean {close[0]}? " if close else ""
            self.report(node, f"there is no module {top!r}", advice + self._installed(), fatal=True)
        elif top in _NETWORK:
            self.report(node, f"{top} needs a network", "there is none: use the files in /workspace/input")

    def _installed(self) -> str:
        return f"there are the standard library and: {', '.join(self._there())}"

    def _there(self) -> list[str]:
        return [name for name in _COMMON if _installed(name)] + sorted(self.local)

    def _path(self, node: ast.Call, name: str) -> None:
        path = _first_argument(node)
        if name in _WRITERS or (name in ("open", "ZipFile") and _writes(node)):
            if path.startswith(("/workspace/input", "/workspace/code", "/workspace/skills")):
                self.report(node, f"{path} is read-only", "write to /workspace/out", fatal=True)
            return
        if path.startswith(("http://", "https://", "ftp://", "s3://")):
            self.report(
                node,
                f"{path[:80]} needs a network",
                "there is none: use the files in /workspace/input",
                fatal=True,
            )
        elif path.startswith("/workspace/input/"):
            if path.removeprefix("/workspace/input/") not in self.inputs:
                self.report(node, f"there is no {path}", _there_is("input", self.inputs), fatal=True)
        elif "/" not in path and path in self.inputs and path not in _files(f"{self.workspace}/out", ""):
            self.report(node, f"{path} is in another folder", f"read it as /workspace/input/{path}")
        elif path.startswith("/workspace/") and not path.startswith(_FOLDERS):
            self.report(node, f"there is no {path}", _there_is("input", self.inputs), fatal=True)
        elif path.startswith("/") and not path.startswith(_OURS) and not _ELSEWHERE.match(path):
            self.report(node, f"there is no {path}", _there_is("input", self.inputs))


def _there_is(folder: str, names: list[str]) -> str:
    return f"in /workspace/{folder} there is: " + (", ".join(names[:20]) or "nothing")


def _first_argument(node: ast.Call) -> str:
    """The path that a call names; empty when it names none, or a folder or a pattern, which some can read."""
    match node.args:
        case [ast.Constant(value=str(path)), *_]:
            pass
        case _:
            return ""
    several = path.endswith("/") or f"{path}/" in _FOLDERS or set(path) & set("*?[")
    return "" if several else path


def _suppresses(node: ast.AST) -> bool:
    """Whether an error inside may be meant."""
    return isinstance(node, ast.With) and any(
        re.search(r"\b(suppress|raises)\b", ast.unparse(item.context_expr)) for item in node.items
    )


def _installs(node: ast.Call) -> bool:
    words = re.findall(
        r"[\w-]+", " ".join(str(c.value) for c in ast.walk(node) if isinstance(c, ast.Constant))
    )
    return "install" in words and bool({"pip", "pip3", "conda", "apt", "apt-get", "uv"} & set(words))


def _writes(node: ast.Call) -> bool:
    mode = (
        node.args[1]
        if len(node.args) > 1
        else next((k.value for k in node.keywords if k.arg == "mode"), None)
    )
    return (
        isinstance(mode, ast.Constant) and isinstance(mode.value, str) and bool(set(mode.value) & set("wax+"))
    )


def _installed(top: str) -> bool:
    if top in sys.builtin_module_names or top in sys.modules:
        return True
    try:
        return importlib.util.find_spec(top) is not None
    except (ImportError, ValueError):
        return False


def _modules(*folders: str) -> set[str]:
    names = {name for folder in folders if os.path.isdir(folder) for name in os.listdir(folder)}
    return {name.removesuffix(".py") for name in names if name.endswith(".py") or "." not in name}


def _files(folder: str, prefix: str, depth: int = 4) -> list[str]:
    found: list[str] = []
    if depth and os.path.isdir(folder) and not os.path.islink(folder):
        for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
            if entry.is_dir(follow_symlinks=False):
                found += _files(entry.path, f"{prefix}{entry.name}/", depth - 1)
            else:
                found.append(prefix + entry.name)
            if len(found) > 2000:
                break
    return found
