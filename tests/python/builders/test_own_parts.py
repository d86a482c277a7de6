"""Subclasses of the package's parts, as Flink's users write them: refused where they stand, with what to write."""

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


def test_mypy_says_so_before_the_program_runs(tmp_path):
    (tmp_path / "mypy.ini").write_text("[mypy]\n")
    code = "import spark_windowing as sw\n" + "".join(f"class My{name}(sw.{name}): ...\n" for name in BASES)
    out, err, _ = api.run(["--no-incremental", "--config-file", str(tmp_path / "mypy.ini"), "-c", code])
    assert err == ""
    for name in BASES:
        assert f'Cannot inherit from final class "{name}"' in out
