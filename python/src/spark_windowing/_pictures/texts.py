"""Texts of the pictures, shortened and placed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from spark_windowing._simulation.values import value_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


# Free space at each side of a picture, as a fraction of the width.
MARGIN = 0.03


@dataclass
class Text:
    """Text beside a dot or on a bar, to the right or left of `x`."""

    text: str
    x: float
    is_right: bool


def plain_text(value: object) -> str:
    """Return the text of a value in pictures."""
    return f"{value:.6g}" if isinstance(value, float) else value_text(value)


def fields_text(fields: Iterable[tuple[str, object]]) -> str:
    """Return names and values on one line."""
    return " ".join(f"{name}={plain_text(value)}" for name, value in fields)


def short(text: str, most: int) -> str:
    """Join a text to one line, and cut it if it is too long."""
    text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 1] + "…"


def room(
    text: str, at: tuple[float, float], span: tuple[float, float], width: Callable[[str], float]
) -> Text:
    """Place a text to the right of a mark, else to the left of its subject, else cut it.

    Parameters
    ----------
    text
        The text.
    at
        Place of the mark, and start of its subject.
    span
        Start and end of the picture.
    width
        Function that measures a text.
    """
    mark, start = at
    gap, right = width("ii"), span[1] + (span[1] - span[0]) * MARGIN
    if mark + gap + width(text) <= right:
        return Text(text, mark + gap, is_right=True)
    if start - gap - width(text) >= span[0]:
        return Text(text, start - gap, is_right=False)
    letters = int((right - mark - gap) / width("i"))
    return Text(short(text, max(letters, 6)), mark + gap, is_right=True)
