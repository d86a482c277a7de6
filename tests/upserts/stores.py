"""The tables of each store, as the tests see them: what is in them, and whether they have been written."""

import psycopg
from pyspark.sql import functions as F

import spark_windowing as sw

BOUNDS = ("start", "end")
IN_LAKE = {"timing": "pane.timing", "number": "pane.number"}
IN_POSTGRES = {"timing": "pane->>'timing'", "number": "(pane->>'number')::int"}


class Lake:
    """Tables of Spark's catalogs."""

    def __init__(self, spark):
        self._spark = spark

    def rows(self, *columns, table="visits"):
        """User, bounds of the window in seconds, and what else is asked for."""
        named = [f"unix_seconds(window.{bound})" for bound in BOUNDS]
        named += [IN_LAKE.get(column, column) for column in columns]
        self._spark.sql(f"REFRESH TABLE {self.named(table)}")
        found = self._spark.sql(f"SELECT * FROM {self.named(table)}").selectExpr("user", *named).collect()
        return ordered(found)

    def all_rows(self, table):
        """The rows without window and pane."""
        self._spark.sql(f"REFRESH TABLE {self.named(table)}")
        found = self._spark.table(self.named(table)).drop("window", "pane").collect()
        return sorted(map(tuple, found), key=str)

    def make(self, table, columns):
        self._spark.sql(f"CREATE TABLE {self.named(table)} ({columns}) USING {self.name}")

    def run(self, statement):
        self._spark.sql(statement)

    def drop(self, tables):
        for table in tables:
            self._spark.sql(f"DROP TABLE IF EXISTS {self.named(table)}")


class Delta(Lake):
    name = "delta"
    own = "`window` struct<start:timestamp,end:timestamp>"

    def named(self, table):
        return table

    def options(self, table):
        return {"store": "delta", "table": table}

    def upsert(self, result, table="visits"):
        return sw.upsert_to_delta(result, table)

    def versions(self, table="visits"):
        """What changes with each write."""
        return self._spark.sql(f"DESCRIBE HISTORY {table}").agg(F.max("version")).first()[0]


class Iceberg(Lake):
    name = "iceberg"
    own = "`window` struct<start:timestamp,end:timestamp>"

    def named(self, table):
        return f"lake.shop.{table}"

    def options(self, table):
        return {"store": "iceberg", "table": self.named(table)}

    def upsert(self, result, table="visits"):
        self._spark.sql("CREATE NAMESPACE IF NOT EXISTS lake.shop")
        return sw.upsert_to_iceberg(result, self.named(table))

    def versions(self, table="visits"):
        self._spark.sql(f"REFRESH TABLE {self.named(table)}")
        return self._spark.table(f"{self.named(table)}.snapshots").count()


class Postgres:
    name = "postgres"
    own = (
        "window_end timestamp, window_start timestamp, UNIQUE NULLS NOT DISTINCT "
        '("user", window_start, window_end)'
    )

    def __init__(self, server):
        self.server = server

    def named(self, table):
        return table

    @property
    def url(self):
        return f"jdbc:postgresql://127.0.0.1:{self.server.port}/shop"

    def options(self, table):
        return {"store": "postgres", "table": table, "url": self.url, "user": "postgres"}

    def upsert(self, result, table="visits"):
        return sw.upsert_to_postgres(result, table, url=self.url, properties={"user": "postgres"})

    def rows(self, *columns, table="visits"):
        named = [f"extract(epoch FROM window_{bound})::int" for bound in BOUNDS]
        named += [IN_POSTGRES.get(column, column) for column in columns]
        return ordered(self._ask(f'SELECT "user", {", ".join(named)} FROM {table}'))

    def all_rows(self, table):
        with psycopg.connect(self.server.connection("shop")) as database:
            cursor = database.execute(f"SELECT * FROM {table}")
            names = [column.name for column in cursor.description]
            shown = [i for i, name in enumerate(names) if not name.startswith("window_") and name != "pane"]
            return sorted((tuple(row[i] for i in shown) for row in cursor), key=str)

    def make(self, table, columns):
        self.run(f"CREATE TABLE {table} ({columns})".replace("string", "text").replace("USER", '"user"'))

    def run(self, statement):
        with psycopg.connect(self.server.connection("shop"), autocommit=True) as database:
            database.execute(statement.replace("WHERE user", 'WHERE "user"'))

    def versions(self, table="visits"):
        """The transactions that wrote the rows."""
        return self.rows("xmin::text", table=table)

    def drop(self, tables):
        """Leave it to the fixture of the database."""

    def _ask(self, query):
        with psycopg.connect(self.server.connection("shop")) as database:
            return database.execute(query).fetchall()


def ordered(rows):
    return sorted(map(tuple, rows), key=lambda row: (row[0] or "", row))
