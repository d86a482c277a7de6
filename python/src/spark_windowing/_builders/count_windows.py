"""Windows of a number of elements, for use beside other windows."""

from __future__ import annotations

from dataclasses import dataclass

from spark_windowing._builders.arguments import whole_number
from spark_windowing._builders.assigners import WindowAssigner
from spark_windowing._builders.part import set_field


@dataclass(frozen=True, repr=False)
class CountWindows(WindowAssigner):
    """Consecutive windows of `size` elements of a key, for `KeyedStream.windows`. Build it with `of`.

    It is the global window that fires at each `size`-th element and is then emptied. Its column ``window``
    is null, no element is late, and it takes no trigger: one that is declared for windows of several names
    is that of the others. Alone it gives the results of `KeyedStream.count_window`. The attribute is `size`.

    Examples
    --------
    >>> CountWindows.of(100)
    CountWindows.of(100)
    """

    size: int

    def __post_init__(self) -> None:
        """Check the arguments, however the value was made."""
        set_field(self, "size", whole_number("CountWindows", "size", self.size))
        if self.size <= 0:
            raise ValueError(f"CountWindows: size must be positive, got {self.size}")

    @classmethod
    def of(cls, size: int) -> CountWindows:
        """Make windows of a number of elements.

        Parameters
        ----------
        size
            Number of elements of a window, positive.

        Returns
        -------
        CountWindows
            For `KeyedStream.windows` and `KeyedStream.window`.

        Raises
        ------
        ValueError
            If ``size <= 0``.
        """
        return cls(size)
