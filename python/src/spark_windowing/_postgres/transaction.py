"""Transaction that writes the changes of a micro-batch to a table of PostgreSQL."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from spark_windowing._postgres.columns import WINDOW, TableColumn

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from psycopg import Connection
    from psycopg.sql import SQL, Composed

BATCHES = "spark_windowing_batches"  # the last micro-batch of each query and table
_CHANGES = "spark_windowing_changes"
_GONE = "spark_windowing_gone"


class Table(NamedTuple):
    """Table with the columns that are written, and those that identify its rows."""

    schema: str
    name: str
    columns: tuple[TableColumn, ...]
    identity: tuple[str, ...]


def write(connection: Connection, table: Table, rows: Iterable[Sequence[str | None]]) -> None:
    """Write the changes of a micro-batch: the texts of the columns, and whether the window is gone."""
    from psycopg import sql

    target = sql.Identifier(table.schema, table.name)
    changes, gone = sql.Identifier("pg_temp", _CHANGES), sql.Identifier(_GONE)
    names = [column.name for column in table.columns]
    bounds, keys = table.identity[: len(WINDOW)], table.identity[len(WINDOW) :]
    # Merged windows have bounds: a comparison by "=" finds them by the index, which begins with the bounds.
    same = [_compared(column, sql.SQL("=")) for column in bounds]
    same += [_compared(column, sql.SQL("IS NOT DISTINCT FROM")) for column in keys]
    connection.execute(  # with the types of the table
        sql.SQL(
            "CREATE TEMPORARY TABLE {} ON COMMIT DROP AS SELECT {}, false AS {} FROM {} WITH NO DATA"
        ).format(sql.Identifier(_CHANGES), listed(names), gone, target)
    )
    with (
        connection.cursor() as cursor,
        cursor.copy(sql.SQL("COPY {} FROM STDIN").format(changes)) as copy,
    ):
        for row in rows:
            copy.write_row(row)
    connection.execute(sql.SQL("ANALYZE {}").format(changes))  # how many are gone decides how they are found
    connection.execute(
        sql.SQL("DELETE FROM {} AS t USING {} AS c WHERE c.{} AND {}").format(
            target, changes, gone, sql.SQL(" AND ").join(same)
        )
    )
    connection.execute(
        sql.SQL(
            "INSERT INTO {} ({}) SELECT {} FROM {} WHERE NOT {} ON CONFLICT ({}) DO UPDATE SET {}"
        ).format(
            target,
            listed(names),
            listed(names),
            changes,
            gone,
            listed(table.identity),
            sql.SQL(", ").join(sql.SQL("{0} = excluded.{0}").format(sql.Identifier(name)) for name in names),
        )
    )


def is_new(connection: Connection, table: Table, query: str, batch_id: int) -> bool:
    """Record a micro-batch of a query; return whether the table did not have it yet."""
    from psycopg import sql

    values = sql.SQL(", ").join(sql.Literal(value) for value in (query, table.name, batch_id))
    statement = sql.SQL(  # without parameters: with them a % in a name would be one
        "INSERT INTO {} AS known (query_id, table_name, batch_id) VALUES ({}) "
        "ON CONFLICT (query_id, table_name) DO UPDATE SET batch_id = excluded.batch_id "
        "WHERE known.batch_id < excluded.batch_id"
    ).format(sql.Identifier(table.schema, BATCHES), values)
    return connection.execute(statement).rowcount == 1


def listed(names: Iterable[str]) -> Composed:
    """Return names of columns as a list in SQL."""
    from psycopg import sql

    return sql.SQL(", ").join(sql.Identifier(name) for name in names)


def _compared(column: str, operator: SQL) -> Composed:
    from psycopg import sql

    return sql.SQL("t.{0} {1} c.{0}").format(sql.Identifier(column), operator)
