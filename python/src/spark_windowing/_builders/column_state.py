"""State of a window or a key, written as columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spark_windowing._builders.arguments import expression, function
from spark_windowing._builders.part import Expression, ExpressionPart, ScalaCall

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import Column


@dataclass(frozen=True, repr=False, eq=False)
class ColumnState(ExpressionPart):
    """State of a window or a key: a struct that is updated after each firing.

    For ``window_state=`` and ``global_state=``. Build it with `of`.

    The update runs in the JVM, after the result is emitted: the function sees the state before the update.

    Attributes
    ----------
    initial
        A struct of constants: SQL text, or a function without arguments that returns a Column.
    update
        The new struct: SQL text over the structs ``state`` and ``result``, or a function of these two
        Columns. ``result`` is the result of the aggregate or the reduce; for `WindowedStream.process` alone
        it is the array of all elements.

    Examples
    --------
    >>> ColumnState.of("struct(0 as seen)", "struct(state.seen + result.clicks as seen)")
    ColumnState.of('struct(0 as seen)', 'struct(state.seen + result.clicks as seen)')
    """

    initial: str | Column | Callable[[], Column]
    update: str | Callable[[Any, Any], Any]

    def __post_init__(self) -> None:
        """Check the arguments."""
        if not callable(self.initial):
            expression("ColumnState", "initial", self.initial)
        function("ColumnState", "update", self.update)

    @classmethod
    def of(
        cls, initial: str | Column | Callable[[], Column], update: str | Callable[[Column, Column], Column]
    ) -> ColumnState:
        """Make the state.

        Parameters
        ----------
        initial
            A struct of constants.
        update
            The new struct, over ``state`` and ``result``.

        Returns
        -------
        ColumnState
            The state.

        Raises
        ------
        TypeError
            If an argument is of the wrong type.
        """
        return cls(initial, update)

    def _scala(self) -> ScalaCall:
        initial = Expression("ColumnState: initial", self.initial)
        update = Expression("ColumnState: update", self.update, ("state", "result"))
        return ScalaCall("dev.sparkwindowing.columns.ColumnState", "of", (initial, update))
