"""`python -m spark_windowing pipeline-options` prints the options of a pipeline's server."""

import pyspark
import pytest

import spark_windowing as sw
from spark_windowing.__main__ import main

BEFORE = tuple(map(int, pyspark.__version__.split(".")[:2])) < (4, 1)


@pytest.mark.skipif(BEFORE, reason="Declarative Pipelines came with Spark 4.1")
def test_the_jar_on_the_class_path_the_extension_and_the_plugin(capsys):
    assert main(["pipeline-options", "com.acme.Extension"]) == 0
    assert capsys.readouterr().out.split() == [
        "--driver-class-path",
        sw.jar_path(),
        "--conf",
        "spark.sql.extensions=com.acme.Extension,dev.sparkwindowing.SparkWindowingExtensions",
        "--conf",
        "spark.connect.extensions.relation.classes=dev.sparkwindowing.connect.SparkWindowingPlugin",
    ]


def test_refused_before_spark_4_1(capsys, monkeypatch):
    monkeypatch.setattr(pyspark, "__version__", "4.0.4")
    assert main(["pipeline-options"]) == 1
    assert capsys.readouterr().err == (
        "PySpark 4.0.4 has no Declarative Pipelines: they came with Spark 4.1.\n"
        '  pip install "pyspark[pipelines]>=4.1"\n'
    )


def test_doctor_finds_settings_of_a_spec_that_come_too_late(tmp_path, monkeypatch):
    spec = tmp_path / "spark-pipeline.yml"
    monkeypatch.chdir(tmp_path)
    assert "pipeline" not in {finding.subject for finding in sw.doctor().findings}
    spec.write_text('name: a\nconfiguration:\n  spark.sql.shuffle.partitions: "2"\n')
    (found,) = (finding for finding in sw.doctor().findings if finding.subject == "pipeline")
    start = "spark-pipelines run $(python -m spark_windowing pipeline-options)"
    assert (found.found, found.remedy) == (f"spark-pipeline.yml, with windows by {start}", "")
    spec.write_text(spec.read_text() + '  "spark.sql.extensions": com.acme.Mine\n  spark.jars: my.jar\n')
    (found,) = sw.doctor().problems
    assert found.found == (
        "spark-pipeline.yml sets spark.sql.extensions, spark.jars, which a server takes at its start only"
    )
    assert found.remedy == f"take it out, and name it on the command line: {start}"
