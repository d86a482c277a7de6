"""Flink's aggregates of one field, which return rows of the input."""

from __future__ import annotations

from spark_windowing._builders.arguments import truth
from spark_windowing._streams.declaration import Declaration, Result
from spark_windowing._streams.transform import completed
from spark_windowing._streams.value import Call


class Records(Declaration[Result]):
    """Aggregations that return a row of the input, with one field changed or as the criterion."""

    def sum(self, field: str) -> Result:
        """Return a *record*: the first row of each window, with one column summed, as Flink's ``sum``.

        Most people want ``aggregate(F.sum("price").alias("price"))``, the sum alone.

        Parameters
        ----------
        field
            The name of a numeric column. Its type is kept: integers wrap around, a decimal overflow fails the
            query. Nulls are ignored.

        Returns
        -------
        DataFrame
            As `reduce`.

        Raises
        ------
        ValueError
            If there is no such column, or it is not numeric.

        Examples
        --------
        >>> rows = windows.sum("price").orderBy("window", "user").collect()
        >>> [(row.price, row.ts.second) for row in rows]  # a has clicked at 1 s for 3 and at 4 s for 4
        [(7, 1), (7, 3), (5, 12)]
        """
        return self._field("sum", field)

    def min(self, field: str) -> Result:
        """Return a *record*: the first row of each window, with the least value of one column.

        As Flink's ``min``. Most people want ``aggregate(F.min("price").alias("price"))``, or `min_by`.

        Parameters
        ----------
        field
            The name of a column of an ordered type. Nulls are ignored.

        Returns
        -------
        DataFrame
            As `reduce`.

        Raises
        ------
        ValueError
            If there is no such column, or its type has no order.

        Examples
        --------
        >>> rows = windows.min("price").orderBy("window", "user").collect()
        >>> [(row.price, row.ts.second) for row in rows]  # a has clicked at 1 s for 3 and at 4 s for 4
        [(3, 1), (7, 3), (5, 12)]
        """
        return self._field("min", field)

    def max(self, field: str) -> Result:
        """Return a *record*: the first row of each window, with the greatest value of one column.

        As Flink's ``max``. Most people want ``aggregate(F.max("price").alias("price"))``, or `max_by`.

        Parameters
        ----------
        field
            The name of a column of an ordered type. Nulls are ignored.

        Returns
        -------
        DataFrame
            As `reduce`.

        Raises
        ------
        ValueError
            If there is no such column, or its type has no order.

        Examples
        --------
        >>> rows = windows.max("price").orderBy("window", "user").collect()
        >>> [(row.price, row.ts.second) for row in rows]  # a has clicked at 1 s for 3 and at 4 s for 4
        [(4, 1), (7, 3), (5, 12)]
        """
        return self._field("max", field)

    def min_by(self, field: str, *, first: bool = True) -> Result:
        """Return a *record*: the row of each window with the least value of one column.

        As Flink's ``minBy``. For one column of it write ``aggregate(F.min_by("ts", "price"))``.

        Parameters
        ----------
        field
            The name of a column of an ordered type. A row with null is returned only if all are null.
        first
            Whether to return the first of equal rows, else the last.

        Returns
        -------
        DataFrame
            As `reduce`.

        Raises
        ------
        ValueError
            If there is no such column, or its type has no order.

        Examples
        --------
        >>> rows = windows.min_by("price").orderBy("window", "user").collect()
        >>> [(row.price, row.ts.second) for row in rows]  # a has clicked at 1 s for 3 and at 4 s for 4
        [(3, 1), (7, 3), (5, 12)]
        """
        return self._field("min_by", field, first)

    def max_by(self, field: str, *, first: bool = True) -> Result:
        """Return a *record*: the row of each window with the greatest value of one column.

        As Flink's ``maxBy``. For one column of it write ``aggregate(F.max_by("ts", "price"))``.

        Parameters
        ----------
        field
            The name of a column of an ordered type. A row with null is returned only if all are null.
        first
            Whether to return the first of equal rows, else the last.

        Returns
        -------
        DataFrame
            As `reduce`.

        Raises
        ------
        ValueError
            If there is no such column, or its type has no order.

        Examples
        --------
        >>> rows = windows.max_by("price").orderBy("window", "user").collect()
        >>> [(row.price, row.ts.second) for row in rows]  # a has clicked at 1 s for 3 and at 4 s for 4
        [(4, 4), (7, 3), (5, 12)]
        """
        return self._field("max_by", field, first)

    def _field(self, name: str, field: str, *first: bool) -> Result:
        if not isinstance(field, str):
            raise TypeError(f"{name} takes the name of a column, got {field!r}")
        for value in first:
            truth(name, "first", value)
        last = {"first": False} if first == (False,) else {}
        call = Call(name, (field,), last, {name: (field, *first) if first else field})
        return completed(self, call)
