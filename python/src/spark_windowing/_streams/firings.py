"""Rows of the operator as firings: for each its first row and its elements.

The module runs in Spark's Python workers, which may not have this package: it is pickled by value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import numpy as np
    import pyarrow as pa

_LAST = 2


class CutFiringError(EOFError):
    """Error of an input that ends within a firing: what makes the rows has failed."""


class Firings:
    """Cursor over rows of the operator, each of which has one element of a firing.

    The column of parts says where a firing is: 1 for its first row plus 2 for its last, null for a late row.

    Attributes
    ----------
    batch
        The batch of the current row.
    row
        The position of the current row in it.
    """

    batch: pa.RecordBatch
    row: int

    def __init__(self, batches: Iterable[pa.RecordBatch], element: int) -> None:
        """Store the batches and the position of the column of elements; that of parts follows it."""
        self._batches = iter(batches)
        self._element = element
        self._next = 0
        self._count = 0
        self._ends: np.ndarray
        self._is_open = False

    def advance(self) -> bool:
        """Move to the next row; False if there is none."""
        while self._next == self._count:
            batch = next(self._batches, None)
            if batch is None:
                return False
            self._open(batch)
        self.row = self._next
        self._next += 1
        return True

    def _open(self, batch: pa.RecordBatch) -> None:
        import numpy as np

        self.batch = batch
        self._next = 0
        self._count = batch.num_rows
        parts = batch.column(self._element + 1).fill_null(0).to_numpy(zero_copy_only=False)
        self._ends = np.flatnonzero(parts & _LAST)

    @property
    def is_at_end_of_batch(self) -> bool:
        """True if the current row is the last of its batch."""
        return self._next == self._count

    def elements(self) -> Iterator[pa.StructArray]:
        """Yield the elements of the firing whose first row is the current one, batch by batch.

        Must be read to its end before the cursor moves on.
        """
        first = self.row
        self._is_open = True
        while True:
            found = self._ends[self._ends.searchsorted(first) :]
            is_last = len(found) > 0
            self._next = int(found[0]) + 1 if is_last else self._count
            rows = self.batch.column(self._element).slice(first, self._next - first)
            yield rows.filter(rows.is_valid()) if rows.null_count else rows
            if is_last:
                self._is_open = False
                return
            if not self.advance():
                self.check_end()
            first = self.row

    def check_end(self) -> None:
        """Fail if the input has ended within the firing."""
        if self._is_open:
            raise CutFiringError(
                "the rows of a window end before the last of them: what reads them has failed"
            )
