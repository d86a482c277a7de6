"""Spelling of the pages, notebooks and docstrings: each word is an English one, or one of `docs/words.txt`.

A word in capitals and small letters, such as a class, may consist of such words: `PurgingTrigger`. Code is not read.
"""

import ast
import re

import pytest
from prose import PAGES, ROOT, SPAN, name_of, prose
from spellchecker import SpellChecker

LIST = ROOT / "docs" / "words.txt"
SOURCES = sorted((ROOT / "python" / "src").rglob("*.py"))
LINK = re.compile(r"\]\([^)]*\)|<?\w+://\S+|^\[[^\]]+\]: \S+")
# A text with dots, digits, underscores or slashes is a name or a path.
WORD = re.compile(r"(?<![\w./@])[A-Za-z]+(?:'[A-Za-z]+)?(?![\w/@]|\.\w)")
PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
EXAMPLE = re.compile(r"^ *>>>.*?(?=^ *$|\Z)", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def english():
    return set(SpellChecker(language="en").word_frequency.keys())


@pytest.fixture(scope="module")
def own():
    return LIST.read_text(encoding="utf-8").splitlines()


def docstrings(path):
    """The lines of the docstrings of a Python file, without examples."""
    documented = ast.Module, ast.ClassDef, ast.FunctionDef
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, documented) and ast.get_docstring(node):
            text = node.body[0].value.value
            kept = EXAMPLE.sub(lambda example: "\n" * example[0].count("\n"), text)
            for number, line in enumerate(kept.splitlines(), node.body[0].lineno):
                yield f"{name_of(path)}:{number}", line


def words(lines):
    """The words of lines with their places, without code and links."""
    for place, line in lines:
        for found in WORD.finditer(LINK.sub("]", SPAN.sub(" ", line))):
            yield place, found[0].removesuffix("'s")


def is_known(word, english, own):
    """True for a word of the lists, or of parts in them. An own word with capitals must be written as it is there."""
    if len(word) == 1 or word in own or word.lower() in own or word.lower() in english:
        return True
    parts = PART.findall(word)
    return len(parts) > 1 and all(is_known(part, english, own) for part in parts)


def unknown(lines, english, own):
    return [f"{place} {word}" for place, word in words(lines) if not is_known(word, english, own)]


def check(lines, english, own):
    found = unknown(lines, english, own)
    advice = "No words of the lists: correct them, or add them to docs/words.txt, in alphabetical order"
    assert not found, "\n".join([advice, *found])


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_the_words_of_a_page_are_known(english, own, path):
    check(prose(path), english, own)


def test_the_words_of_docstrings_are_known(english, own):
    check([line for path in SOURCES for line in docstrings(path)], english, own)


def test_own_words_are_in_order_and_each_is_used(own):
    assert own == sorted(set(own), key=lambda word: (word.lower(), word))
    lines = [
        *(line for path in PAGES for line in prose(path)),
        *(line for path in SOURCES for line in docstrings(path)),
    ]
    used = {
        form
        for _, word in words(lines)
        for part in [word, *PART.findall(word)]
        for form in (part, part.lower())
    }
    assert [word for word in own if word not in used] == []


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ("The watermak rises.", ["watermak"]),
        ("Recieve and `recieve` [recieve](recieve.md) <https://recieve.org>", ["Recieve", "recieve"]),
        ("out-of-ordernes, user's, users', don't, flink's", ["ordernes", "flink"]),
        ("`PurgingTrigger`, PurgingTrigger and PurgingTriger", ["PurgingTriger"]),
        ("spark.sql.shufle, late_by_mss, docs/shufle, 4.0.2-amzn, x86, 10ms, @shufle, shufle.py", []),
        ("Flink, PySpark, JVMs, TIMESTAMP and Timestamps, a window of 5 s", []),
        ("One end, two shufle. Shufle", ["shufle", "Shufle"]),
    ],
)
def test_a_misspelt_word_is_found(english, own, line, wrong):
    assert unknown([("page.md:1", line)], english, own) == [f"page.md:1 {word}" for word in wrong]


def test_code_and_comments_of_a_page_are_not_read(tmp_path, english, own):
    path = tmp_path / "page.md"
    path.write_text("```python\nwatermak = 1\n```\n<!-- watermak -->\na watermak\n", encoding="utf-8")
    assert unknown(prose(path), english, own) == ["page.md:5 watermak"]


def test_examples_of_docstrings_are_not_read(tmp_path, english, own):
    path = tmp_path / "module.py"
    path.write_text(
        '''"""A watermak.\n\n>>> watermak\nwatermakk\n\nA windo.\n"""\n\nTEXT = "windo"\n''', encoding="utf-8"
    )
    assert unknown(docstrings(path), english, own) == ["module.py:1 watermak", "module.py:6 windo"]
