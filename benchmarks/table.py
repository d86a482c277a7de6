"""What is printed of a run: rates and ratios, and the sizes of states."""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from contestants import State
    from works import Work


@dataclass
class Measured:
    """A contestant in a work: events, and seconds of each round."""

    events: int
    seconds: list[float] = field(default_factory=list)
    state: State | None = None

    @property
    def rates(self) -> list[float]:
        """Million events a second, of each round."""
        return [self.events / seconds / 1e6 for seconds in self.seconds]


Results = dict[str, dict[str, Measured]]  # by names of work and contestant


def ratios(first: Measured, other: Measured) -> list[float]:
    """Return how many times as fast the first was, of each round."""
    return [a / b for a, b in zip(first.rates, other.rates, strict=True)]


def rates_table(works: list[Work], titles: dict[str, str], rows: dict[str, int], results: Results) -> str:
    """Return a line for each work and contestant."""
    lines = [
        "| work | rows a micro-batch | contestant | million rows a second | ratio (range) |",
        "| --- | --- | --- | --- | --- |",
    ]
    for work in works:
        measured = results[work.name]
        first = next(iter(measured))
        for name, figures in measured.items():
            ratio = "" if name == first else _spread(ratios(measured[first], figures))
            title = titles[name]
            rate = f"{median(figures.rates):.3f}"
            lines.append(f"| {work.text} | {rows[work.name]:,} | {title} | {rate} | {ratio} |")
    return "\n".join(lines)


def state_table(works: list[Work], titles: dict[str, str], results: Results) -> str:
    """Return a line for each work and contestant with state; keys are the state rows of this project."""
    lines = [
        "| work | contestant | state rows | bytes in memory | bytes of the newest version | a key | ratio |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for work in works:
        measured = {name: m for name, m in results[work.name].items() if m.state and m.state.rows}
        ours = measured.get("ours")
        for name, figures in measured.items():
            state = figures.state
            assert state
            a_key = ratio = ""
            if state.current and ours and ours.state and ours.state.current and ours.events == figures.events:
                a_key = f"{state.current / ours.state.rows:.0f}"
                ratio = "" if name == "ours" else f"{state.current / ours.state.current:.2f}"
            current = "" if state.current is None else f"{state.current:,}"
            sizes = f"{state.rows:,} | {state.memory:,} | {current} | {a_key} | {ratio}"
            lines.append(f"| {work.text} | {titles[name]} | {sizes} |")
    return "\n".join(lines)


def _spread(values: list[float]) -> str:
    return f"{median(values):.2f} ({min(values):.2f}–{max(values):.2f})"
