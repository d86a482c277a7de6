"""The calls that texts in the sources name, and those that no case follows."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[3]
SOURCES = [
    *(ROOT / "python" / "src" / "spark_windowing").rglob("*.py"),
    *(
        path
        for module in ("spark", "engine")
        for path in (ROOT / "core-scala" / module / "src" / "main").rglob("*.scala")
        if path.parent.name != "advice"
    ),
]
# A call as an error names it: of a name that users have, of a method, or of a function of the package.
CALL = re.compile(
    r"(?:\b(?:F|df|sw|strategy|spark|result|rows|os|pd|SparkSession)\.[\w.]+|(?<![\w.\])\"'}])\.[a-z_]\w+"
    r"|\bstream\.join|(?<![.\w])join|(?<!\.)\bco_group|\bkey_by|\bassign_timestamps_and_watermarks|\bplot_windows)\("
)

# The same of a value in Scala, which each API has its text for, and the call of Python that it stands for.
CODE = re.compile(
    r'\bCode\s*\.(?:function\(\s*"(?P<function>\w+)"|call\(\s*"(?P<call>[\w.]+)"'
    r"|df\s*\.(?P<frame>\w+)\(|(?P<kind>column|sql|lit|keyByTime|trigger|struct)\b)"
)
KINDS = {
    "column": "F.col(",
    "sql": "F.expr(",
    "lit": "F.lit(",
    "keyByTime": "key_by(",
    "trigger": ".trigger(",
    "struct": "F.struct(",
}


def code_in_errors():
    """Every call that a text or a value in the sources names, with the name of the file."""
    texts = {(path.name, call) for path in SOURCES for text in _texts(path) for call in CALL.findall(text)}
    return texts | {
        (path.name, call) for path in SOURCES if path.suffix == ".scala" for call in _values(path)
    }


def _values(path):
    for code in CODE.finditer(path.read_text(encoding="utf-8")):
        function, call, frame, kind = code.groups()
        named = function and f"F.{function}(", call and f"{call}(", frame and f"df.{frame}(", KINDS.get(kind)
        yield next(filter(None, named))


def _texts(path):
    source = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        tree = ast.parse(source)
        nodes = (ast.Module, ast.ClassDef, ast.FunctionDef)
        docstrings = {
            id(n.body[0].value) for n in ast.walk(tree) if isinstance(n, nodes) and _has_docstring(n)
        }
        constants = (n for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, str))
        return [n.value for n in constants if id(n) not in docstrings]
    source = re.sub(r"/\*.*?\*/", "", source, flags=re.DOTALL)
    source = re.sub(r"(?m)^\s*//.*$", "", source)
    return [text.replace('\\"', '"') for text in re.findall(r'"((?:[^"\\\n]|\\.)*)"', source)]


def _has_docstring(node):
    return bool(node.body) and isinstance(node.body[0], ast.Expr)


# Places and why no case follows them.
NOT_RUN = {
    "of the set-up, followed by test_setup.py, test_refusals.py and test_python_workers.py": {
        "spark_session.py": "SparkSession.builder.getOrCreate( SparkSession.builder.remote(",
        "doctor.py": "sw.configure( spark.conf.set(",
        "micro_batches.py": "sw.configure( spark.conf.set(",
        "compatibility.py": "spark.stop( sw.jar_path( SparkSession.builder.master(",
    },
    "of Spark Connect, followed by connect/test_servers.py": {
        "connect_way.py": "SparkSession.builder.remote(",
        "compatibility.py": ".remote(",
        "monitor.py": "sw.read_state(",
    },
    "of messages that Python does not write, followed by MessageSpec": {
        "Analysis.scala": ".window(",
    },
    "of SQL, followed by streams/test_sql.py, by its own calls": {
        "EventTimeColumn.scala": "F.expr(",
        "Call.scala": "df.withWatermark(",
    },
    "of answers to why, followed by simulation/test_why.py": {
        "WhyOfRun.scala": ".allowed_lateness(",
        "StaticWhy.scala": "sw.why(",
        "CheckpointWhy.scala": "sw.read_state(",
        "WhyAnswer.scala": "sw.why(",
        "why.py": "sw.why(",
    },
    "of a jar of the user's, followed by test_jvm.py": {
        "ClassParts.scala": ".config( SparkSession.builder.config( sw.configure(",
        "guidance.py": "sw.jvm(",
    },
    "of a stream that is written to a table, followed by tests/upserts, upserts/test_upserts.py and UpsertSpec": {
        "WindowColumns.scala": ".with_pane( .aggregate( .changelog(",
        "Changes.scala": "result.writeStream.foreachBatch( result.allOutputs.writeStream.foreachBatch( sw.all_outputs( sw.for_each_output(",
        "PostgresColumn.scala": ".cast(",
        "PostgresServer.scala": "SparkSession.builder.config(",
        "StoreOfSession.scala": ".config(",
        "UpsertOptions.scala": ".option(",
        "UpsertSinkProvider.scala": ".mode( .partitionBy(",
        "WrittenBatch.scala": "rows.union(",
    },
    "of real-time mode on Spark 4.3, followed by streams/test_real_time.py": {
        "RealTimeCheck.scala": "spark.conf.set(",
        "RealTimeRefusals.scala": "spark.conf.set( .trigger( .allow_state_change(",
        "PortableOperator.scala": ".trigger(",
    },
    "of settings, followed by RealTimeModeSpec": {"RealTimeMode.scala": "spark.conf.set("},
    "of a flow of a pipeline, followed by tests/python/pipelines": {
        "EndlessTriggers.scala": ".trigger(",
        "process.py": ".aggregate( F.sum(",
    },
    "of a checkpoint, followed by StateChangeSpec": {
        "SpecificationFile.scala": ".allow_state_change(",
    },
    "of a checkpoint that is written for a changed query, followed by MigrateSpec": {
        "OperatorChange.scala": ".allow_state_change( spark.conf.set(",
    },
    "of a table before a stream, followed by streams/test_starting_with.py": {
        "HistoryRows.scala": "df.withColumn( F.col(",
    },
    "of the state of the other operator, followed by PortableStreamSpec": {
        "SpecificationFile.scala": "spark.conf.set(",
    },
    "says where the call comes from that is to be given back as it is": {"Simulation.scala": ".aggregate("},
    "no case can come there: Python refuses it before": {"AggregateRefusals.scala": "F.count("},
    "followed by test_own_parts.py": {
        "assigners.py": ".window( sw.ColumnAssigner.of( sw.jvm(",
        "evictors.py": ".evictor( sw.ColumnEvictor.keep( sw.jvm(",
        "aggregate_function.py": ".aggregate( sw.AggregateFunction( sw.jvm(",
        "column_process.py": "sw.ColumnProcess.of( .process( sw.jvm(",
        "triggers.py": ".trigger( sw.ColumnTrigger.of( sw.ColumnTrigger.when( sw.jvm(",
    },
    "followed by remedies/test_other_names.py": {
        "guidance.py": ".allowed_lateness( .apply( .process( .side_output_late_data( .trigger( .window( key_by( "
        "df.withWatermark( join( sw.AfterWatermark.of( sw.AllTrigger.of( sw.AnyTrigger.of( sw.ColumnProcess.of( "
        "sw.CountTrigger.of( sw.Do( sw.EventTimeSessionWindows.with_gap( sw.EventTimeTrigger.create( "
        "sw.GlobalWindows.create( sw.MicroBatchTrigger.create( sw.OnceTrigger.of( sw.PurgingTrigger.of( "
        "sw.SlidingEventTimeWindows.of( sw.TumblingEventTimeWindows.of( sw.co_group( sw.key_by( sw.side_output(",
        "window_columns.py": ".window( key_by( sw.TumblingEventTimeWindows.of(",
    },
    "shows a value, no error": {"keyed.py": "key_by(", "joined.py": ".window( join("},
    "a query that writes to memory, followed by test_pictures.py": {
        "of_windows.py": "df.writeStream.format( plot_windows( spark.table(",
    },
    "Spark's own, followed by test_column_process.py": {"guidance.py": "df.groupBy("},
    "of a query that starts, followed by ResultTimeSpec and StartSpec": {
        "TimelessResults.scala": "df.withWatermark(",
        "SessionSettings.scala": "spark.conf.set(",
    },
    "of Scala": {
        "AggregateRefusals.scala": "result.keyBy(",
        "ChangeFeed.scala": "df.keyBy(",
        "ColumnSessionEnd.scala": ".endsAt(",
    },
    "of a strategy without times of rows, followed by PartitionWatermarkSpec": {
        "TimestampsAndWatermarks.scala": "WatermarkStrategy.for_bounded_out_of_orderness("
    },
    "of a source that holds rows back, followed by WithClockSpec": {"QuietStreams.scala": ".trigger("},
    "code, no text": {"ColumnBinder.scala": "df.columns.mkString("},
}
