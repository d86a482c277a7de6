"""Context of a Python function of windows, and its side outputs.

The module is pickled by value, as Spark's Python workers may not have this package: it imports no other
module of the package.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from datetime import datetime

    import pandas as pd


class Window(NamedTuple):
    """Window: start, inclusive, and end, exclusive; naive, in the session's time zone.

    With an event time of type TIMESTAMP_NTZ the bounds are local times without a zone.

    A bound that Python's datetime cannot hold is ``datetime.min`` or ``datetime.max``.
    """

    start: datetime
    end: datetime


class State(dict[str, Any]):
    """State of a key or a window, as a function sees it: it cannot be changed there."""

    def _refuse(self, *_: object, **__: object) -> Any:
        raise TypeError(
            "the state is read-only in a function; it changes by the update that it is declared with, "
            "ColumnState.of(initial, update)"
        )

    __setitem__ = __delitem__ = __ior__ = update = pop = popitem = setdefault = clear = _refuse

    def __reduce__(self) -> tuple[type, tuple[dict[str, Any]]]:
        """Copy and pickle as a plain dict."""
        return dict, (dict(self),)


@dataclass(frozen=True)
class Context:
    """Context of a function of `WindowedStream.process`, beside its elements.

    Attributes
    ----------
    window
        The window, with ``start`` and ``end``; None for the global window.
    watermark
        The watermark, None before the first; ``datetime.max`` at the end of a static DataFrame.
    processing_time
        Processing time, the start of the micro-batch; None where it does not advance.
    window_state
        State of the key and window before this firing, a read-only dict; None if none was declared.
    global_state
        State of the key before this firing, likewise.
    pane
        Description of the firing, a dict; None without `with_pane`.

    Examples
    --------
    >>> def spent(key, context, clicks):
    ...     start = context.window.start
    ...     return pd.DataFrame({"second": [start.second], "spent": [clicks.price.sum()]})
    >>> rows = windows.process(spent, "second int, spent int").orderBy("second", "user").collect()
    >>> [(row.user, row.second, row.spent) for row in rows]
    [('a', 0, 7), ('b', 0, 7), ('a', 10, 5)]
    """

    window: Window | None
    watermark: datetime | None
    processing_time: datetime | None
    window_state: dict[str, Any] | None
    global_state: dict[str, Any] | None
    pane: dict[str, Any] | None


class Tagged(NamedTuple):
    """Rows for a side output, returned by a function of `WindowedStream.process`; a plain pair works too.

    Attributes
    ----------
    tag
        The name of the side output.
    rows
        A pandas DataFrame with its columns.

    Examples
    --------
    >>> def split(key, context, clicks):
    ...     dear = clicks[clicks.price > 6]
    ...     return [pd.DataFrame({"n": [len(clicks)]}), sw.Tagged("dear", dear[["price"]])]
    >>> result = windows.process(split, "n long", side_outputs={"dear": "price int"})
    >>> sw.side_output(result, "dear").collect()
    [Row(price=7)]
    """

    tag: str
    rows: pd.DataFrame
