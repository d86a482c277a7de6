import re
from pathlib import Path

import pytest

from spark_windowing import SparkWindowingError, __version__
from spark_windowing._gateway.compatibility import (
    REQUIREMENT,
    SPARK_LINES,
    SPARK_RANGE,
    check_jar,
    check_scala,
    check_spark,
)

ROOT = Path(__file__).parents[3]


def supported():
    """The versions of Spark that `make test-spark-matrix` takes."""
    text = (ROOT / "versions.properties").read_text(encoding="utf-8")
    return re.search(r"^spark.supported=(.*)$", text, re.MULTILINE)[1].split()


def line(version):
    return tuple(map(int, version.split(".")[:2]))


def test_every_accepted_line_is_tested_and_no_other():
    (major, first), (_, end) = SPARK_LINES
    assert sorted({line(version) for version in supported()}) == [
        (major, minor) for minor in range(first, end)
    ]


def test_the_range_is_the_same_wherever_it_is_written():
    first, end = (".".join(map(str, part)) for part in SPARK_LINES)
    last = ".".join(map(str, max(map(line, supported()))))
    assert f"pyspark>={first},<{end}" == REQUIREMENT
    assert f"{first} to {last}" == SPARK_RANGE
    project = (ROOT / "python" / "pyproject.toml").read_text(encoding="utf-8")
    assert (
        re.findall(r'"pyspark(?:\[connect\])?([<>=].*)"', project)
        == [REQUIREMENT.removeprefix("pyspark")] * 2
    )
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"Spark {SPARK_RANGE}" in readme
    assert [version for version in supported() if version not in readme] == []
    assert f"Spark {SPARK_RANGE}" in (ROOT / "python" / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("version", ["4.1.0", "4.1.4", "4.2.0", "4.3.0", "4.3.1-SNAPSHOT", "4.2.0-amzn-1"])
def test_the_supported_spark_lines_pass(version):
    check_spark(version)


@pytest.mark.parametrize("version", ["3.5.9", "4.0.5", "2.4.8", "unknown"])
def test_an_older_spark_is_refused_by_name(version):
    with pytest.raises(SparkWindowingError) as error:
        check_spark(version)
    assert f"needs Spark 4.1 to 4.3, this is Spark {version}" in str(error.value)
    assert 'pip install "pyspark>=4.1,<4.4"' in str(error.value)


@pytest.mark.parametrize("version", ["4.4.0", "4.10.0", "5.0.0"])
def test_a_newer_spark_is_not_supported_yet(version):
    with pytest.raises(SparkWindowingError, match=f"does not support Spark {version} yet"):
        check_spark(version)


def test_scala_must_be_the_line_of_the_jar():
    check_scala("2.13.18")
    with pytest.raises(
        SparkWindowingError, match=re.escape("built with Scala 2.12.18; the bundled jar needs")
    ):
        check_scala("2.12.18")


def test_the_classes_in_the_jvm_must_be_those_of_the_package():
    check_jar(__version__)
    with pytest.raises(SparkWindowingError) as error:
        check_jar("0.0.9")
    assert "classes of spark-windowing 0.0.9, this package is " in error.value.problem
    assert error.value.remedy.startswith("restart the kernel")


def test_an_error_shows_the_problem_then_the_line_to_type():
    error = SparkWindowingError("It is broken.", "mend()")
    assert str(error) == "It is broken.\n  mend()"
    assert isinstance(error, RuntimeError)
