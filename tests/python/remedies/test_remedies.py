"""The lines that errors name, typed: each works, and gives the rows that it should."""

import re

import matplotlib as mpl
import pyspark
import pytest

from both_sessions import ended
from remedies import NOT_RUN, REMEDIES, Data, code_in_errors

pytestmark = pytest.mark.spark

mpl.use("agg")
SINCE_SPARK_4 = ("a key of a variant", "a key of texts in lower case", "an exact count of different texts")
SINCE_SPARK_4_1 = ("an aggregate in Python on Arrow", "the real-time trigger")


@pytest.fixture(scope="module")
def data(spark):
    return Data(spark)


@pytest.mark.parametrize("remedy", REMEDIES, ids=lambda remedy: remedy.name)
def test_what_an_error_says_to_type_works(data, remedy):
    if pyspark.__version__.startswith("3.5.") and remedy.name.startswith(SINCE_SPARK_4):
        pytest.skip("Spark 3.5 has no variants and no collations")
    if pyspark.__version__.startswith(("3.5.", "4.0.")) and remedy.name.startswith(SINCE_SPARK_4_1):
        pytest.skip("Spark before 4.1 has no arrow_udf and no real-time trigger")
    with pytest.raises(Exception) as error:
        ended(remedy.wrong(data))
    assert re.search(remedy.said, str(error.value), re.DOTALL), str(error.value)[:2000]
    assert remedy.right(data) == remedy.rows


def test_every_line_to_type_is_followed_by_a_case_or_said_why_not():
    followed = {
        (file, call)
        for places in (*(remedy.of for remedy in REMEDIES), *NOT_RUN.values())
        for file, calls in places.items()
        for call in calls.split()
    }
    found = code_in_errors()
    assert sorted(found - followed) == []
    assert {file for file, _ in followed} - {file for file, _ in found} == set()
