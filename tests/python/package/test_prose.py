"""The docstrings of the package, private ones among them: they begin with a noun or a verb."""

import ast
import re
from pathlib import Path

import spark_windowing as sw

ROOT = Path(sw.__file__).parent
BEGINNING = re.compile(r"(What|Which|Whether|Where|When|Why|Who|How|Says)\b")


def docstrings():
    for path in ROOT.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and (
                text := ast.get_docstring(node)
            ):
                yield f"{path.relative_to(ROOT)}: {text.splitlines()[0]}", text


def test_a_docstring_begins_with_a_noun_or_a_verb():
    assert [place for place, text in docstrings() if BEGINNING.match(text)] == []
