"""Whether the jar, compiled against one Spark, links with the one that is installed: also what no test reaches."""

import re
import shutil
import subprocess
from pathlib import Path

import pyspark
import pytest

import spark_windowing as sw

pytestmark = pytest.mark.spark

SPARK_JARS = Path(pyspark.__file__).parent / "jars"
LINK_CHECK = Path(__file__).parent / "links" / "LinkCheck.java"

OTHER_SPARK = {
    "SparkContext": "package org.apache.spark; public class SparkContext { public static void gone() {} }",
    "Partition": "package org.apache.spark; public interface Partition {}",
    "User": "class User implements org.apache.spark.Partition { User() { org.apache.spark.SparkContext.gone(); } }",
}


def missing(jar):
    """The lines of the check, and how many members it looked up."""
    run = subprocess.run(
        ["java", "-XX:TieredStopAtLevel=1", "-cp", f"{SPARK_JARS}/*", str(LINK_CHECK), str(jar)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    *lines, count = run.stdout.splitlines()
    return lines, int(re.fullmatch(r"(\d+) looked up", count)[1])


def test_every_member_that_the_jar_names_is_there():
    lines, count = missing(sw.jar_path())
    assert lines == []
    assert count > 2000


def test_what_another_spark_had_and_had_not_is_found(tmp_path):
    for name, text in OTHER_SPARK.items():
        (tmp_path / f"{name}.java").write_text(text)
    classes = tmp_path / "classes"
    subprocess.run(["javac", "-d", str(classes), *map(str, tmp_path.glob("*.java"))], check=True)
    shutil.rmtree(classes / "org")
    lines, _ = missing(shutil.make_archive(str(tmp_path / "user"), "zip", classes))
    expected = {"User names org/apache/spark/SparkContext.gone()V", "User does not implement index()I"}
    assert expected <= set(lines)
