"""Expressions over a frame, evaluated node by node: columns, operators and pandas' own methods.

It keeps a fact a calculation that a reader can repeat. What holds hostile code is the sandbox.
"""

import ast
import operator
import re
from dataclasses import dataclass, field

import facts_source
import numpy as np
import pandas as pd
from facts_errors import FactError, NotAnExpression, UnknownName
from facts_names import BUILTINS, FILTERS, permit
from facts_values import whole_number

MAX_LENGTH = 2_000
MAX_NODES = 500
FRAME = "df"
_OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Invert: operator.invert,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_COUNTING = (len, sum, min, max)
_QUOTED = re.compile(r"`([^`\n]+)`")


@dataclass
class Calculation:
    """What an expression came to. `columns` are those it names, `literals` the numbers typed in it."""

    value: object
    columns: list = field(default_factory=list)
    literals: list = field(default_factory=list)
    rows: int | None = None
    """Of what the last calculation was made over."""


def calculate(expression, frame, scale=1):
    """With every typed number times `scale`. Raises FactError with advice."""
    tree = _parse(expression, frame)
    reader = _Reader(frame.copy(deep=False), scale)  # pop() and the like take columns away
    try:
        value = reader.read(tree.body, {})
    except FactError:
        raise
    except Exception as error:  # pandas raises whatever it likes
        raise FactError(f"{expression!r} failed: {type(error).__name__}: {error}"[:400]) from error
    if not reader.used:
        raise NotAnExpression(
            f"{expression!r:.80} computes nothing from the frame. A fact is an expression over its "
            "columns, such as 'Price.sum()'; a number that the data do not give is "
            "facts.asserted('id', value, source='…')."
        )
    rows = len(frame) if reader.rows is None else reader.rows
    return Calculation(value, list(reader.columns), reader.literals, rows)


def _parse(expression, frame):
    if not isinstance(expression, str):
        raise NotAnExpression(
            "A fact is stated as an expression in quotes, never as a value: "
            f"facts.fact('id', 'Column.mean()', of=frame), not {expression!r:.60}. A number from elsewhere: "
            "facts.asserted('id', value, source='…')."
        )
    if not expression.strip() or len(expression) > MAX_LENGTH:
        raise NotAnExpression(f"An expression has 1 to {MAX_LENGTH} characters.")
    # as pandas.eval writes a name with spaces
    source = _QUOTED.sub(lambda match: f"{FRAME}[{match[1]!r}]", expression.strip())
    try:
        tree = facts_source.tree(source, mode="eval")
        nodes = sum(1 for _ in ast.walk(tree))
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        spaced = [str(name) for name in frame.columns if " " in str(name) and str(name) in expression]
        advice = (
            f" Write df[{spaced[0]!r}]." if spaced else " It is one Python expression, such as 'Price.sum()'."
        )
        raise NotAnExpression(f"{expression!r} is no expression ({error}).{advice}") from None
    if nodes > MAX_NODES:
        raise NotAnExpression(
            "The expression is too long: put the steps into the frame first, then state its sum."
        )
    return tree


class _Reader:
    def __init__(self, frame, scale):
        self.frame, self.scale = frame, scale
        self.columns, self.literals, self.rows, self.used = {}, [], None, False
        self.beside = 0

    def read(self, node, names):
        reader = getattr(self, f"_read_{type(node).__name__.lower()}", None)
        if reader is None:
            raise NotAnExpression(
                f"An expression has no {type(node).__name__}. It takes columns, operators, comparisons and "
                "pandas' methods. Longer work goes into the frame first: df = df.assign(...), then "
                "facts.fact(... of=df)."
            )
        return reader(node, names)

    def _read_constant(self, node, names):
        value = node.value
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            self.literals.append(value)
            value = value if self.scale == 1 else value * self.scale
        elif isinstance(value, str):
            self._uses(value)
            if (written := whole_number(value)) is not None:
                self.literals.append(written)
        elif value is not None and not isinstance(value, bool):
            raise NotAnExpression(f"An expression has no {type(value).__name__} {value!r}.")
        return value

    def _uses(self, name):
        if name in self.frame.columns:
            self.columns.setdefault(name)

    def _read_name(self, node, names):
        name = node.id
        if name in names:
            return names[name]
        if name in self.frame.columns:
            self.used = True
            self._uses(name)
            return self.frame[name]
        if name == FRAME:
            self.used = True
            return self.frame
        if name in BUILTINS:
            return BUILTINS[name]
        if name == "pd":
            return pd
        if name == "np":
            raise NotAnExpression(
                "An expression has no np: use the methods of columns, such as Price.round(2)."
            )
        if hasattr(self.frame, name):
            self.used = True
            return self._attribute(self.frame, name)
        raise UnknownName(name, self.frame.columns)

    def _read_attribute(self, node, names):
        return self._attribute(self.read(node.value, names), node.attr)

    def _attribute(self, owner, name):
        permit(owner, name)
        if isinstance(owner, pd.DataFrame) and name in owner.columns:
            self._uses(name)
            return owner[name]
        try:
            return getattr(owner, name)
        except AttributeError:
            if isinstance(owner, pd.DataFrame):
                raise UnknownName(name, owner.columns) from None
            known = [item for item in dir(owner) if not item.startswith("_")]
            raise UnknownName(name, known, what=f"method of a {type(owner).__name__} called") from None

    def _read_subscript(self, node, names):
        owner, key = self.read(node.value, names), self._aside(node.slice, names)
        try:
            return owner[key]
        except (KeyError, IndexError, TypeError) as error:
            if isinstance(owner, pd.DataFrame) and isinstance(key, (str, list)):
                missing = [
                    item for item in ([key] if isinstance(key, str) else key) if item not in owner.columns
                ]
                if missing and all(isinstance(item, str) for item in missing):
                    raise UnknownName(missing[0], owner.columns) from None
            raise FactError(f"{ast.unparse(node)} cannot be taken: {type(error).__name__}: {error}") from None

    def _read_slice(self, node, names):
        return slice(*(part and self.read(part, names) for part in (node.lower, node.upper, node.step)))

    def _read_call(self, node, names):
        called = self._called(node.func, names)
        arguments = [self._aside(item, names) for item in node.args]
        keywords = {item.arg: self._aside(item.value, names) for item in node.keywords}
        if None in keywords or keywords.get("inplace"):
            raise NotAnExpression("An expression takes no ** and no inplace=True.")
        owner = getattr(called, "__self__", None)
        if getattr(called, "__name__", "") == "query" and "@" in str(arguments[:1]):
            raise NotAnExpression("query('…') in an expression may not use @: write the value itself.")
        if isinstance(called, (pd.Series, pd.DataFrame)) or not callable(called):
            raise NotAnExpression(f"{ast.unparse(node.func)} is a column, not a method: write it without ().")
        result = called(*arguments, **keywords)
        source = arguments[0] if called in _COUNTING and arguments else owner
        if not self.beside and isinstance(source, (pd.Series, pd.DataFrame)):
            same = isinstance(result, (pd.Series, pd.DataFrame)) and len(result) == len(source)
            if not same and getattr(called, "__name__", "") not in FILTERS:
                self.rows = max(self.rows or 0, len(source))
        return result

    def _aside(self, node, names):
        """A filter or an argument: how many rows it looks at is not how many are counted."""
        self.beside += 1
        try:
            return self.read(node, names)
        finally:
            self.beside -= 1

    def _called(self, func, names):
        """A frame's method or a builtin wins over a column of its name where it is called."""
        if isinstance(func, ast.Name) and func.id in self.frame.columns and func.id not in names:
            self.used = True
            return BUILTINS.get(func.id) or self._attribute(self.frame, func.id)
        return self.read(func, names)

    def _read_binop(self, node, names):
        operate = _OPERATORS.get(type(node.op))
        if operate is None:
            raise NotAnExpression(f"An expression has no operator in {ast.unparse(node)}.")
        left, right = self.read(node.left, names), self.read(node.right, names)
        if isinstance(node.op, ast.Pow) and isinstance(right, int) and abs(right) > 100:
            raise NotAnExpression("The power is too high.")
        with np.errstate(all="ignore"):
            return operate(left, right)

    def _read_unaryop(self, node, names):
        value = self.read(node.operand, names)
        if isinstance(node.op, ast.Not):
            return not value
        return _OPERATORS[type(node.op)](value)

    def _read_boolop(self, node, names):
        if any(isinstance(item, (ast.Compare, ast.Name, ast.Call)) for item in node.values):
            values = [self.read(item, names) for item in node.values]
            if any(isinstance(value, (pd.Series, pd.DataFrame)) for value in values):
                sign = "&" if isinstance(node.op, ast.And) else "|"
                raise NotAnExpression(
                    f"Between columns write {sign}, each side in brackets: (A > 1) {sign} (B < 2)."
                )
        result = None
        for item in node.values:
            result = self.read(item, names)
            if bool(result) is isinstance(node.op, ast.Or):
                break
        return result

    def _read_compare(self, node, names):
        if len(node.ops) > 1:
            raise NotAnExpression("Compare in two steps: (18 <= A) & (A < 30), or A.between(18, 29).")
        operate = _OPERATORS.get(type(node.ops[0]))
        if operate is None:
            raise NotAnExpression("In an expression write Column.isin(['a', 'b']) and Column.isna().")
        return operate(self.read(node.left, names), self.read(node.comparators[0], names))

    def _read_ifexp(self, node, names):
        return self.read(node.body if self.read(node.test, names) else node.orelse, names)

    def _read_list(self, node, names):
        return [self.read(item, names) for item in node.elts]

    def _read_tuple(self, node, names):
        return tuple(self.read(item, names) for item in node.elts)

    def _read_set(self, node, names):
        return {self.read(item, names) for item in node.elts}

    def _read_dict(self, node, names):
        if None in node.keys:
            raise NotAnExpression("An expression takes no ** in a dict.")
        return {self.read(k, names): self.read(v, names) for k, v in zip(node.keys, node.values, strict=True)}

    def _read_lambda(self, node, names):
        taken = node.args
        if taken.posonlyargs or taken.kwonlyargs or taken.vararg or taken.kwarg or taken.defaults:
            raise NotAnExpression("A lambda in an expression has plain names before its colon.")
        parameters = [item.arg for item in taken.args]
        return lambda *values: self._aside(node.body, {**names, **dict(zip(parameters, values, strict=True))})
