"""What `help` and an editor show: sections of docstrings, and completion at each step of a declaration."""

import inspect
import re
from pathlib import Path

import jedi
import pytest

import spark_windowing as sw
from spark_windowing import sim
from spark_windowing._builders.part import Part

PUBLIC = [(name, getattr(sw, name)) for name in sw.__all__]
CLASSES = {name: value for name, value in PUBLIC if inspect.isclass(value)}
FUNCTIONS = {name: value for name, value in PUBLIC if inspect.isfunction(value)}
STEPS = {f"sim.{name}": getattr(sim, name) for name in sim.__all__ if inspect.isfunction(getattr(sim, name))}
KINDS = ["KeyedStream", "WindowedStream", "WindowAssigner", "Trigger", "Evictor"]
CHAIN = {
    f"{owner.__name__}.{name}": member
    for owner in (sw.KeyedStream, sw.WindowedStream)
    for name, member in inspect.getmembers(owner, inspect.isfunction)
    if not name.startswith("_")
}
FACTORIES = {
    f"{name}.{method.__name__}": method
    for name, owner in CLASSES.items()
    for _, method in inspect.getmembers(owner, inspect.ismethod)
    if not method.__name__.startswith("_") and issubclass(owner, Part)
}


def sections(value):
    return re.findall(r"^(\w[\w ]*)\n-{3,}$", inspect.getdoc(value), re.MULTILINE)


@pytest.mark.parametrize("name", [*FUNCTIONS, *STEPS, *CHAIN])
def test_a_function_says_what_it_takes_and_gives_and_shows_it(name):
    value = {**FUNCTIONS, **STEPS, **CHAIN}[name]
    signature = inspect.signature(value)
    takes = [parameter for parameter in signature.parameters if parameter != "self"]
    wanted = ["Parameters"] * bool(takes) + ["Returns"] * (signature.return_annotation != "None")
    missing = [section for section in [*wanted, "Examples"] if section not in sections(value)]
    assert not missing


@pytest.mark.parametrize("name", CLASSES)
def test_a_class_shows_an_example(name):
    assert "Examples" in sections(CLASSES[name])


@pytest.mark.parametrize("name", FACTORIES)
def test_a_class_names_its_factories_first(name):
    """`help` lists them behind the noise of a dataclass."""
    owner, _, factory = name.partition(".")
    before = inspect.getdoc(CLASSES[owner]).partition("Attributes\n")[0]
    assert f"`{factory}`" in before or f".{factory}(" in before


@pytest.mark.parametrize("name", FACTORIES)
def test_a_factory_says_what_it_gives(name):
    takes = inspect.signature(FACTORIES[name]).parameters
    wanted = ["Parameters"] * bool(takes) + ["Returns"]
    assert [section for section in wanted if section not in sections(FACTORIES[name])] == []


def test_the_api_page_names_everything():
    page = (Path(__file__).parents[3] / "docs" / "api.rst").read_text(encoding="utf-8")
    package, steps = page.split("Steps of a simulation")
    assert names_in(package) == set(sw.__all__) - {"Duration", "sim", "__version__"}
    assert names_in(steps) == set(sim.__all__) - {"Step", "Time"}


def test_the_page_of_builders_names_everything():
    page = (Path(__file__).parents[3] / "docs" / "builders.md").read_text(encoding="utf-8")
    assert set(sw.__all__) - set(re.findall(r"\w+", page)) == set(KINDS) | {"__version__"}


def names_in(page):
    return set(re.findall(r"^ {3}(\w+)$", page, re.MULTILINE))


SESSION = """
import spark_windowing as sw
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

def declare(df: DataFrame, spark: SparkSession) -> None:
    keyed = sw.key_by(df, "user", time="ts")
    windows = keyed.window(sw.EventTimeSessionWindows.with_gap("30 minutes"))
    late = windows.trigger(sw.CountTrigger.of(100)).allowed_lateness("1 hour").side_output_late_data("late")
    result = late.evictor(sw.CountEvictor.of(10)).with_pane().aggregate(F.count("*"))
    strategy = sw.WatermarkStrategy.for_bounded_out_of_orderness("5 seconds")
    run = sw.simulate(result, [sw.sim.watermark(0)])
    """


def complete(typed):
    """The names that an editor offers behind what was typed."""
    source = SESSION + typed
    return {found.name for found in jedi.Script(source).complete(*_end(source))}


def signature(typed):
    """The parameters that an editor shows behind an opening bracket."""
    source = SESSION + typed
    (found,) = jedi.Script(source).get_signatures(*_end(source))
    return [parameter.name for parameter in found.params]


def _end(source):
    lines = source.splitlines()
    return len(lines), len(lines[-1])


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("sw.", {"key_by", "CountTrigger", "simulate", "side_output", "WatermarkStrategy"}),
        ("sw.CountTrigger.", {"of"}),
        ("sw.EventTimeSessionWindows.", {"with_gap", "with_dynamic_gap"}),
        ("sw.ColumnTrigger.", {"when", "of"}),
        ("sw.key_by(df, 'user', time='ts').", {"window", "time_window", "count_window"}),
        ("keyed.time_window('1 hour').", {"trigger", "evictor", "aggregate", "process"}),
        ("sw.keyed('user', time='ts').", {"window", "time_window", "count_window"}),
        ("sw.keyed('user').time_window('1 hour').", {"trigger", "aggregate", "max_by"}),
        ("sw.keyed('user').time_window('1 hour').with_pane().", {"trigger", "aggregate", "max_by"}),
        ("df.transform(sw.keyed('user').time_window('1 hour').agg('sum(x)')).", {"writeStream", "select"}),
        ("keyed.count_window(3).", {"trigger", "evictor", "aggregate", "reduce"}),
        ("sw.window_all(df, sw.GlobalWindows.create()).", {"trigger", "aggregate"}),
        ("windows.", {"trigger", "allowed_lateness", "side_output_late_data", "changelog", "max_by"}),
        ("windows.trigger(sw.CountTrigger.of(3)).", {"evictor", "allowed_lateness", "aggregate", "apply"}),
        ("late.", {"trigger", "collapse_firings", "aggregate"}),
        ("result.", {"writeStream", "select", "show"}),
        ("sw.side_output(result, 'late').", {"writeStream", "select"}),
        ("strategy.", {"with_timestamp_assigner", "with_max_ahead_of_clock"}),
        ("strategy.with_idleness('1 minute').", {"with_timestamp_assigner"}),
        ("sw.sim.", {"element", "watermark", "batch"}),
        ("run.", {"steps", "show"}),
        ("sw.doctor().", {"ok", "problems", "findings"}),
    ],
)
def test_an_editor_offers_the_next_step(typed, offered):
    assert offered - complete(typed) == set()


@pytest.mark.parametrize(
    ("typed", "parameters"),
    [
        ("sw.key_by(", ["df", "*keys", "time", "on_missing_time"]),
        ("keyed.window(", ["assigner"]),
        ("keyed.time_window(", ["size", "slide"]),
        ("sw.TumblingEventTimeWindows.of(", ["size", "offset", "stagger"]),
        ("sw.ProcessingTimeSessionWindows(", ["gap", "max_length", "ends_at"]),
        ("sw.CountEvictor.of(", ["max_count", "do_evict_after"]),
        ("windows.allowed_lateness(", ["lateness"]),
        ("windows.trigger(sw.CountTrigger.of(3)).process(", ["function", "schema"]),
        ("sw.simulate(", ["result", "steps", "watermarks"]),
        ("sw.sim.element(", ["row", "input", "**columns"]),
    ],
)
def test_an_editor_shows_what_a_step_takes(typed, parameters):
    shown = [parameter for parameter in signature(typed) if parameter != "self"]
    assert [name.strip("*") for name in shown][: len(parameters)] == [name.strip("*") for name in parameters]
