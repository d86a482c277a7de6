"""The one value of a declaration, which all its steps are."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Generic

from spark_windowing._gateway.setup import gateway_of
from spark_windowing._gateway.spark_session import refuse_stopped
from spark_windowing._streams.value import Call, Value

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from typing_extensions import TypeVar

    from spark_windowing._gateway.gateway import Gateway
    from spark_windowing._streams.rows import KeyedRows, SeveralRows
    from spark_windowing._streams.windows import Windows

    Result = TypeVar("Result", default=DataFrame)
else:
    from typing import TypeVar

    Result = TypeVar("Result")  # of the last call: a DataFrame, or a Transform if there is no DataFrame

Step = TypeVar("Step", bound="Declaration[Any]")


@dataclass(frozen=True, eq=False, repr=False)
class Declaration(Value, Generic[Result]):
    """A declaration so far: the fields of the document that Scala gets."""

    _rows: KeyedRows | SeveralRows
    _windows: Windows | None = None
    _computation: Call | None = None

    def __repr__(self) -> str:
        """Return the declaration so far."""
        steps = (self._rows, self._windows, self._computation)
        return ".".join(repr(step) for step in steps if step is not None)

    def _document(self) -> dict[str, object]:
        steps = {"rows": self._rows, "windows": self._windows, "compute": self._computation}
        written: dict[str, object] = {name: step for name, step in steps.items() if step is not None}
        return {**written, "joins": True} if self._rows.joined and self._computation is None else written

    def _resolved(self: Step, gateway: Gateway) -> Step:  # noqa: PYI019  (not Self: Python 3.10 lacks it)
        """Have keys and event time resolved for the steps that follow."""
        rows: Any = self._rows
        return replace(self, _rows=replace(rows, resolved=gateway.resolve(rows)))

    def _checked(self: Step) -> Step:  # noqa: PYI019
        """Refuse what is wrong so far."""
        if self._rows.frame is not None:
            gateway_for(self._rows).check(self)
        return self


def gateway_for(rows: KeyedRows | SeveralRows) -> Gateway:
    """Return the gateway that resolved the rows, else that of the session of their DataFrame."""
    if rows.resolved is None:
        frame: Any = rows.frame
        return gateway_of(frame)
    refuse_stopped(rows.resolved.gateway.spark)
    return rows.resolved.gateway
