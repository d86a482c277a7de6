"""A page of the documentation as a program: its code is run, and the output that it shows is compared.

A block named `python` is run, one named `output` is what the blocks since the last such one have printed; an
HTML comment that begins with ``invisible-code-block: python`` is run and not seen.
"""

import contextlib
import io
import re
from difflib import unified_diff

from sybil import Region, Sybil
from sybil.parsers.markdown.lexers import DirectiveInHTMLCommentLexer, FencedCodeBlockLexer

FENCES = FencedCodeBlockLexer(r".*", mapping={"language": "language", "source": "source"})
HIDDEN = DirectiveInHTMLCommentLexer("invisible-code-block", arguments="python")
NOT_RUN = {"java", "scala", "sh", "text", "yaml"}  # Python that cannot run stands in none of them


class Page:
    """What a page has defined and printed so far. Its files lie in a folder of its own in place of /data/."""

    def __init__(self, instead, without):
        self.instead = instead
        self.without = without
        self.printed = io.StringIO()

    def blocks(self, document):
        for region in self.regions(document):
            if section(document.text, region.start) not in self.without:
                yield region

    def regions(self, document):
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
        source = str(example.parsed)
        for text, other in self.instead.items():
            source = source.replace(text, other)
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


def section(text, position):
    """The heading of the section, of the second level, at a position of a page; None before the first one."""
    headings = re.findall(r"^## (.+)$", text[:position], re.MULTILINE)
    return headings[-1] if headings else None


def play(path, folder, without=(), instead=None):
    """Run a page, with `folder` in place of /data/ and texts in place of others, but for the sections of these headings."""
    page = Page({"/data/": f"{folder}/", **(instead or {})}, without)
    for example in Sybil(parsers=[page.blocks]).parse(path).examples():
        example.evaluate()
    if printed := page.printed.getvalue():
        raise AssertionError(f"{path}: printed and not shown:\n{printed}")
