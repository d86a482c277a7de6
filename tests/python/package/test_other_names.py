"""Names of other systems as attributes of the package: an error that says what to type, and nothing else changes."""

import copy
import inspect
import pickle
import subprocess
import sys

import pytest

import spark_windowing as sw
from spark_windowing._gateway.guidance import OTHER_NAMES, other_name

CASES = [(system, name, *case) for system, names in OTHER_NAMES.items() for name, case in names.items()]
NAMES = [name for _, name, *_ in CASES]


@pytest.mark.parametrize(("system", "name", "ours", "line"), CASES, ids=NAMES)
def test_a_name_of_another_system_says_what_to_type(system, name, ours, line):
    with pytest.raises(AttributeError) as error:
        getattr(sw, name)
    assert str(error.value) == f"{name} is {system} name for {ours}: {line}"
    assert not hasattr(sw, name)


def test_a_name_is_that_of_one_system():
    assert len(NAMES) == len(set(NAMES))


def test_no_name_of_another_system_is_one_of_ours():
    assert set(NAMES) & set(sw.__all__) == set()
    assert set(NAMES) & set(dir(sw)) == set()


@pytest.mark.parametrize("name", ["coGroup", "sideOutput", "timeWindowAll", "assignTimestampsAndWatermarks"])
def test_the_spelling_of_java_leads_to_that_of_python(name):
    with pytest.raises(AttributeError, match=f"^{name} is written [a-z_]+ in Python$"):
        getattr(sw, name)


@pytest.mark.parametrize("name", ["nothing", "Nothing", "__wrapped__", "_repr_html_", "_keyBy"])
def test_another_name_fails_as_that_of_any_module(name):
    with pytest.raises(AttributeError, match=f"^module 'spark_windowing' has no attribute '{name}'$"):
        getattr(sw, name)


def test_a_private_name_is_no_hint_though_it_may_be_spelled_as_one():
    assert other_name("_key_by", ["_key_by"]) is None
    assert other_name("keyed", ["keyed"]) is None
    assert other_name("KeyedStreams", ["keyed_stream"]) is None


def test_a_traceback_still_says_which_name_is_near():
    run = subprocess.run(
        [sys.executable, "-c", "import spark_windowing as sw; sw.key_bi"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "AttributeError: module 'spark_windowing' has no attribute 'key_bi'" in run.stderr
    assert "Did you mean: 'key_by'?" in run.stderr


def test_the_package_is_inspected_copied_and_pickled_as_before():
    assert inspect.getmodule(sw.key_by).__name__ == "spark_windowing._streams.key_by"
    assert inspect.unwrap(sw.key_by) is sw.key_by
    assert pickle.loads(pickle.dumps(sw.key_by)) is sw.key_by
    assert copy.copy(sw.CountTrigger(3)) == sw.CountTrigger(3)
    assert set(sw.__all__) <= set(dir(sw))
