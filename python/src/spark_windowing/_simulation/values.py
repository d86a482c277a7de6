"""Text of values, for simulations, pictures and the monitor."""

from __future__ import annotations

from datetime import datetime
from typing import Any


def value_text(value: Any) -> str:
    """Return the text of a value; a window is ``[start, end)``, another struct as Spark shows it."""
    fields = getattr(value, "__fields__", None)
    if fields == ["start", "end"]:
        return f"[{value_text(value.start)}, {value_text(value.end)})"
    if fields is not None:
        return f"{{{', '.join(map(value_text, value))}}}"
    if isinstance(value, datetime):
        return value.isoformat(sep=" ")
    return "null" if value is None else str(value)
