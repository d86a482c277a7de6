"""The versions that the site names: those of the tags, and the one that is built."""

import importlib.util
import subprocess
from pathlib import Path

import pytest

CONF = Path(__file__).parents[3] / "docs" / "conf.py"


@pytest.fixture
def conf(tmp_path, monkeypatch):
    """conf.py in a repository of its own, with one commit."""
    spec = importlib.util.spec_from_file_location("conf", CONF)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "HERE", tmp_path)
    return module


@pytest.fixture
def git(tmp_path):
    def run(*arguments):
        who = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *who, *arguments], cwd=tmp_path, check=True, capture_output=True)

    run("init")
    run("commit", "--allow-empty", "-m", "first")
    return run


def test_without_tags_there_is_one_version(conf, git):
    assert conf.versions() == ("development", ["development"])
    git("tag", "nightly")
    assert conf.versions() == ("development", ["development"])


def test_without_a_repository_there_is_one_version(conf, monkeypatch):
    assert conf.versions() == ("development", ["development"])
    monkeypatch.setenv("PATH", "")
    assert conf.versions() == ("development", ["development"])


def test_a_tag_is_a_version_and_the_newest_comes_first(conf, git):
    for number in ("0.9.0", "0.10.0"):
        git("commit", "--allow-empty", "-m", number)
        git("tag", f"v{number}")
    assert conf.versions() == ("0.10.0", ["development", "0.10.0", "0.9.0"])
    git("commit", "--allow-empty", "-m", "more")
    assert conf.versions() == ("development", ["development", "0.10.0", "0.9.0"])


@pytest.mark.parametrize(
    ("code", "pieces"),
    [
        ("TumblingEventTimeWindows", ["Tumbling", "Event", "TimeWindows"]),
        ("sw.allow_state_change()", ["sw.", "allow_", "state_", "change()"]),
        ("cleanup(W)", ["cleanup(W)"]),
        ("fires(element.urgent)", ["fires(", "element.", "urgent)"]),
        ("4.1_2.13", ["4.1_2.13"]),
        ("a &lt; <span>b_cd</span>", ["a &lt; <span>b_", "cd</span>"]),
    ],
)
def test_code_in_a_table_breaks_between_words(conf, code, pieces):
    page = "<p><code>sw.key_by</code></p><table>\n<td><code>{}</code></td></table><code>withGap</code>"
    assert conf.breakable_cells(page.format(code)) == page.format("<wbr>".join(pieces))


def test_the_quick_start_is_the_notebook_with_its_outputs(conf):
    page = conf.page_of(CONF.parents[1] / "examples" / "1_quick_start.ipynb")
    assert page.startswith("# Quick start\n")
    assert page.count('src="data:image/png;base64,') == 3
    assert '<div class="table-wrapper container"><table class="docutils">' in page
    assert "[docs/install.md](install.md)" in page
    assert "](../examples/2_triggers_and_evictors.ipynb)" in page
    assert page.count("```") == 2 * (page.count("```python\n") + page.count("```text\n"))
