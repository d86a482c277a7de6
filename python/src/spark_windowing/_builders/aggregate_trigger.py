"""The trigger that sees the results of a window."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Literal

from spark_windowing._builders.arguments import expression, one_of, truth
from spark_windowing._builders.part import Expression, ExpressionPart, ScalaCall
from spark_windowing._builders.triggers import Trigger

if TYPE_CHECKING:
    from pyspark.sql import Column

At = Literal["row", "micro-batch"]


@dataclass(frozen=True, repr=False, eq=False)
class AggregateTrigger(ExpressionPart, Trigger):
    """Fires when a condition over the current results of a window becomes true.

    The results are those that the window would have if it fired now. At the end of the window it does not
    fire: nest it in `AnyTrigger` with an `EventTimeTrigger`, or in `AfterWatermark`, for that. A
    `ProcessingTimeoutTrigger` around it begins it anew when it fires.

    Build it with `of`, whose arguments are the attributes.

    Examples
    --------
    >>> AggregateTrigger.of("spent > 100", every=True)
    AggregateTrigger.of('spent > 100', every=True)
    >>> result = windows.trigger(AggregateTrigger.of("spent > 6")).aggregate(F.sum("price").alias("spent"))
    >>> [(row.user, row.spent) for row in result.orderBy("user").collect()]
    [('a', 7), ('b', 7)]
    """

    when: Any
    _: KW_ONLY
    every: bool = False
    at: At = "row"

    def __post_init__(self) -> None:
        """Check the arguments, however the value was made."""
        expression("AggregateTrigger", "when", self.when)
        truth("AggregateTrigger", "every", self.every)
        one_of("AggregateTrigger: at", self.at, At)

    @classmethod
    def of(cls, when: str | Column, *, every: bool = False, at: At = "row") -> AggregateTrigger:
        """Make the trigger.

        Parameters
        ----------
        when
            A boolean expression over the columns that the windows compute, by their names: SQL text or a
            Column. Null is false. The windows end in ``aggregate``, also with ``process=``, or in ``reduce``
            and the like; for ``process`` of all rows and joins it is refused, as it is with an evictor.
        every
            True to fire at each change of the condition from false to true, False to fire once per window.
        at
            ``"row"`` to compute it after each row; ``"micro-batch"`` once after the rows of a micro-batch,
            which may then be aggregated before the exchange, and at the end of the window.

        Returns
        -------
        AggregateTrigger
            For `WindowedStream.trigger`. The state has no copy of the results, only whether the condition
            held last.

        Raises
        ------
        TypeError
            If `when` is neither text nor a Column, or `every` is not True or False.
        ValueError
            For another `at`.
        """
        return cls(when, every=every, at=at)

    def _scala(self) -> ScalaCall:
        made = Expression("AggregateTrigger: when", self.when)
        return ScalaCall("dev.sparkwindowing.columns.AggregateTrigger", "of", (made, self.every, self.at))
