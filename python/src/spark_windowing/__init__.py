"""Apache Flink's windows for Spark Structured Streaming.

Declare: `key_by`, a window, its trigger, evictor and lateness, then ``aggregate``. The result is a DataFrame.
"""

import typing as _typing

from spark_windowing import sim
from spark_windowing._builders.aggregate_function import AggregateFunction
from spark_windowing._builders.aggregate_trigger import AggregateTrigger
from spark_windowing._builders.assigners import (
    GlobalWindows,
    SlidingEventTimeWindows,
    SlidingProcessingTimeWindows,
    TumblingEventTimeWindows,
    TumblingProcessingTimeWindows,
    WindowAssigner,
)
from spark_windowing._builders.calendar_windows import CalendarWindows
from spark_windowing._builders.column_process import ColumnProcess, Do
from spark_windowing._builders.column_state import ColumnState
from spark_windowing._builders.column_triggers import Answer, ColumnTrigger
from spark_windowing._builders.columns import (
    ColumnAssigner,
    ColumnEvictor,
    DeltaEvictor,
    DeltaTrigger,
)
from spark_windowing._builders.composite_triggers import AllTrigger, AnyTrigger, OnceTrigger
from spark_windowing._builders.count_windows import CountWindows
from spark_windowing._builders.cumulative_windows import CumulativeEventTimeWindows
from spark_windowing._builders.durations import Duration
from spark_windowing._builders.evictors import CountEvictor, Evictor, TimeEvictor
from spark_windowing._builders.jvm import JvmPart, jvm
from spark_windowing._builders.over import OverEventTimeWindows
from spark_windowing._builders.sessions import (
    DynamicEventTimeSessionWindows,
    DynamicProcessingTimeSessionWindows,
    EventTimeSessionWindows,
    ProcessingTimeSessionWindows,
)
from spark_windowing._builders.timed_triggers import (
    AfterWatermark,
    ContinuousEventTimeTrigger,
    ContinuousProcessingTimeTrigger,
    ProcessingTimeoutTrigger,
)
from spark_windowing._builders.triggers import (
    CountTrigger,
    EndOfStreamTrigger,
    EventTimeTrigger,
    MicroBatchTrigger,
    NeverTrigger,
    ProcessingTimeTrigger,
    PurgingTrigger,
    Trigger,
)
from spark_windowing._checkpoints.migrate import MigratedOperator, migrate
from spark_windowing._checkpoints.rescale import RescaledOperator, rescale
from spark_windowing._gateway.doctor import Finding, Report, doctor
from spark_windowing._gateway.errors import SparkWindowingError
from spark_windowing._gateway.guidance import other_name as _other_name
from spark_windowing._gateway.jar import jar_path
from spark_windowing._gateway.setup import attach, configure
from spark_windowing._monitoring.monitor import monitor
from spark_windowing._pictures.of_variants import plot_what_if
from spark_windowing._pictures.of_windows import plot_windows
from spark_windowing._results.advise import Advice, Delay, advise
from spark_windowing._results.for_each import for_each_output
from spark_windowing._results.outputs import all_outputs, explain, side_output
from spark_windowing._results.read_state import read_state
from spark_windowing._results.what_if import what_if
from spark_windowing._simulation.simulate import simulate
from spark_windowing._simulation.why import why
from spark_windowing._streams.clock import with_clock
from spark_windowing._streams.context import Context, Tagged
from spark_windowing._streams.joined import JoinedStreams, JoinedWindows, co_group, join
from spark_windowing._streams.key_by import key_by, keyed
from spark_windowing._streams.keyed import KeyedStream
from spark_windowing._streams.transform import Transform
from spark_windowing._streams.watermarks import WatermarkStrategy, assign_timestamps_and_watermarks
from spark_windowing._streams.window_all import count_window_all, time_window_all, window_all
from spark_windowing._streams.windowed import WindowedStream
from spark_windowing._upserts.delta import upsert_to_delta
from spark_windowing._upserts.iceberg import upsert_to_iceberg
from spark_windowing._upserts.postgres import upsert_to_postgres
from spark_windowing._version import __version__

# In reading order: time, keys, which window, when it fires, what leaves it, what is computed, the result,
# looking inside, trying, pictures, set-up.
__all__ = [
    "assign_timestamps_and_watermarks",
    "WatermarkStrategy",
    "with_clock",
    "key_by",
    "KeyedStream",
    "keyed",
    "Transform",
    "window_all",
    "time_window_all",
    "count_window_all",
    "join",
    "JoinedStreams",
    "JoinedWindows",
    "co_group",
    "ColumnProcess",
    "Do",
    "WindowedStream",
    "WindowAssigner",
    "TumblingEventTimeWindows",
    "TumblingProcessingTimeWindows",
    "SlidingEventTimeWindows",
    "SlidingProcessingTimeWindows",
    "CountWindows",
    "CumulativeEventTimeWindows",
    "CalendarWindows",
    "EventTimeSessionWindows",
    "ProcessingTimeSessionWindows",
    "DynamicEventTimeSessionWindows",
    "DynamicProcessingTimeSessionWindows",
    "OverEventTimeWindows",
    "GlobalWindows",
    "ColumnAssigner",
    "Trigger",
    "EventTimeTrigger",
    "ProcessingTimeTrigger",
    "NeverTrigger",
    "EndOfStreamTrigger",
    "MicroBatchTrigger",
    "CountTrigger",
    "DeltaTrigger",
    "ContinuousEventTimeTrigger",
    "ContinuousProcessingTimeTrigger",
    "ProcessingTimeoutTrigger",
    "AfterWatermark",
    "ColumnTrigger",
    "Answer",
    "AggregateTrigger",
    "PurgingTrigger",
    "OnceTrigger",
    "AllTrigger",
    "AnyTrigger",
    "Evictor",
    "CountEvictor",
    "TimeEvictor",
    "DeltaEvictor",
    "ColumnEvictor",
    "AggregateFunction",
    "ColumnState",
    "Context",
    "Tagged",
    "jvm",
    "JvmPart",
    "Duration",
    "side_output",
    "all_outputs",
    "for_each_output",
    "upsert_to_delta",
    "upsert_to_iceberg",
    "upsert_to_postgres",
    "explain",
    "monitor",
    "advise",
    "Advice",
    "Delay",
    "what_if",
    "read_state",
    "rescale",
    "RescaledOperator",
    "migrate",
    "MigratedOperator",
    "simulate",
    "sim",
    "why",
    "plot_what_if",
    "plot_windows",
    "configure",
    "attach",
    "jar_path",
    "doctor",
    "Report",
    "Finding",
    "SparkWindowingError",
    "__version__",
]


if not _typing.TYPE_CHECKING:

    def __getattr__(name: str) -> _typing.NoReturn:
        """Name the replacement for a name of Flink, Kafka Streams, Beam or Spark."""
        raise AttributeError(_other_name(name, __all__) or f"module {__name__!r} has no attribute {name!r}")
