"""Links of the documentation: files and headings, as GitHub names them. Sphinx checks those of its pages too."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PAGES = sorted(
    path for path in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "python/README.md"]
)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def without_code(path):
    return re.sub(r"^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def anchors(path):
    headings = re.findall(r"^#+ (.+)$", without_code(path), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(path):
    for link in LINK.findall(without_code(path)):
        if link.startswith("https://"):
            continue
        name, _, anchor = link.partition("#")
        target = (path.parent / name).resolve() if name else path
        assert target.exists(), f"{link}: there is no such file"
        assert not anchor or anchor in anchors(target), f"{link}: there is no such heading"
