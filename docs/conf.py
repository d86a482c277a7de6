"""How Sphinx makes the site of the pages beside this file: ``make docs``."""

import json
import re
import subprocess
from importlib.metadata import version as installed
from pathlib import Path

HERE = Path(__file__).parent

project = "spark-windowing"
author = "the authors of spark-windowing"
version = release = installed("spark-windowing")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "numpydoc"]
exclude_patterns = ["conf.py"]
myst_heading_anchors = 4  # those that GitHub gives too
default_role = "autolink"  # `key_by` in a docstring is a link to it
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
add_module_names = False  # there is one module
toc_object_entries_show_parents = "hide"
templates_path = ["templates"]

html_theme = "furo"
html_title = "spark-windowing"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_copy_source = html_show_copyright = False
pygments_dark_style = "github-dark"
html_theme_options = {
    "navigation_with_keys": False,
    "top_of_page_buttons": [],
    "dark_css_variables": {"color-background-primary": "#0d1117"},  # as behind the pictures
}
html_sidebars = {
    "**": [
        "sidebar/brand.html",
        "sidebar/search.html",
        "sidebar/scroll-start.html",
        "sidebar/navigation.html",
        "sidebar/scroll-end.html",
        "versions.html",
    ]
}

# Every page but those that autosummary makes, in the groups that stand at the side of each page.
PAGES = {
    "Start": ["install", "quick-start", "concepts", "builders", "cookbook", "questions"],
    "Other languages": ["sql", "scala"],
    "Inputs and results": ["change-feeds", "sinks", "upserts", "changelog"],
    "Move from": [
        "Flink <coming-from-flink>",
        "Spark's own windows <coming-from-spark>",
        "Kafka Streams <coming-from-kafka-streams>",
        "Beam <coming-from-beam>",
    ],
    "Run": ["setup", "pipelines", "platforms", "operations", "figures", "faults", "performance", "real-time"],
    "Reference": ["api", "semantics", "state-format", "changes"],
    "Inside": ["architecture", "internals", "releasing"],
}


def versions():
    """Name this version, and all others with a tag; a site has a folder for each, all in one folder."""

    def git(*arguments):
        try:
            done = subprocess.run(["git", *arguments], cwd=HERE, capture_output=True, text=True, check=False)
        except FileNotFoundError:
            return []
        return done.stdout.split() if done.returncode == 0 else []

    here = git("tag", "--points-at", "HEAD", "--list", "v*")
    tagged = git("tag", "--list", "v*", "--sort=-version:refname")
    current = here[0].removeprefix("v") if here else "development"
    return current, ["development", *(tag.removeprefix("v") for tag in tagged)] if tagged else [current]


html_context = dict(zip(("current", "versions"), versions(), strict=True))


def page_of(notebook):
    """Return a notebook as Markdown: its texts, its code, and what a run has shown."""
    pieces = []
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        text = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            text = text.replace("](../docs/", "](")
            pieces.append(re.sub(r"\]\((\w+\.ipynb)\)", r"](../examples/\1)", text))
        else:
            pieces += [f"```python\n{text}\n```", *map(shown, cell["outputs"])]
    return "\n\n".join(pieces)


def shown(output):
    """Return an output of a cell as Markdown."""
    if output["output_type"] == "stream":
        return f"```text\n{''.join(output['text'])}\n```"
    if "image/png" in output["data"]:
        return f'<img alt="What the cell draws" src="data:image/png;base64,{output["data"]["image/png"].strip()}">'
    html = "".join(output["data"]["text/html"]).replace("<table>", '<table class="docutils">')
    return f'<div class="table-wrapper container">{html}</div>'


# Where a name may break: before an inner capital; in the cell of a table not into short pieces, and also behind dots,
# underscores and what begins an argument.
HUMP = r"(?<=[a-z])(?=[A-Z])"
JOINT = r"(?<=[A-Za-z][a-z]{4})(?=[A-Z])|(?<=[A-Za-z][._])(?=[A-Za-z]{2})|(?<=[a-z][(=])(?=[\w&][^)]{4})"


def breakable(html, where=HUMP):
    """Let the names in a piece of HTML break between their words."""

    def words(text):
        return re.sub(where, "<wbr>", text.group())

    return re.sub(r">[^<]+<", words, html)


def breakable_cells(html):
    """Let the code in tables break, so that a name does not make its column wider than the page."""

    def in_cell(code):
        return breakable(code.group(), JOINT)

    def in_table(table):
        return re.sub(r"<code\b.*?</code>", in_cell, table.group(), flags=re.DOTALL)

    return re.sub(r"<table\b.*?</table>", in_table, html, flags=re.DOTALL)


def setup(app):
    """Put in what GitHub would show as text, hide arguments that are not for users, and let names break."""

    def complete(_app, page, source):
        if page == "index":
            for caption, pages in PAGES.items():
                source[0] += "\n".join(
                    ["", "```{toctree}", ":hidden:", f":caption: {caption}", "", *pages, "```", ""]
                )
        elif page == "quick-start":
            source[0] = page_of(HERE.parent / "examples" / "1_quick_start.ipynb")
        elif page == "changes":
            changes = (HERE.parent / "CHANGELOG.md").read_text(encoding="utf-8")
            source[0] = changes.replace("](docs/", "](")

    def drop_private(_app, _what, _name, _object, _options, signature, returns):
        return ("", returns) if signature and signature.startswith("(_") else None

    def break_names(_app, _page, _template, context, _doctree):
        for part in {"furo_navigation_tree", "toc"} & context.keys():
            context[part] = breakable(context[part])
        heading, end, rest = context.get("body", "").partition("</h1>")
        if end:
            context["body"] = breakable(heading + end) + breakable_cells(rest)

    app.connect("source-read", complete)
    app.connect("html-page-context", break_names, priority=900)  # behind the theme
    app.connect("autodoc-process-signature", drop_private)  # values that the first step makes
