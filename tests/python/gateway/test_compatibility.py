import re
from pathlib import Path

import pytest

from spark_windowing import SparkWindowingError, __version__
from spark_windowing._gateway.compatibility import (
    LINES,
    REQUIREMENT,
    SPARK_RANGE,
    check_jar,
    check_jar_line,
    check_scala,
    line_of,
)

ROOT = Path(__file__).parents[3]


def supported():
    """The versions of Spark that `make test-spark-matrix` takes."""
    text = (ROOT / "versions.properties").read_text(encoding="utf-8")
    return re.search(r"^spark.supported=(.*)$", text, re.MULTILINE)[1].split()


def properties(prefix):
    """The lines of versions.properties that begin so, by the rest of the key."""
    text = (ROOT / "versions.properties").read_text(encoding="utf-8")
    return dict(re.findall(rf"^{prefix}([\d.]*)=(.*)$", text, re.MULTILINE))


def number(version):
    return tuple(map(int, version.split(".")[:2]))


def test_every_accepted_version_is_tested_and_no_other():
    accepted = [(line.first[0], minor) for line in LINES for minor in range(line.first[1], line.below[1])]
    assert sorted({number(version) for version in supported()}) == accepted


def test_the_package_and_the_build_have_the_same_lines():
    assert [line.name for line in LINES] == properties("lines")[""].split()
    built = {
        line_of(version).name for version in [*properties("spark").values(), *properties("spark-").values()]
    }
    assert built == {line.name for line in LINES}


def test_each_jar_is_built_with_a_version_of_its_line():
    for first, version in properties("spark-").items():
        assert line_of(version).first == number(first)


def test_the_range_is_the_same_wherever_it_is_written():
    first, end = (".".join(map(str, part)) for part in (LINES[0].first, LINES[-1].below))
    last = ".".join(map(str, max(map(number, supported()))))
    assert f"pyspark>={first},<{end}" == REQUIREMENT
    assert f"{first} to {last}" == SPARK_RANGE
    project = (ROOT / "python" / "pyproject.toml").read_text(encoding="utf-8")
    assert (
        re.findall(r'"pyspark(?:\[connect,pipelines\])?([<>=].*?)"', project)
        == [REQUIREMENT.removeprefix("pyspark")] * 2
    )
    assert f'"pyspark-client>=4.0,<{end}"' in project
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"Spark {SPARK_RANGE}" in readme
    assert [version for version in supported() if version not in readme] == []
    for page in ("python/README.md", "docs/setup.md", "docs/index.md", "docs/install.md", "docs/scala.md"):
        assert f"Spark {SPARK_RANGE}" in (ROOT / page).read_text(encoding="utf-8"), page


@pytest.mark.parametrize(
    ("version", "line"),
    [
        ("3.5.0", "3.5_2.12"),
        ("3.5.6-amzn-1", "3.5_2.12"),
        ("4.0.0", "4.0_2.13"),
        ("4.0.4-amzn-0", "4.0_2.13"),
        ("4.1.0", "4.1_2.13"),
        ("4.1.4", "4.1_2.13"),
        ("4.2.0-amzn-1", "4.1_2.13"),
        ("4.3.1-SNAPSHOT", "4.1_2.13"),
    ],
)
def test_a_supported_version_has_the_jar_of_its_line(version, line):
    assert line_of(version).name == line


def test_a_line_says_its_versions():
    assert [line.versions for line in LINES] == ["3.5", "4.0", "4.1 to 4.3"]


@pytest.mark.parametrize("version", ["3.4.4", "2.4.8", "unknown"])
def test_an_older_spark_is_refused_by_name(version):
    with pytest.raises(SparkWindowingError) as error:
        line_of(version)
    assert f"needs Spark 3.5 to 4.3, this is Spark {version}" in str(error.value)
    assert 'pip install "pyspark>=3.5,<4.4"' in str(error.value)


@pytest.mark.parametrize("version", ["4.4.0", "4.10.0", "5.0.0"])
def test_a_newer_spark_is_not_supported_yet(version):
    with pytest.raises(SparkWindowingError, match=f"does not support Spark {version} yet"):
        line_of(version)


def test_scala_must_be_the_line_of_the_jar():
    check_scala("2.12.18", LINES[0])
    with pytest.raises(
        SparkWindowingError, match=re.escape("built with Scala 2.13.8; the bundled jar needs Scala 2.12")
    ) as error:
        check_scala("2.13.8", LINES[0])
    assert error.value.remedy.endswith(
        f"--packages dev.sparkwindowing:spark-windowing-spark3.5_2.13:{__version__}"
    )


def test_the_classes_in_the_jvm_must_be_those_of_the_package():
    check_jar(__version__)
    with pytest.raises(SparkWindowingError) as error:
        check_jar("0.0.9")
    assert "classes of spark-windowing 0.0.9, this package is " in error.value.problem
    assert error.value.remedy.startswith("restart the kernel")


def test_the_classes_in_the_jvm_must_be_those_for_its_spark():
    check_jar_line("3.5_2.12", "3.5.8", "2.12.18")
    check_jar_line("3.5_2.13", "3.5.8", "2.13.8")
    check_jar_line("4.0_2.13", "4.0.4", "2.13.16")
    check_jar_line("4.1_2.13", "4.3.0", "2.13.18")
    with pytest.raises(SparkWindowingError) as error:
        check_jar_line("4.1_2.13", "4.0.4", "2.13.16")
    assert (
        "classes of spark-windowing-spark4.1_2.13, which do not run on Spark 4.0.4 with Scala 2.13: "
        in error.value.problem
    )
    assert error.value.problem.endswith("the jar for it is spark-windowing-spark4.0_2.13.")
    assert "python -m spark_windowing jar-path 4.0.4" in error.value.remedy


def test_a_jar_that_is_not_in_the_wheel_is_named_by_its_maven_coordinates():
    with pytest.raises(SparkWindowingError) as error:
        check_jar_line("3.5_2.12", "3.5.8", "2.13.8")
    assert error.value.remedy.endswith(
        f"--packages dev.sparkwindowing:spark-windowing-spark3.5_2.13:{__version__}"
    )


def test_an_error_shows_the_problem_then_the_line_to_type():
    error = SparkWindowingError("It is broken.", "mend()")
    assert str(error) == "It is broken.\n  mend()"
    assert isinstance(error, RuntimeError)
