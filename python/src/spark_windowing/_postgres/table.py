"""Table of an upsert in PostgreSQL: created or checked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_windowing._gateway.errors import SparkWindowingError
from spark_windowing._postgres.columns import PANE, WINDOW, TableColumn
from spark_windowing._postgres.transaction import BATCHES, Table, listed, write

if TYPE_CHECKING:
    from collections.abc import Sequence

    from psycopg import Connection


def connect(connection: str) -> Connection:
    """Open a connection; errors do not show its string, which may hold a password."""
    try:
        import psycopg
        from psycopg.conninfo import conninfo_to_dict
    except ImportError as error:
        raise SparkWindowingError(
            f"upsert_to_postgres needs psycopg, which cannot be imported: {error}.",
            'pip install "spark-windowing[postgres]"',
        ) from None
    try:
        conninfo_to_dict(connection)
    except psycopg.ProgrammingError:
        raise ValueError(
            "connection is no connection string of PostgreSQL, such as "
            '"host=db.example.com dbname=shop user=writer" or "postgresql://writer@db.example.com/shop"'
        ) from None
    return psycopg.connect(connection)


def open_table(
    connection: Connection, name: str, columns: Sequence[TableColumn], keys: Sequence[str]
) -> Table:
    """Create the table if it does not exist, and check that it can be written, within the transaction.

    Raises
    ------
    ValueError
        If `name` is not the name of a table, or the table lacks a column or the uniqueness of its rows.
    """
    from psycopg import errors, sql

    identity = (*WINDOW, *keys)
    names = _parsed(connection, name)
    if _found(connection, name) is None:
        definitions = [
            sql.SQL("{} {}").format(sql.Identifier(column.name), sql.SQL(column.type)) for column in columns
        ]
        rows = sql.SQL("UNIQUE NULLS NOT DISTINCT ({})").format(listed(identity))
        statement = sql.SQL("CREATE TABLE IF NOT EXISTS {} ({})")
        connection.execute(statement.format(sql.Identifier(*names), sql.SQL(", ").join([*definitions, rows])))
    schema, relation = _found(connection, name) or (names[0], names[-1])
    there = connection.execute(
        sql.SQL("SELECT * FROM {} LIMIT 0").format(sql.Identifier(schema, relation))
    ).description
    known = {column.name for column in there or ()}
    missing = [column for column in columns if column.name not in known and column.name != PANE]
    if missing:
        additions = ", ".join(f"ADD COLUMN {_text(connection, c.name)} {c.type}" for c in missing)
        raise ValueError(f"the table has no such columns: ALTER TABLE {name} {additions}")
    written = tuple(column for column in columns if column.name in known)
    table = Table(schema, relation, written, identity)
    _make_batches(connection, table)
    try:
        with connection.transaction(force_rollback=True):
            write(connection, table, [])  # what the table refuses of any row, it refuses of none
    except errors.InvalidColumnReference:
        unique = ", ".join(_text(connection, column) for column in identity)
        raise ValueError(
            f"the rows of the table are not unique by window and key: ALTER TABLE {name} "
            f"ADD UNIQUE NULLS NOT DISTINCT ({unique})"
        ) from None
    return table


def _make_batches(connection: Connection, table: Table) -> None:
    from psycopg import sql

    batches = sql.Identifier(table.schema, BATCHES)
    if _found(connection, batches.as_string(connection)) is None:
        columns = (
            "query_id text, table_name text, batch_id bigint NOT NULL, PRIMARY KEY (query_id, table_name)"
        )
        connection.execute(sql.SQL("CREATE TABLE IF NOT EXISTS {} ({})").format(batches, sql.SQL(columns)))


def _parsed(connection: Connection, name: str) -> list[str]:
    from psycopg import errors

    try:
        (names,) = connection.execute("SELECT parse_ident(%s)", (name,)).fetchone() or ([],)
    except errors.InvalidParameterValue:
        names = []
    if len(names) not in (1, 2):
        raise ValueError(
            f'upsert_to_postgres takes the name of a table, "clicks" or "shop.clicks", got {name!r}'
        )
    return list(names)


def _found(connection: Connection, name: str) -> tuple[str, str] | None:
    """Return schema and name of a table, None if there is none."""
    found = connection.execute(
        "SELECT nspname, relname FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace "
        "WHERE pg_class.oid = to_regclass(%s)",
        (name,),
    ).fetchone()
    return None if found is None else (found[0], found[1])


def _text(connection: Connection, name: str) -> str:
    from psycopg import sql

    return sql.Identifier(name).as_string(connection)
