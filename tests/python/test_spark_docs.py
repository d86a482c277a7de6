"""The code of the documentation: every block of Python runs, and the output that a page shows is compared.

A page is one program. A block named `python` is run, one named `output` is what the blocks since the last such
one have printed; an HTML comment that begins with ``invisible-code-block: python`` is run and not seen.
"""

import contextlib
import importlib
import io
import re
from difflib import unified_diff
from pathlib import Path

import pytest
from sybil import Region, Sybil
from sybil.parsers.markdown.lexers import DirectiveInHTMLCommentLexer, FencedCodeBlockLexer

pytestmark = pytest.mark.spark

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "python" / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCES = FencedCodeBlockLexer(r".*", mapping={"language": "language", "source": "source"})
HIDDEN = DirectiveInHTMLCommentLexer("invisible-code-block", arguments="python")
NOT_RUN = {"java", "scala", "sh", "text", "yaml"}  # Python that cannot run stands in none of them


class Page:
    """What a page has defined and printed so far. Its files lie in a folder of its own in place of /data."""

    def __init__(self, folder):
        self.folder = folder
        self.printed = io.StringIO()

    def blocks(self, document):
        for region in FENCES(document):
            language = region.lexemes["language"].strip()
            evaluator = {"python": self.run, "output": self.compare}.get(language)
            if evaluator:
                yield Region(region.start, region.end, region.lexemes["source"], evaluator)
            elif language not in NOT_RUN:
                line = document.text[: region.start].count("\n") + 1
                raise ValueError(f"{document.path}, line {line}: a block named {language!r}")
        for region in HIDDEN(document):
            yield Region(region.start, region.end, region.lexemes["source"], self.run)

    def run(self, example):
        source = str(example.parsed).replace("/data/", f"{self.folder}/")
        lines = "\n" * (example.line + example.parsed.line_offset)
        code = compile(lines + source, example.path, "exec")
        with contextlib.redirect_stdout(self.printed):
            exec(code, example.namespace)

    def compare(self, example):
        printed = [line.rstrip() for line in self.printed.getvalue().strip("\n").splitlines()]
        shown = [line.rstrip() for line in str(example.parsed).strip("\n").splitlines()]
        self.printed = io.StringIO()
        if printed != shown:
            difference = "\n".join(unified_diff(shown, printed, "shown", "printed", lineterm=""))
            raise AssertionError(f"{example.path}, line {example.line}: the output is another\n{difference}")


def play(path, folder):
    page = Page(folder)
    for example in Sybil(parsers=[page.blocks]).parse(path).examples():
        example.evaluate()
    if printed := page.printed.getvalue():
        raise AssertionError(f"{path}: printed and not shown:\n{printed}")


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_code_of_the_page_runs(spark, tmp_path, path):
    before = set(spark.streams.active)
    play(path, tmp_path)
    assert set(spark.streams.active) == before


def test_the_pictures_are_drawn(spark, tmp_path, monkeypatch):
    """They are not compared: matplotlib's versions differ in a line here and there."""
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    pictures = importlib.import_module("pictures")
    rate = spark.readStream.format("rate").load().withWatermark("timestamp", "5 seconds")
    pictures.draw(rate.selectExpr("string(NULL) AS user", "timestamp AS ts"), tmp_path)
    drawn = {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()}
    assert set(drawn) == {path.name for path in (ROOT / "docs" / "pictures").iterdir()}
    assert all("</svg>" in text for text in drawn.values())


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("```python\nprint(1)\n```\n\n```output\n2\n```", "the output is another"),
        ("```python\nprint(1)\n```\n", "printed and not shown:\n1"),
        ("```output\n2\n```", "the output is another"),
        ("```python\n1 / 0\n```", "division by zero"),
        ("```\nprint(1)\n```", "line 1: a block named ''"),
        ("<!-- invisible-code-block: python\n1 / 0\n-->", "division by zero"),
    ],
)
def test_a_page_that_is_wrong_fails(tmp_path, text, error):
    path = tmp_path / "page.md"
    path.write_text(f"{text}\n", encoding="utf-8")
    with pytest.raises((AssertionError, ValueError, ZeroDivisionError), match=re.escape(error)):
        play(path, tmp_path)
