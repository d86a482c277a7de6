"""Texts of the pictures: short, and where there is room for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from spark_windowing._simulation.values import value_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


@dataclass
class Text:
    """What stands beside a dot or on a bar, to the right of `x` or to the left of it."""

    text: str
    x: float
    is_right: bool


def plain_text(value: object) -> str:
    """Return a value as the pictures show it."""
    return f"{value:.6g}" if isinstance(value, float) else value_text(value)


def fields_text(fields: Iterable[tuple[str, object]]) -> str:
    """Return names and values on one line."""
    return " ".join(f"{name}={plain_text(value)}" for name, value in fields)


def short(text: str, most: int) -> str:
    """Cut a text that is too long, and put it on one line."""
    text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 1] + "…"


def room(
    text: str,
    at: tuple[float, float],
    span: tuple[float, float],
    width: Callable[[str], float],
    margin: float,
) -> Text:
    """Place a text to the right of a mark if there is room, else to the left of what it is about, or cut.

    Parameters
    ----------
    text
        The text.
    at
        Where the mark is, and where what it is about starts.
    span
        From where to where the picture goes.
    width
        How wide a text is.
    margin
        What is free at each side, as a part of the whole.
    """
    mark, start = at
    gap, right = width("ii"), span[1] + (span[1] - span[0]) * margin
    if mark + gap + width(text) <= right:
        return Text(text, mark + gap, is_right=True)
    if start - gap - width(text) >= span[0]:
        return Text(text, start - gap, is_right=False)
    letters = int((right - mark - gap) / width("i"))
    return Text(short(text, max(letters, 6)), mark + gap, is_right=True)
