"""Rows of a table that upsert_to_postgres has written."""


def rows(database, *columns, table="visits"):
    """User, bounds of the window in seconds, and what else is asked for."""
    bounds = [f"extract(epoch FROM window_{bound})::int" for bound in ("start", "end")]
    found = database.execute(f'SELECT "user", {", ".join([*bounds, *columns])} FROM {table}').fetchall()
    return sorted(found, key=lambda row: (row[0] or "", row))


def versions(database):
    """The transactions that wrote the rows."""
    return rows(database, "xmin::text")
