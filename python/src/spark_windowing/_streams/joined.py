"""Joins and co-groups: rows of several inputs that meet in windows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_windowing._builders.arguments import name as check_name
from spark_windowing._gateway.guidance import missing_join
from spark_windowing._streams.declaration import Declaration, gateway_for
from spark_windowing._streams.keyed import KeyedStream
from spark_windowing._streams.rows import SeveralRows
from spark_windowing._streams.transform import completed
from spark_windowing._streams.value import Call
from spark_windowing._streams.window_settings import WindowSettings
from spark_windowing._streams.windows import Windows, check_assigner

if TYPE_CHECKING:
    from typing import NoReturn

    from pyspark.sql import DataFrame

    from spark_windowing._builders.assigners import WindowAssigner


class JoinedStreams(Declaration["DataFrame"]):
    """Two keyed inputs whose rows of the same key and window are joined. Made by `join`; a window comes next.

    Examples
    --------
    >>> sw.join(sw.key_by(clicks, "user", time="ts"), sw.key_by(orders, "user", time="at"))
    join(key_by(df, 'user', time='ts'), key_by(df, 'user', time='at'))
    """

    def window(self, assigner: WindowAssigner) -> JoinedWindows:
        """Assign the rows of both inputs to windows.

        Parameters
        ----------
        assigner
            A window assigner. Columns of an assigner, a trigger or an evictor see a row of either input: a
            struct for each input, of which one is null.

        Returns
        -------
        JoinedWindows
            With the assigner's default trigger.

        Raises
        ------
        TypeError
            If it is no window assigner.
        ValueError
            If the inputs do not support the window.

        Examples
        --------
        >>> joined.window(sw.TumblingEventTimeWindows.of("10 seconds")).inner().columns
        ['user', 'window', 'left', 'right']
        """
        check_assigner(assigner)
        return JoinedWindows(self._rows, Windows(assigner))._checked()


class JoinedWindows(WindowSettings["DataFrame"]):
    """Windows of two joined inputs, made by `JoinedStreams.window`. `inner` and the like make the result.

    A result has the key columns under the names of the left input, ``window``, and a struct with the columns
    of each input. Rows join if their keys are equal and without null, and they are in the same window. Each
    firing emits all pairs of the rows that the window holds: a window that fires again repeats the earlier
    pairs, unless its trigger purges.

    Examples
    --------
    >>> pairs = joined.window(sw.TumblingEventTimeWindows.of("10 seconds")).inner()
    >>> pairs.select("user", "left.price", "right.amount").orderBy("price").collect()
    [Row(user='a', price=3, amount=9), Row(user='a', price=4, amount=9)]
    """

    def inner(self) -> DataFrame:
        """Emit the pairs of rows, as Flink's ``JoinedStreams`` does.

        Returns
        -------
        DataFrame
            Key columns, ``window``, and a struct of each input.

        Examples
        --------
        >>> joined.window(sw.TumblingEventTimeWindows.of("10 seconds")).inner().count()
        2
        """
        return self._join("inner")

    def left(self) -> DataFrame:
        """Emit the pairs, and each row of the left input without a partner, with null as the right one.

        The columns are those of `inner`.

        Examples
        --------
        >>> joined.window(sw.TumblingEventTimeWindows.of("10 seconds")).left().count()
        4
        """
        return self._join("left")

    def right(self) -> DataFrame:
        """Emit the pairs, and each row of the right input without a partner, with null as the left one.

        The columns are those of `inner`.

        Examples
        --------
        >>> joined.window(sw.TumblingEventTimeWindows.of("10 seconds")).right().count()
        3
        """
        return self._join("right")

    def full(self) -> DataFrame:
        """Emit the pairs, and each row of either input without a partner.

        The columns are those of `inner`.

        Examples
        --------
        >>> joined.window(sw.TumblingEventTimeWindows.of("10 seconds")).full().count()
        5
        """
        return self._join("full")

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> NoReturn:
            """Name the replacement for a method of a windowed stream."""
            raise AttributeError(missing_join(name, dir(type(self))))

    def _join(self, kind: str) -> DataFrame:
        return completed(self, Call(kind, (), {}, {"join": kind}))


def join(
    left: KeyedStream[DataFrame],
    right: KeyedStream[DataFrame],
    *,
    names: tuple[str, str] = ("left", "right"),
) -> JoinedStreams:
    """Join the rows of two keyed inputs by key and window, as Flink's window join.

    Both inputs are streams, or both are static. On a stream the watermark is the slowest input's, unless
    ``spark.sql.streaming.multipleWatermarkPolicy`` says otherwise. Late rows go where those of other windows
    go; in the side output the struct of their input is not null.

    For rows that are at most some time apart, without windows, Spark's own stream-stream join with a range of
    times is better.

    Parameters
    ----------
    left, right
        Made by `key_by`, with the same number of keys of the same types.
    names
        Columns of a result with the rows of each input.

    Returns
    -------
    JoinedStreams
        Call `window` on it.

    Raises
    ------
    TypeError
        If an input was not made by `key_by`.
    ValueError
        If the inputs do not fit together: different keys, a stream and a static DataFrame, an event time or a
        watermark that only one has, a name twice.

    Examples
    --------
    >>> pairs = (
    ...     sw.join(sw.key_by(clicks, "user", time="ts"), sw.key_by(orders, "user", time="at"))
    ...     .window(sw.TumblingEventTimeWindows.of("10 seconds"))
    ...     .left()
    ... )
    >>> pairs.columns
    ['user', 'window', 'left', 'right']
    """
    for name, value in (("left", left), ("right", right)):
        _check_input("join", name, value)
    if not isinstance(names, (tuple, list)) or len(names) != 2:  # noqa: PLR2004
        raise TypeError(f'join: names takes two texts such as ("click", "order"), got {names!r}')
    for name in names:
        check_name("join", "names", name)
    inputs = ((names[0], left._rows), (names[1], right._rows))
    return JoinedStreams(SeveralRows(inputs, joined=True))._resolved(gateway_for(left._rows))


def co_group(**inputs: KeyedStream[DataFrame]) -> KeyedStream[DataFrame]:
    """Bring the rows of several keyed inputs together in windows, as Flink's ``coGroup``.

    The rows are those of one DataFrame with the keys, under the names of the first input, ``event_time`` if
    the inputs have one, and a struct for each input, which is null unless the row is of that input. The
    inputs must fit together as in `join`.

    Parameters
    ----------
    **inputs
        At least two inputs, made by `key_by`, under the names of their structs.

    Returns
    -------
    KeyedStream
        Aggregates name a column as ``F.sum("orders.amount")``. The function of ``process`` and ``apply`` gets
        a dict with one pandas DataFrame for each input.

    Raises
    ------
    TypeError
        If an input was not made by `key_by`, or there are fewer than two.
    ValueError
        If the inputs do not fit together.

    Examples
    --------
    >>> both = sw.co_group(
    ...     clicks=sw.key_by(clicks, "user", time="ts"), orders=sw.key_by(orders, "user", time="at")
    ... )
    >>> counts = both.time_window("10 seconds").aggregate(
    ...     F.count("clicks").alias("clicks"), F.sum("orders.amount").alias("amount")
    ... )
    >>> [(row.user, row.clicks, row.amount) for row in counts.orderBy("window", "user").collect()]
    [('a', 2, 9), ('b', 1, None), ('c', 0, 5), ('a', 1, None)]
    """
    if len(inputs) < 2:  # noqa: PLR2004
        raise TypeError(
            f"co_group takes at least two inputs, co_group(clicks=.., orders=..), got {len(inputs)}"
        )
    for name, value in inputs.items():
        _check_input("co_group", name, value)
    rows = tuple((name, stream._rows) for name, stream in inputs.items())
    return KeyedStream(SeveralRows(rows, joined=False))._resolved(gateway_for(rows[0][1]))


def _check_input(call: str, name: str, value: object) -> None:
    if not isinstance(value, KeyedStream) or value._rows.frame is None:
        raise TypeError(f'{call}: {name} must be key_by(df, "user", time="ts"), got {value!r}')
