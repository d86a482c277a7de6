"""A jar of another version in the session, made of a small Java class with the name of the entry object."""

import shutil
import subprocess
from pathlib import Path

import pyspark
import pytest

import spark_windowing as sw
from spark_windowing._gateway.compatibility import LINES, line_of

pytestmark = pytest.mark.spark

ENTRY = """
package dev.sparkwindowing.interop;
public final class Gateway$ {
  public static final Gateway$ MODULE$ = new Gateway$();
  public String version() { return "0.0.9"; }
}
"""

PROGRAM = """
import sys
import threading
import spark_windowing as sw
from pathlib import Path
from spark_windowing._gateway import jar as bundled
from pyspark.sql import SparkSession
spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
if sys.argv[1] == "ADD JAR":
    spark.sql(f"ADD JAR '{sys.argv[2]}'")
if sys.argv[1] == "in the package":
    bundled._FOLDER = Path(sys.argv[2]).parent
def attach():
    try:
        sw.attach(spark)
    except sw.SparkWindowingError as error:
        print(error.problem, "->", error.remedy)
attach()
thread = threading.Thread(target=attach)
thread.start()
thread.join()
spark.stop()
"""


@pytest.fixture
def other_jar(tmp_path):
    javac = shutil.which("javac")
    assert javac, "the build needs a JDK, and so does this test"
    source = tmp_path / "Gateway$.java"
    source.write_text(ENTRY)
    subprocess.run([javac, "-d", str(tmp_path / "classes"), str(source)], check=True)
    made = shutil.make_archive(str(tmp_path / "other"), "zip", tmp_path / "classes")
    return shutil.move(made, tmp_path / f"spark-windowing-spark{line_of(pyspark.__version__).name}-0.0.9.jar")


def check(lines):
    assert len(lines) == 2
    for line in lines:
        assert line.startswith("The JVM holds the classes of spark-windowing 0.0.9, this package is ")
        assert "-> restart the kernel" in line


def test_it_is_refused_in_every_thread_with_the_advice_to_restart(python, other_jar):
    check(python(PROGRAM, "ADD JAR", str(other_jar)))


def test_the_jar_in_the_package_is_found_wherever_the_package_lies(python, other_jar, tmp_path):
    folder = "jürgen's folder"
    (tmp_path / folder).mkdir()
    jar = shutil.move(other_jar, tmp_path / folder / Path(sw.jar_path()).name)
    check(python(PROGRAM, "in the package", str(jar)))


OTHER_LINE = """
import sys
import spark_windowing as sw
from pyspark.sql import SparkSession
builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
for setting in sys.argv[2:]:
    builder = builder.config(*setting.split("=", 1))
try:
    spark = builder.config("spark.jars", sys.argv[1]).getOrCreate()
    sw.attach(spark)
except Exception as error:
    print(next(line for line in str(error).splitlines() if "spark-windowing-spark" in line))
"""


@pytest.mark.parametrize("line", [line for line in LINES if line != line_of(pyspark.__version__)])
def test_the_jar_for_another_line_of_spark_is_refused_with_the_name_of_the_right_one(python, line):
    jar = sw.jar_path(".".join(map(str, line.first)))
    right = f"spark-windowing-spark{line_of(pyspark.__version__).name}"
    (said,) = python(OTHER_LINE, jar, "spark.sql.extensions=dev.sparkwindowing.SparkWindowingExtensions")
    if line.scala != line_of(pyspark.__version__).scala:  # Spark cannot load it and goes on without
        assert said.startswith(f"The JVM holds the classes of spark-windowing-spark{line.name}, ")
        return
    assert (
        f"spark-windowing-spark{line.name}:{sw.__version__} does not run on Spark {pyspark.__version__}"
        in said
    )
    assert said.endswith(f"use dev.sparkwindowing:{right}:{sw.__version__}")


def test_the_jar_for_another_line_is_known_by_its_name_also_if_it_came_by_packages(python, tmp_path):
    line = next(line for line in LINES if line != line_of(pyspark.__version__))
    bundled = sw.jar_path(".".join(map(str, line.first)))
    jar = shutil.copy(bundled, tmp_path / f"dev.sparkwindowing_{Path(bundled).name}")  # as Spark names it
    (said,) = python(OTHER_LINE, str(jar))
    assert said.startswith(f"The JVM holds the classes of spark-windowing-spark{line.name}, ")
    assert said.endswith(f"the jar for it is spark-windowing-spark{line_of(pyspark.__version__).name}.")
