"""Subclasses of the package's parts, as Flink's users write them: refused where they stand, with what to write.

And what mypy says of them, and of a `keyed` chain, before the program runs.
"""

import re

import pytest
from mypy import api

import spark_windowing as sw
from spark_windowing._builders.part import Part

PARTS = [v for v in vars(sw).values() if isinstance(v, type) and issubclass(v, Part)]
BASES = {
    "WindowAssigner": "sw.ColumnAssigner.of(",
    "Trigger": "sw.ColumnTrigger.of(",
    "Evictor": "sw.ColumnEvictor.keep(",
    "AggregateFunction": "sw.AggregateFunction(create_accumulator=",
}


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.__name__)
def test_no_part_can_be_derived_from_outside(part):
    with pytest.raises(TypeError) as error:

        class MyPart(part):
            def on_element(self, element, timestamp, window, ctx):
                return "FIRE"

    assert f"MyPart cannot be a subclass of {part.__name__}: it runs in the JVM" in str(error.value)
    assert "Make a value of it instead" in str(error.value) or "sw.jvm(" in str(error.value)


@pytest.mark.parametrize("name", BASES)
def test_the_error_says_how_to_write_one_of_ones_own(name):
    with pytest.raises(TypeError) as error:
        type("Mine", (getattr(sw, name),), {})
    assert BASES[name] in str(error.value)
    assert "sw.jvm(" in str(error.value)


def test_a_class_of_a_derived_one_is_refused_with_the_same():
    with pytest.raises(TypeError, match=r"cannot be a subclass of CountTrigger: .*sw\.ColumnTrigger\.when"):
        type("Mine", (sw.CountTrigger,), {})


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    """What mypy says of a program with derived parts and a chain of `keyed`."""
    settings = tmp_path_factory.mktemp("mypy") / "mypy.ini"
    settings.write_text("[mypy]\n")
    code = "import spark_windowing as sw\n" + "".join(f"class My{name}(sw.{name}): ...\n" for name in BASES)
    code += "".join(f"reveal_type(sw.{call})\n" for call in FACTORIES)
    out, err, _ = api.run(["--no-incremental", "--config-file", str(settings), "-c", code + CHAIN])
    assert err == ""
    return out


CHAIN = """
from collections.abc import Callable

def declare(transform: Callable[[Callable[..., object]], object]) -> None:
    keys = sw.keyed("user", time="ts")
    windows = keys.time_window("5 minutes").trigger(sw.CountTrigger.of(3)).allowed_lateness("1 hour")
    reveal_type(windows)
    transform(windows.agg("count(*)"))
    transform(keys)
    keys.aggregate("count(*)")
    windows.allowed_lateness()
"""
FACTORIES = {
    'TumblingEventTimeWindows.of("1 s")': "TumblingEventTimeWindows",
    'TumblingProcessingTimeWindows.of("1 s")': "TumblingProcessingTimeWindows",
    'SlidingEventTimeWindows.of("2 s", "1 s")': "SlidingEventTimeWindows",
    'SlidingProcessingTimeWindows.of("2 s", "1 s")': "SlidingProcessingTimeWindows",
    'EventTimeSessionWindows.with_gap("1 s")': "EventTimeSessionWindows",
    'EventTimeSessionWindows.with_dynamic_gap("gap")': "DynamicEventTimeSessionWindows",
    'ProcessingTimeSessionWindows.with_gap("1 s")': "ProcessingTimeSessionWindows",
    'ProcessingTimeSessionWindows.with_dynamic_gap("gap")': "DynamicProcessingTimeSessionWindows",
    'ContinuousProcessingTimeTrigger.of("1 s")': "ContinuousProcessingTimeTrigger",
    "NeverTrigger.create()": "NeverTrigger",
}


def test_mypy_knows_the_class_that_a_factory_makes(said):
    revealed = re.findall(r'Revealed type is "spark_windowing\._builders\.\w+\.(\w+)"', said)
    assert revealed == list(FACTORIES.values())


def test_mypy_says_so_before_the_program_runs(said):
    for name in BASES:
        assert f'Cannot inherit from final class "{name}"' in said


def test_mypy_knows_the_steps_of_keyed_and_refuses_a_chain_that_is_not_complete(said):
    lines = [line.partition(": ")[2] for line in said.splitlines()]
    assert (
        'note: Revealed type is "spark_windowing._streams.windowed.WindowedStream[spark_windowing._streams.transform.Transform]"'
        in lines
    )
    errors = [line for line in lines if line.startswith("error") and "Cannot inherit" not in line]
    assert len(errors) == 3
    assert errors[0].startswith(
        'error: Argument 1 has incompatible type "KeyedStream[Transform]"; expected "Callable['
    )
    assert errors[1].startswith('error: "KeyedStream[Transform]" has no attribute "aggregate"')
    assert errors[2].startswith('error: Missing positional argument "lateness"')
