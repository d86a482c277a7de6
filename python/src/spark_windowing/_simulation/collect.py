"""Result of a simulation, collected from Scala."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_windowing._simulation.python_functions import called_here
from spark_windowing._simulation.record import Part, Record
from spark_windowing._simulation.rows import named, rows_of
from spark_windowing._simulation.run import Event, Run, StepResult
from spark_windowing._simulation.times import window_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row

    from spark_windowing._gateway.gateway import Gateway
    from spark_windowing._simulation.steps import Step
    from spark_windowing._streams.process import RegisteredFunction

# Number of columns of an event before the key columns, without the step.
_EVENT_COLUMNS = 5


def collect(
    gateway: Gateway, everything: DataFrame, steps: list[Step], registered: RegisteredFunction | None
) -> Run:
    """Collect a simulation that Scala has run."""
    record = Record.of(everything, has_function=registered is not None)
    if registered is None or record.handed is None:
        main = record.outputs[0].by_step(len(steps))
        side = {part.name: part.by_step(len(steps)) for part in record.outputs[1:]}
    else:
        made = called_here(registered, gateway, record.handed)
        main, side = _parts(made, registered.function.tags, len(steps))
    cleared = record.cleared.by_step(len(steps))
    events, left = _events(record.happened, len(steps))
    after = [line.split() for line in record.facts["after"].splitlines()]
    return Run(
        tuple(
            StepResult(
                step=step,
                main=main[i],
                side={tag: rows[i] for tag, rows in side.items()},
                cleared=[(tuple(row[:-1]), row[-1]) for row in cleared[i]],
                event_timers=int(after[i][0]),
                processing_timers=int(after[i][1]),
                watermark=None if after[i][2] == "-" else int(after[i][2]),
                open=left[i],
                events=tuple(events[i]),
                idle=() if after[i][3] == "-" else tuple(map(int, after[i][3].split(","))),
            )
            for i, step in enumerate(steps)
        ),
        keys=tuple(record.happened.names[_EVENT_COLUMNS:]),
        time=record.facts["time"],
        is_event_time=record.facts["is_event_time"],
        allowed_lateness=record.facts["allowed_lateness"],
        zone=gateway.spark.conf.get("spark.sql.session.timeZone") or "UTC",
    )


def _events(
    happened: Part, count: int
) -> tuple[list[list[Event]], list[list[tuple[tuple[object, ...], Row | None]]]]:
    """Split the record: the events of each step, and the windows open after it."""
    events: list[list[Event]] = [[] for _ in range(count)]
    changes: list[dict[str, list[tuple[tuple[object, ...], Row | None]]]] = [{} for _ in range(count)]
    for step, values in happened.rows:
        kind, time, start, end, detail = values[:_EVENT_COLUMNS]
        key = tuple(values[_EVENT_COLUMNS:])
        window = None if start is None else window_of(start, end)
        if kind == "key":
            changes[step][repr(key)] = []
        elif kind == "open":
            changes[step][repr(key)].append((key, window))
        else:
            of = None if kind in ("watermark", "processing_time") else key
            events[step].append(Event(kind, of, time, window, detail))
    alive: dict[str, list[tuple[tuple[object, ...], Row | None]]] = {}
    left = []
    for change in changes:
        alive.update(change)
        left.append([pair for pairs in alive.values() for pair in pairs])
    return events, left


def _parts(
    wide: DataFrame, tags: list[str], count: int
) -> tuple[list[list[Row]], dict[str, list[list[Row]]]]:
    """Split main rows, tag, and a struct per side output; by position, as names may repeat."""
    names = wide.columns[1:]
    end = len(names) - (len(tags) + 1 if tags else 0)
    main: list[list[Row]] = [[] for _ in range(count)]
    side: dict[str, list[list[Row]]] = {tag: [[] for _ in range(count)] for tag in tags}
    for step, *values in rows_of(wide):
        if not tags or values[end] is None:
            main[step].append(named(names[:end], values[:end]))
        else:
            side[values[end]][step].append(values[end + 1 + tags.index(values[end])])
    return main, side
