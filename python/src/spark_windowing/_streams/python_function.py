"""Python function of windows: rows of firings come in, the rows of the user's function go out.

The module runs in Spark's Python workers, which may not have this package: it is pickled by value, and so are
`context`, `arrow_values`, `arrow_results`, `firings` and `pickling`, the only ones of it that are imported.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from spark_windowing._gateway.pickling import pack, unpack
from spark_windowing._streams.arrow_results import ArrowResults, MisfitError
from spark_windowing._streams.arrow_values import ArrowValues, cast_to
from spark_windowing._streams.context import Context, State, Tagged, Window
from spark_windowing._streams.firings import CutFiringError, Firings

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator
    from types import TracebackType

    import pandas as pd
    import pyarrow as pa


class OfWindow:
    """Adapter: a function of key, window and elements as one of key, context and elements."""

    def __init__(self, function: Callable[..., Any]) -> None:
        """Wrap the function."""
        self._function = function

    def __call__(self, key: tuple[Any, ...], context: Context, elements: Any) -> Any:
        """Call the function with the window of the context."""
        return self._function(key, context.window, elements)


class Layout(NamedTuple):
    """Layout of the operator's rows and of the output.

    Attributes
    ----------
    keys
        Number of key columns, which come first, before the window.
    pane
        Whether a pane follows the window.
    row
        Whether the row of an over window follows these.
    window_state, global_state
        Whether such a state follows elements, watermark and processing time.
    late
        Tag of the late side output, the last column; None if there is none.
    tags
        Tags of the side outputs of the function.
    inputs
        Names of the inputs of a co-group: structs of the elements, of which each has one.
    as_iterator
        Form of the elements: an iterator of DataFrames if true, else one DataFrame.
    output
        Columns of the output: key, window, pane, row, results, then tag, late rows and side outputs.
    time_zone
        Time zone of the session.
    """

    keys: int
    pane: bool
    row: bool
    window_state: bool
    global_state: bool
    late: str | None
    tags: tuple[str, ...]
    inputs: tuple[str, ...]
    as_iterator: bool
    output: pa.Schema
    time_zone: str


class PythonFunction:
    """Caller of a user's function at each firing, for ``DataFrame.mapInArrow``."""

    def __init__(self, name: str, function: Callable[..., Any], layout: Layout) -> None:
        """Store the name for errors, the function and the layout."""
        self._name = name
        self._function = function
        self._layout = layout
        self._values = ArrowValues(layout.time_zone)
        self._given = ArrowResults(layout.time_zone)
        count = layout.keys + 1 + layout.pane + layout.row
        fields = list(layout.output)
        sides = [*([layout.late] if layout.late else []), *layout.tags]
        end = len(fields) - (1 + len(sides) if sides else 0)
        self._fixed = fields[:count]
        self._results = fields[count:end]
        self._sides = dict(zip(sides, fields[end + 1 :], strict=True))

    def __getstate__(self) -> dict[str, Any]:
        """Pickle the user's function apart, as loading it may need a module `spark_windowing`."""
        return {**vars(self), "_function": pack(self._function)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Load the user's function, which may name `spark_windowing.Tagged`."""
        names = {"Tagged": Tagged, "Context": Context}
        vars(self).update(state, _function=unpack(state["_function"], names))

    @property
    def tags(self) -> list[str]:
        """Tags of all side outputs, that of late rows first."""
        return list(self._sides)

    @property
    def schema(self) -> pa.Schema:
        """Schema of the output."""
        return self._layout.output

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Turn rows of the operator into rows of the function, those of several firings together."""
        firings = Firings(batches, len(self._fixed))
        pieces: list[pa.RecordBatch] = []
        rows = 0
        while firings.advance():
            try:
                for piece in self._of_firing(firings):
                    pieces.append(piece)
                    rows += piece.num_rows
                    if rows >= _MANY_ROWS:
                        yield from self._together(pieces)
                        pieces, rows = [], 0
            except _Stop as stop:  # a traceback without the frames of this module
                raise stop.error.with_traceback(stop.where) from None
            if firings.is_at_end_of_batch:
                yield from self._together(pieces)
                pieces, rows = [], 0

    def _together(self, pieces: list[pa.RecordBatch]) -> list[pa.RecordBatch]:
        import pyarrow as pa

        if not pieces:
            return []
        table = pa.Table.from_batches(pieces, self._layout.output)
        return list(table.combine_chunks().to_batches())

    def _of_firing(self, firings: Firings) -> Iterator[pa.RecordBatch]:
        batch, i = firings.batch, firings.row
        late = self._layout.late
        if late is not None and batch.column(batch.num_columns - 2)[i].is_valid:
            rows = batch.column(batch.num_columns - 1).slice(i, 1)
            yield self._side(late, rows)
            return
        key = tuple(self._values.value(batch.column(k)[i]) for k in range(self._layout.keys))
        context = self._context(batch, i)
        window = None if context.window is None else tuple(map(str, context.window))
        place = f"for the key {key} and the window {window}"
        parts = firings.elements()
        given = self._given_items(key, context, self._elements(parts), place)
        try:
            for one in given:
                yield self._tagged(Tagged(*one)) if _is_tagged(one) else self._main(batch, i, one)
        except MisfitError as error:
            raise _Stop(ValueError(f"{error} ({place})"), None) from error
        finally:
            given.close()
        for _ in parts:  # what the function has not read
            pass
        firings.check_end()

    def _given_items(
        self, key: tuple[Any, ...], context: Context, elements: Any, place: str
    ) -> Generator[Any, None, None]:
        try:
            yield from _items(self._function(key, context, elements))
        except CutFiringError:
            raise
        except Exception as error:
            text = f"{self._name} failed {place}: {type(error).__name__}: {error}"
            where = error.__traceback__ and error.__traceback__.tb_next
            raise _Stop(RuntimeError(text), where) from error

    def _elements(
        self, parts: Iterator[pa.StructArray]
    ) -> pd.DataFrame | dict[str, pd.DataFrame] | Iterator[pd.DataFrame]:
        import pyarrow as pa

        if self._layout.as_iterator:
            return (self._values.frame(rows) for rows in parts)
        first, *others = parts
        rows = pa.concat_arrays([first, *others]) if others else first
        if not self._layout.inputs:
            return self._values.frame(rows)
        structs = {name: rows.field(name) for name in self._layout.inputs}
        return {name: self._values.frame(s.filter(s.is_valid())) for name, s in structs.items()}

    def _context(self, batch: pa.RecordBatch, i: int) -> Context:
        layout = self._layout
        window = batch.column(layout.keys)[i]
        has_zone = window.type.field("start").type.tz is not None
        at = len(self._fixed) + 2
        states = iter(range(at + 2, batch.num_columns))
        return Context(
            Window(self._values.value(window["start"]), self._values.value(window["end"]))
            if window.is_valid
            else None,
            self._values.moment_or_none(batch.column(at)[i].as_py(), has_zone=has_zone),
            self._values.moment_or_none(batch.column(at + 1)[i].as_py()),
            self._state(batch, i, next(states)) if layout.window_state else None,
            self._state(batch, i, next(states)) if layout.global_state else None,
            self._values.value(batch.column(layout.keys + 1)[i]) if layout.pane else None,
        )

    def _state(self, batch: pa.RecordBatch, i: int, column: int) -> State | None:
        value = self._values.value(batch.column(column)[i])
        return None if value is None else State(value)

    def _main(self, batch: pa.RecordBatch, i: int, frame: pd.DataFrame) -> pa.RecordBatch:
        import pyarrow as pa

        columns = self._given.columns(f"{self._name}: the result", frame, self._results)
        count = len(frame)
        indexes = pa.array([i] * count, pa.int64())
        fixed = [cast_to(batch.column(k).take(indexes), field.type) for k, field in enumerate(self._fixed)]
        return self._batch(count, fixed + columns, {})

    def _tagged(self, given: Tagged) -> pa.RecordBatch:
        import pyarrow as pa

        if given.tag not in self._layout.tags:
            known = ", ".join(map(repr, self._layout.tags)) or "none is declared"
            raise MisfitError(
                f"{self._name} gave rows for the side output {given.tag!r}, which is not one of its own: "
                f"{known}. Declare it with side_outputs={{{given.tag!r}: schema}}"
            )
        fields = list(self._sides[given.tag].type)
        columns = self._given.columns(f"{self._name}: the side output {given.tag!r}", given.rows, fields)
        return self._side(given.tag, pa.StructArray.from_arrays(columns, fields=fields))

    def _side(self, tag: str, rows: pa.StructArray) -> pa.RecordBatch:
        return self._batch(len(rows), [], {tag: rows})

    def _batch(self, count: int, main: list[pa.Array], side: dict[str, pa.Array]) -> pa.RecordBatch:
        import pyarrow as pa

        columns = main or [pa.nulls(count, field.type) for field in (*self._fixed, *self._results)]
        if self._sides:
            tag = next(iter(side), None)
            columns = [*columns, pa.array([tag] * count, pa.string())]
            for name, field in self._sides.items():
                rows = side.get(name)
                columns.append(pa.nulls(count, field.type) if rows is None else cast_to(rows, field.type))
        return pa.RecordBatch.from_arrays(columns, schema=self._layout.output)


# Rows of the function that are put together into a batch, if those of a batch of the operator are more.
_MANY_ROWS = 10_000


class _Stop(Exception):  # noqa: N818  (it carries the error)
    """Signal that fails the task.

    Attributes
    ----------
    error
        Error to show.
    where
        Traceback into the user's function.
    """

    def __init__(self, error: Exception, where: TracebackType | None) -> None:
        super().__init__(error)
        self.error = error
        self.where = where


def _items(given: Any) -> Iterator[Any]:
    """Yield the items of a result: a DataFrame, a Tagged, several of them, or None."""
    import pandas as pd

    if given is None:
        return
    one = isinstance(given, (pd.DataFrame, pd.Series, Mapping, str)) or _is_tagged(given)
    if one or not isinstance(given, Iterable):
        yield given
    else:
        yield from given


def _is_tagged(given: Any) -> bool:
    """Recognize a pair of tag and rows; not by its class, which may be pickled by value or by name."""
    return isinstance(given, tuple) and len(given) == len(Tagged._fields) and isinstance(given[0], str)
