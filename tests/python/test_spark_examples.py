"""The examples of the docstrings that need a session."""

import doctest
import importlib

import pytest
from pyspark.sql import functions as F

import spark_windowing as sw

pytestmark = pytest.mark.spark


@pytest.mark.parametrize(
    "name",
    ["_keyed", "_results", "_for_each", "_delta", "_simulate", "_setup", "_doctor", "_jar", "_watermarks"],
)
def test_examples_run(spark, clicks, name):
    sw.attach(spark)
    module = importlib.import_module(f"spark_windowing.{name}")
    names = {"sw": sw, "F": F, "spark": spark, "clicks": clicks}
    results = doctest.testmod(module, extraglobs=names)
    assert results.failed == 0
    assert results.attempted > 0
