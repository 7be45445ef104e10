"""What is wrong with a script before it runs: syntax, undefined names, and what cannot work here.

A finding is `[line, message, advice, fatal]`. Fatal is only what would fail for certain.
"""

import ast
import sys
import warnings
from importlib import import_module

from . import lints

Findings = list[list[int | str | bool]]

_MOST = 30
_FATAL = ("UndefinedName", "UndefinedLocal")
_WORTH_TELLING = (
    "IfTuple",
    "AssertTuple",
    "IsLiteral",
    "RaiseNotImplemented",
    "MultiValueRepeatedKeyLiteral",
    "StringDotFormatExtraPositionalArguments",
    "StringDotFormatMissingArgument",
    "StringDotFormatMixingAutomatic",
    "PercentFormatPositionalCountMismatch",
    "PercentFormatMissingArgument",
    "PercentFormatInvalidFormat",
)


def check(source: str, name: str, workspace: str = "/workspace") -> Findings:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an invalid escape is no error
            tree = ast.parse(source, name)
            compile(source, name, "exec", dont_inherit=True)  # e.g. `return` outside of a function parses
    except SyntaxError as error:
        line = error.lineno or 0
        return [[line, f"{type(error).__name__}: {error.msg}", _syntax_advice(source, line), True]]
    except ValueError as error:  # null bytes
        return [[0, f"the source is not text: {error}", "", True]]
    findings = lints.findings(tree, workspace) + _names(tree, name)
    stem = name.removesuffix(".py")
    if stem in sys.stdlib_module_names or stem in sys.modules:
        advice = "give the script a name of its own"
        findings.append([0, f"{name} has the name of a module that others import", advice, False])
    findings.sort(key=lambda finding: (not finding[3], finding[0]))
    return [
        [line, _short(message), _short(advice), fatal] for line, message, advice, fatal in findings[:_MOST]
    ]


def _short(text: int | str | bool) -> str:
    return str(text)[:600]


def _names(tree: ast.Module, name: str) -> Findings:
    found: Findings = []
    for message in import_module("pyflakes.checker").Checker(tree, filename=name).messages:
        kind = type(message).__name__
        if kind in _FATAL or kind in _WORTH_TELLING:
            text = message.message % message.message_args
            advice = "define or import it first" if kind in _FATAL else ""
            found.append([message.lineno, text, advice, kind in _FATAL])
    return found


def _syntax_advice(source: str, line: int) -> str:
    lines = source.splitlines()
    text = lines[line - 1].strip() if 0 < line <= len(lines) else ""
    if text.startswith("```") or source.lstrip().startswith("```"):
        return "send the source alone, without Markdown fences"
    if text.startswith(("!", "%")):
        return "notebook commands do not work in a script, and nothing can be installed"
    if text.startswith("print ") and "(" not in text:
        return "print is a function: print(...)"
    if line >= len(lines) - 1:
        return "the script may have been cut off; send the whole of it, or split it"
    return f"the line is: {text[:120]}" if text else ""
