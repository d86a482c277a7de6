"""The Scala page is core-scala/docs/scala.md with what its examples print: `docs/mdoc` writes it."""

import re
from pathlib import Path

import spark_windowing as sw

ROOT = Path(__file__).parents[3]


def prose(path):
    """Return the text of a page without its blocks of code."""
    text = path.read_text(encoding="utf-8").replace("@VERSION@", sw.__version__)
    return re.sub(r"^```.*?^```$\n?", "", text, flags=re.MULTILINE | re.DOTALL).splitlines()


def test_its_text_is_that_of_its_source():
    assert prose(ROOT / "docs" / "scala.md") == prose(ROOT / "core-scala" / "docs" / "scala.md")
