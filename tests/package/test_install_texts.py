"""How to install is said in one place, and every command is true while no package index has the package."""

import json
import re
from pathlib import Path

import pytest

from steps import version_in

ROOT = Path(__file__).parents[2]
VERSION = version_in(ROOT)
PAGES = [
    *ROOT.glob("*.md"),
    *(ROOT / "docs").glob("*.md"),
    ROOT / "python/README.md",
    *(ROOT / "examples").glob("*.md"),
    *(ROOT / "examples").glob("*.ipynb"),
    *(ROOT / "python").glob("hatch_build.py"),
    *(ROOT / "python/src").rglob("*.py"),
]
# Both say what holds today beside it; the second one is the page of the package index.
OF_AN_INDEX = {ROOT / "docs/install.md", ROOT / "python/README.md"}
# An extra is added to the package that is installed, which needs no index that has it; PySpark comes with the first install.
FROM_AN_INDEX = re.compile(r"pip install[^`\n]*?[ \"']spark-windowing\b(?!\[(?!(\w+,)*(spark|connect)\b))")
LINK = re.compile(r"\[[^\]]+\]\((?:docs/|\.\./docs/)?install\.md\)")


def text_of(path):
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".ipynb":
        return text
    return "\n".join("".join(cell["source"]) for cell in json.loads(text)["cells"])


def test_no_other_page_promises_a_package_index():
    found = {path: FROM_AN_INDEX.search(text_of(path)) for path in PAGES if path not in OF_AN_INDEX}
    assert {str(path.relative_to(ROOT)): m[0] for path, m in found.items() if m} == {}


def test_the_wheel_that_a_page_names_is_of_this_version():
    versions = {v for path in PAGES for v in re.findall(r"spark_windowing-(\d[\w.]*)-py3", text_of(path))}
    assert versions == {VERSION}


@pytest.mark.parametrize(
    "name", ["README.md", "docs/index.md", "docs/setup.md", "docs/platforms.md", "examples/README.md"]
)
def test_the_pages_link_to_the_one_that_says_how_to_install(name):
    assert LINK.search(text_of(ROOT / name))


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*.ipynb")), ids=lambda path: path.name)
def test_a_notebook_says_where_to_get_the_package(path):
    assert LINK.search(text_of(path))


def test_the_page_of_the_package_index_has_no_relative_links_and_pictures():
    """The index shows it alone."""
    links = re.findall(r"\]\(([^)]+)\)", text_of(ROOT / "python/README.md"))
    assert [link for link in links if not link.startswith("https://")] == []


@pytest.mark.parametrize(
    ("text", "is_found"),
    [
        ("run `pip install spark-windowing`", True),
        ('pip install -q "spark-windowing[spark,plot]"', True),
        ('pip install "spark-windowing[pandas,connect]"', True),
        ("pip install pandas spark-windowing==0.1.0", True),
        ('pip install "spark-windowing[plot]"', False),
        ('pip install "dist/spark_windowing-0.1.0-py3-none-any.whl[spark]"', False),
    ],
)
def test_a_promise_is_told_from_an_extra_and_from_a_file(text, is_found):
    assert bool(FROM_AN_INDEX.search(text)) == is_found
