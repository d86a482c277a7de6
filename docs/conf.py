"""How Sphinx makes the site of the pages beside this file: ``make docs``."""

from importlib.metadata import version as installed

project = "spark-windowing"
author = "the authors of spark-windowing"
version = release = installed("spark-windowing")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "numpydoc"]
exclude_patterns = ["conf.py"]
myst_heading_anchors = 4  # those that GitHub gives too
default_role = "autolink"  # `key_by` in a docstring is a link to it
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
templates_path = ["templates"]

html_theme = "pydata_sphinx_theme"
html_title = f"spark-windowing {version}"
html_theme_options = {"show_toc_level": 2, "navigation_with_keys": False, "header_links_before_dropdown": 4}

# Every page but those that autosummary makes. GitHub would show a toctree as text, so it is put in here.
PAGES = [
    "concepts",
    "builders",
    "cookbook",
    "sinks",
    "delta",
    "coming-from-flink",
    "coming-from-kafka-streams",
    "coming-from-beam",
    "coming-from-spark",
    "api",
    "setup",
    "platforms",
    "semantics",
    "operations",
    "faults",
    "performance",
    "state-format",
    "architecture",
]
# Only the API has pages below it.
html_sidebars = {page: [] for page in ["index", *PAGES] if page != "api"}


def setup(app):
    """Put the contents behind the first page, and show no arguments that are not for users."""

    def add_contents(_app, page, source):
        if page == "index":
            source[0] += "\n".join(["", "```{toctree}", ":hidden:", "", *PAGES, "```", ""])

    def drop_private(_app, _what, _name, _object, _options, signature, returns):
        return ("", returns) if signature and signature.startswith("(_") else None

    app.connect("source-read", add_contents)
    app.connect("autodoc-process-signature", drop_private)  # values that the first step makes
