"""Names in the pages for developers: the files are there, and the tables of packages have every package."""

import re

import pytest
from prose import ROOT, code

PAGES = [ROOT / "CONTRIBUTING.md", ROOT / "docs" / "architecture.md", ROOT / "docs" / "internals.md"]
LEFT_OUT = {".git", "target", "node_modules", "__pycache__", "dist"}
FILE = re.compile(r"[\w./-]+\.(?:scala|java|py|md|rst|yaml|txt|properties|toml|sbt)")
FOLDER = re.compile(r"(?:core-scala|python|tests|docs|examples|release|benchmarks)/[\w./-]+")
PACKAGE = re.compile(r"^\| ((?:`[a-z._]+`(?:, )?)+) \|", re.MULTILINE)
SOURCES = ROOT / "core-scala"


@pytest.fixture(scope="module")
def files():
    """Paths of the files and folders of the project, as texts that end in them."""
    found, left = [], [ROOT]
    while left:
        for path in left.pop().iterdir():
            if path.name in LEFT_OUT or path.name.startswith(".venv"):
                continue
            found.append(f"/{path.relative_to(ROOT)}")
            if path.is_dir():
                left.append(path)
    return found


def missing(named, files):
    paths = [path for path in named if FILE.fullmatch(path) or FOLDER.fullmatch(path)]
    # The folder of a version of Spark that is to come is named `scala-spark-N`.
    return [p for p in paths if not p.endswith("-N") and not any(file.endswith(f"/{p}") for file in files)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_files_that_a_page_names_are_there(files, page):
    assert missing((text.rstrip("/") for _, text in code(page)), files) == []


def test_a_file_that_is_not_there_is_found(files):
    named = ["Trigger.scala", "docs/conf.py", "tests/scenarios", "Trigger.of", "Gone.scala", "tests/gone"]
    assert missing(named, files) == ["Gone.scala", "tests/gone"]


def packages(module):
    """Names of the packages with a Scala file of their own, below the project's, "" for that itself."""
    folders = {path.parent for path in (SOURCES / module / "src/main").rglob("dev/sparkwindowing/**/*.scala")}
    return {".".join(folder.parts[folder.parts.index("sparkwindowing") + 1 :]) for folder in folders}


@pytest.mark.parametrize("module", ["engine", "spark"])
def test_the_table_of_packages_has_each_package(module):
    page = (ROOT / "docs" / "internals.md").read_text(encoding="utf-8")
    table = page.partition(f"| in `{module}` |")[2].partition("\n\n")[0]
    rows = {name for row in PACKAGE.findall(table) for name in re.findall(r"`([^`]+)`", row)}
    assert rows == packages(module) - {""}
