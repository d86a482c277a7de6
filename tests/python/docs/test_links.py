"""Links of all pages and notebooks: files and headings, as GitHub names them. Sphinx checks those of its pages too.

Other sites are not asked: their links must be of https and name a host.
"""

import re
from urllib.parse import urlsplit

import pytest
from prose import PAGES, name_of, prose

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)|^\[[^\]]+\]: (\S+)|<(\w+://[^>\s]+)>")
HEADING = re.compile(r"#+ (.+)")


def links(path):
    for place, line in prose(path):
        for found in LINK.finditer(line):
            yield place, next(filter(None, found.groups()))


def anchors(path):
    headings = [match[1] for _, line in prose(path) if (match := HEADING.fullmatch(line))]
    return {re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


def mistake(path, link):
    """The mistake in a link of a page, or None."""
    site = urlsplit(link)
    if site.scheme or site.netloc:
        right = site.scheme == "https" and re.fullmatch(r"([\w-]+\.)+[a-z]+", site.netloc)
        return None if right else "another site is linked as https://host.domain/.."
    name, _, anchor = link.partition("#")
    target = (path.parent / name).resolve() if name else path
    if not target.exists():
        return "there is no such file"
    if anchor and (target.suffix != ".md" or anchor not in anchors(target)):
        return "there is no such heading"
    return None


def broken(path):
    found = [(place, link, mistake(path, link)) for place, link in links(path)]
    return [f"{place} {link}: {wrong}" for place, link, wrong in found if wrong]


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_links_lead_somewhere(path):
    assert broken(path) == []


def test_the_pages_are_found():
    names = {name_of(path) for path in PAGES}
    assert names > {"README.md", "SECURITY.md", "docs/setup.md", "python/README.md", "examples/README.md"}
    assert names > {"examples/functions.ipynb", "core-scala/bench/README.md", "tests/scenarios/README.md"}


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("[a](other.md), [b](#here), [c](other.md#the-end-1-of-it), <https://example.org/a>", []),
        ("# Here\n\n```text\n[a](gone.md)\n```\n\n<!--\n[a](gone.md)\n-->", []),
        ("\n[a](gone.md)", ["page.md:2 gone.md: there is no such file"]),
        ("![a](gone.svg)", ["page.md:1 gone.svg: there is no such file"]),
        ("[a][b]\n\n[b]: gone.md", ["page.md:3 gone.md: there is no such file"]),
        ("```sh\nls\n```\n[a](#gone)", ["page.md:4 #gone: there is no such heading"]),
        ("[a](other.md#gone)", ["page.md:1 other.md#gone: there is no such heading"]),
        ("[a](data.txt#gone)", ["page.md:1 data.txt#gone: there is no such heading"]),
        ("[a](http://example.org)", ["page.md:1 http://example.org: another site is linked as"]),
        ("<http://example.org>", ["page.md:1 http://example.org: another site is linked as"]),
        ("[a](https://localhost/x)", ["page.md:1 https://localhost/x: another site is linked as"]),
    ],
)
def test_a_wrong_link_is_found(tmp_path, text, wrong):
    (tmp_path / "page.md").write_text(f"{text}\n\n# Here\n", encoding="utf-8")
    (tmp_path / "other.md").write_text("## The end (1) of it\n", encoding="utf-8")
    (tmp_path / "data.txt").write_text("# gone\n", encoding="utf-8")
    found = broken(tmp_path / "page.md")
    assert len(found) == len(wrong)
    assert all(line.startswith(expected) for line, expected in zip(found, wrong, strict=True))


def test_wrong_links_of_a_notebook_are_found(tmp_path):
    path = tmp_path / "page.ipynb"
    path.write_text(
        '{"cells": [{"cell_type": "markdown", "id": "one", "source": ["Text\\n", "[a](gone.md)"]}]}',
        encoding="utf-8",
    )
    assert broken(path) == ["page.ipynb one:2 gone.md: there is no such file"]
