"""Pages of the project that people read, line by line: Markdown files, and the Markdown cells of notebooks."""

import json
import re
from pathlib import Path

ROOT = Path(__file__).parents[3]
PLACES = [
    "*.md",
    "docs/**/*.md",
    "examples/**/*.md",
    "examples/*.ipynb",
    "python/README.md",
    "core-scala/*/README.md",
    "tests/*/README.md",
]
PAGES = sorted({path for place in PLACES for path in ROOT.glob(place)})
CODE = re.compile(r"^```.*?^```$|<!--.*?-->", re.MULTILINE | re.DOTALL)
SPAN = re.compile(r"(`+)(.+?)\1")


def name_of(path):
    """The name of a page in messages and tests."""
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else path.name


def texts(path):
    """The texts of a page, as pairs of a place and Markdown: one of a file, one for each cell of a notebook."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".ipynb":
        return [(name_of(path), text)]
    cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "markdown"]
    return [(f"{name_of(path)} {cell['id']}", "".join(cell["source"])) for cell in cells]


def prose(path):
    """The lines of a page without blocks of code and comments, as pairs of a place, `docs/setup.md:7`, and a line."""
    for place, text in texts(path):
        kept = CODE.sub(lambda code: "\n" * code[0].count("\n"), text)
        for number, line in enumerate(kept.splitlines(), 1):
            yield f"{place}:{number}", line


def code(path):
    """The code of a page, as pairs of a place and a line of a block or a text between backticks."""
    for place, text in texts(path):
        for block in CODE.finditer(text):
            first = text[: block.start()].count("\n") + 1
            for number, line in enumerate(block[0].splitlines(), first):
                yield f"{place}:{number}", line
    for place, line in prose(path):
        for span in SPAN.finditer(line):
            yield place, span[2]
