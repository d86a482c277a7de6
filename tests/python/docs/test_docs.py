"""The code of the documentation runs, and the output that it shows is compared: see `pages`."""

import importlib
import re
from pathlib import Path

import pyspark
import pytest

from pages import play

pytestmark = pytest.mark.spark

ROOT = Path(__file__).parents[3]
# The sections of one need sessions with the tables and a server: tests/upserts. Another is played by the command of
# Spark: tests/python/pipelines. One needs Spark 4.3: streams/test_real_time.py.
ELSEWHERE = {ROOT / "docs" / name for name in ("upserts.md", "pipelines.md", "real-time.md")}
# The section of another page that needs Delta Lake.
FEED = ROOT / "docs" / "change-feeds.md"
DOCS = [path for path in sorted((ROOT / "docs").rglob("*.md")) if path not in ELSEWHERE]
PAGES = [ROOT / "README.md", ROOT / "python" / "README.md", *DOCS]
# By page: why it cannot run by Spark Connect.
CLASSIC = {
    ROOT / "docs" / "cookbook.md": "a function of foreachBatch prints, which the page shows",
    ROOT / "docs" / "sinks.md": "the function of foreachBatch holds a connection, which cannot be sent",
}


def page(path):
    marks = [pytest.mark.classic(CLASSIC[path])] if path in CLASSIC else []
    if path.name == "coming-from-spark.md" and pyspark.__version__.startswith("3.5."):
        marks.append(pytest.mark.skip(reason="it shows transformWithState, which Spark 3.5 has not"))
    return pytest.param(path, id=str(path.relative_to(ROOT)), marks=marks)


@pytest.fixture
def url_in_environment(connect_url, monkeypatch):
    """A page asks for its session by getOrCreate alone, as a program whose environment names the server."""
    if connect_url is not None:
        monkeypatch.setenv("SPARK_REMOTE", connect_url)


@pytest.mark.usefixtures("url_in_environment")
@pytest.mark.parametrize("path", [page(path) for path in PAGES])
def test_the_code_of_the_page_runs(spark, tmp_path, path):
    before = set(spark.streams.active)
    play(path, tmp_path, without={"Delta Lake"} if path == FEED else ())
    assert set(spark.streams.active) == before


def test_the_pictures_are_drawn(spark, tmp_path, monkeypatch):
    """They are not compared: matplotlib's versions differ in a line here and there."""
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    pictures = importlib.import_module("pictures")
    rate = spark.readStream.format("rate").load().withWatermark("timestamp", "5 seconds")
    pictures.draw(rate.selectExpr("string(NULL) AS user", "timestamp AS ts"), tmp_path)
    drawn = {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()}
    assert set(drawn) == {path.name for path in (ROOT / "docs" / "pictures").iterdir()}
    assert all("</svg>" in text for text in drawn.values())
    assert all("prefers-color-scheme: dark" in text for text in drawn.values())
    moving = drawn["early_and_late_moving.svg"]
    (values,) = re.findall(r'attributeName="height".* keyTimes="(.*)" values="(.*)"', moving)
    times, heights = ([float(number) for number in part.split(";")] for part in values)
    assert (len(times), times[0], times[-1]) == (len(heights), 0, 1)
    assert times == sorted(times)
    assert heights == sorted(heights, reverse=True)
    assert heights[0] > heights[-2] == heights[-1] == 0
    cover = r'\n@media \(prefers-reduced-motion.*(?=</style>)| <rect class="cover"(.|\n)*</rect>\n'
    assert re.sub(cover, "", moving) == drawn["early_and_late.svg"]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("```python\nprint(1)\n```\n\n```output\n2\n```", "the output is another"),
        ("```python\nprint(1)\n```\n", "printed and not shown:\n1"),
        ("```output\n2\n```", "the output is another"),
        ("```python\n1 / 0\n```", "division by zero"),
        ("```\nprint(1)\n```", "line 1: a block named ''"),
        ("<!-- invisible-code-block: python\n1 / 0\n-->", "division by zero"),
    ],
)
def test_a_page_that_is_wrong_fails(tmp_path, text, error):
    path = tmp_path / "page.md"
    path.write_text(f"{text}\n", encoding="utf-8")
    with pytest.raises((AssertionError, ValueError, ZeroDivisionError), match=re.escape(error)):
        play(path, tmp_path)


def test_a_page_runs_without_a_section(tmp_path):
    path = tmp_path / "page.md"
    failing = "```python\n1 / 0\n```\n\n"
    away = f"## Away\n\n{failing}### More of it\n\n{failing}<!-- invisible-code-block: python\n1 / 0\n-->\n\n"
    here = "## Here\n\n```python\nprint(x)\n```\n\n```output\n2\n```\n"
    path.write_text(f"```python\nx = 2\n```\n\n{away}{here}", encoding="utf-8")
    play(path, tmp_path, without={"Away"})
    with pytest.raises(ZeroDivisionError):
        play(path, tmp_path)
