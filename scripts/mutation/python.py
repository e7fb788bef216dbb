"""Python with one place changed: a comparison, an operator, a number, a condition, a result, or a statement
that is left out."""

import ast
import copy
from dataclasses import dataclass
from pathlib import Path

# What is a matter of taste.
LEFT_ALONE = {"drawing.py": ("Drawing", "look", "time_text", "STYLE", "WIDTH", "PANEL_HEIGHT"),
              "expected_time.py": ("Cost",), "pace.py": ("PACES", "QUICK")}
WORDS = ("help", "description", "epilog", "metavar")
COMPARISONS = {ast.Lt: (ast.LtE, ast.GtE), ast.LtE: (ast.Lt, ast.Gt), ast.Gt: (ast.GtE, ast.LtE),
               ast.GtE: (ast.Gt, ast.Lt), ast.Eq: (ast.NotEq,), ast.NotEq: (ast.Eq,),
               ast.In: (ast.NotIn,), ast.NotIn: (ast.In,), ast.Is: (ast.IsNot,),
               ast.IsNot: (ast.Is,)}
OPERATORS = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
             ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult, ast.Pow: ast.Mult, ast.BitAnd: ast.BitOr,
             ast.BitOr: ast.BitAnd, ast.LShift: ast.RShift, ast.RShift: ast.LShift}


@dataclass
class Site:
    """A place in a tree, and what is put there."""
    statement: ast.stmt
    kind: str
    owner: ast.AST
    field: str
    broken: object

    def swap(self) -> None:
        """Breaks the tree, or mends it again."""
        whole = getattr(self.owner, self.field)
        setattr(self.owner, self.field, self.broken)
        self.broken = whole

    def what(self) -> str:
        self.swap()
        shown = copy.copy(self.statement)
        for part in ("body", "orelse", "handlers", "finalbody"):
            if isinstance(getattr(shown, part, None), list) and self.kind != "left out":
                setattr(shown, part, [])
        text = " ".join(ast.unparse(ast.fix_missing_locations(shown)).split())
        self.swap()
        return text


@dataclass
class Mutant:
    file: str
    index: int  # of its sites
    first: int
    last: int
    kind: str
    what: str

    def __str__(self) -> str:
        return f"{self.file}:{self.first}: {self.kind}: {self.what}"

    def key(self) -> str:
        return f"{self.file}: {self.kind}: {self.what}"


def negated(condition: ast.expr) -> ast.expr:
    return ast.UnaryOp(ast.Not(), condition)


def changes(node: ast.AST):
    """What can be put into a node: kind, field, its broken content."""
    if isinstance(node, ast.Compare):
        for i, operator in enumerate(node.ops):
            for way in COMPARISONS[type(operator)]:
                yield "comparison", "ops", [*node.ops[:i], way(), *node.ops[i + 1:]]
    elif isinstance(node, (ast.BinOp, ast.AugAssign)):
        yield "operator", "op", OPERATORS[type(node.op)]()
    elif isinstance(node, ast.BoolOp):
        yield "operator", "op", ast.Or() if isinstance(node.op, ast.And) else ast.And()
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield "constant", "value", not node.value
    elif isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        yield "constant", "value", node.value + 1
    elif isinstance(node, (ast.If, ast.IfExp)):
        yield "condition", "test", negated(node.test)
    elif isinstance(node, ast.comprehension):
        for i in range(len(node.ifs)):
            yield "condition", "ifs", node.ifs[:i] + node.ifs[i + 1:]
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield "condition", "operand", negated(node.operand)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield "operator", "op", ast.UAdd()
    elif isinstance(node, ast.Return) and not (node.value is None or is_nothing(node.value)):
        yield "result", "value", ast.Constant(None)
    for field in ("body", "orelse", "finalbody"):
        block = getattr(node, field, None)
        for i, one in enumerate(block if isinstance(block, list) else ()):
            if (isinstance(one, (ast.Raise, ast.AugAssign, ast.Continue, ast.Break))
                    or isinstance(one, ast.Expr) and isinstance(one.value, (ast.Call, ast.Yield))):
                yield "left out", field, [*block[:i], ast.Pass(), *block[i + 1:]]


def is_nothing(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is None


def is_left_alone(node: ast.AST, file: str) -> bool:
    if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
        return node.name in LEFT_ALONE.get(file, ())
    if isinstance(node, ast.Assign):
        return ast.unparse(node.targets[0]) in LEFT_ALONE.get(file, ())
    if isinstance(node, ast.keyword):
        return node.arg in WORDS
    return isinstance(node, ast.If) and "__main__" in ast.unparse(node.test)


def sites(tree: ast.Module, file: str) -> list:
    found = []

    def visit(node: ast.AST, statement) -> None:
        if is_left_alone(node, file):
            return
        if isinstance(node, ast.stmt):
            statement = node
        for kind, field, broken in changes(node):
            of = statement
            if kind == "left out":  # what is left out is shown, and not what is around it
                of = next(a for a, b in zip(getattr(node, field), broken) if a is not b)
            found.append(Site(of, kind, node, field, broken))
        for field, value in ast.iter_fields(node):
            if field in ("annotation", "returns", "decorator_list"):
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    visit(child, statement)
    visit(tree, None)
    return found


def mutants_of(path: Path) -> list:
    made = []
    for i, site in enumerate(sites(ast.parse(path.read_text()), path.name)):
        what = ast.unparse(site.statement) if site.kind == "left out" else site.what()
        header = site.statement.lineno
        made.append(Mutant(path.name, i, header, last_line(site.statement), site.kind,
                           " ".join(what.split())))
    return made


def last_line(statement: ast.stmt) -> int:
    """Of its own, without the block that it heads."""
    block = getattr(statement, "body", None)
    return max(statement.lineno, block[0].lineno - 1) if block else statement.end_lineno
