"""Windows of a declaration with their settings."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from spark_windowing._builders.assigners import WindowAssigner
from spark_windowing._streams.value import Call, Value, written
from spark_windowing._streams.window_columns import refuse_column

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import timedelta

    from spark_windowing._builders.evictors import Evictor
    from spark_windowing._builders.triggers import Trigger


@dataclass(frozen=True, eq=False, repr=False)
class Windows(Value):
    """Assigner and settings of windows, as `WindowSettings` describes them.

    Attributes
    ----------
    assigner
        A window assigner, or the call of ``time_window``, ``count_window`` or ``windows``.
    changelog
        The call of ``changelog``.
    fill_empty
        The call of ``fill_empty``.
    """

    assigner: WindowAssigner | Call
    trigger: Trigger | None = None
    evictor: Evictor | None = None
    allowed_lateness: timedelta | None = None
    side_output_late_data: str | None = None
    with_pane: bool = False
    with_row: bool = False
    changelog: Call | None = None
    fill_empty: Call | None = None
    collapse_firings: bool = False
    allow_state_change: bool = False

    def _document(self) -> dict[str, object]:
        return {"assigner": self.assigner, **self._settings()}

    def _settings(self) -> dict[str, object]:
        of_all = {field.name: getattr(self, field.name) for field in fields(self)[1:]}
        return {name: value for name, value in of_all.items() if value is not None and value is not False}

    def __repr__(self) -> str:
        """Return the calls that declare the windows."""
        return ".".join(
            [_call("window", self.assigner), *(_call(*item) for item in self._settings().items())]
        )


def check_assigner(assigner: object, method: str = "window") -> None:
    """Check an argument of ``window`` or ``windows``."""
    if type(assigner).__name__ == "Column":
        refuse_column(str(assigner))
    if not isinstance(assigner, WindowAssigner):
        raise TypeError(
            f'{method} takes a window assigner such as TumblingEventTimeWindows.of("5 minutes"), '
            f"got {assigner!r}"
        )


def named_windows(assigners: Mapping[str, WindowAssigner]) -> Call:
    """Make the call of ``windows`` with these names."""
    if not assigners:
        raise TypeError(
            "windows takes names with window assigners, such as "
            'minute=TumblingEventTimeWindows.of("1 minute")'
        )
    for name, assigner in assigners.items():
        check_assigner(assigner, f"windows(.., {name}=..)")
    return Call("windows", (), assigners, {"windows": tuple(assigners.items())})


def _call(name: str, value: object) -> str:
    return repr(value) if isinstance(value, Call) else written(name, *([] if value is True else [value]))
