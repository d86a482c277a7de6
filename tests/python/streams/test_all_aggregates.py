"""All aggregates of Spark SQL at once, on streams that are stopped and started again: what `groupBy` gives."""

import math
import random
import re
from decimal import Decimal

import pyspark
import pytest
from pyspark.sql import Row
from pyspark.sql import functions as F

import spark_windowing as sw
from shared import second

pytestmark = pytest.mark.spark

SCHEMA = "key string, id long, n int, x double, s string, d decimal(12,2), list array<int>, home string, ts timestamp"
ROWS = 2400
SPREAD = 40  # seconds that a row comes behind the newest, at most
BATCHES = 2

# Equal in whatever order the rows come, and from however many sessions that became one.
IN_ANY_ORDER = """
count(*)
count(n, x)
count_if(x > 0)
count(*) filter (where n > 3)
sum(n)
sum(x)
sum(d)
try_sum(n)
avg(x)
mean(d)
try_avg(n)
min(s)
max(d)
max(struct(s, n))
min(list)
max(s) filter (where s like 'c%' and n is not null)
min_by(s, id)
max_by(struct(n, x), id)
first(home)
first_value(home, true)
last(home)
last_value(home)
any_value(home)
mode(home)
median(x)
percentile(n, array(0.1, 0.9))
percentile(x, 0.5) filter (where n < 5)
percentile_cont(0.25) within group (order by x desc)
percentile_disc(0.75) within group (order by n)
percentile_approx(x, 0.5, 10000)
approx_percentile(n, array(0.25, 0.75), 10000)
std(x)
stddev(n)
stddev_samp(x)
stddev_pop(n)
variance(n)
var_samp(x)
var_pop(x)
skewness(x)
kurtosis(n)
corr(x, n)
covar_samp(x, n)
covar_pop(x, n)
regr_slope(x, n)
regr_intercept(x, n)
regr_r2(x, n)
regr_count(x, n)
regr_avgx(x, n)
regr_avgy(x, n)
regr_sxx(x, n)
regr_syy(x, n)
regr_sxy(x, n)
bool_and(n > 0)
every(x < 90)
bool_or(n > 7)
some(s is null)
bit_and(n)
bit_or(n)
bit_xor(id)
sort_array(collect_list(n))
sort_array(array_agg(struct(id, list)))
sort_array(collect_set(s))
listagg(s, ',') within group (order by s)
string_agg(s, ';') within group (order by s desc)
aggregate(histogram_numeric(n, 50), 0d, (all, bin) -> all + bin.y)
aggregate(histogram_numeric(cast(n as double), 50), 0d, (all, bin) -> all + bin.x * bin.y)
count_min_sketch(s, 0.1d, 0.9d, 7)
approx_count_distinct(s)
approx_count_distinct(id, 0.05) filter (where x > 0)
hll_sketch_estimate(hll_sketch_agg(s))
theta_sketch_estimate(theta_sketch_agg(s))
tuple_sketch_estimate_double(tuple_sketch_agg_double(s, x))
kll_sketch_get_n_bigint(kll_sketch_agg_bigint(id) filter (where id % 8 = 0))
kll_sketch_get_n_double(kll_sketch_agg_double(x))
sort_array(approx_top_k(n, 12))
bitmap_count(bitmap_construct_agg(bitmap_bit_position(id)))
bitmap_count(bitmap_or_agg(encode(s, 'utf-8')))
sum(case when n > 3 then x else 0 end)
round(avg(x), 3) + max(length(s)) - min(n)
sum(x) / count(x) * nullif(count_if(n = 3), 0)
concat('at most ', max(s), coalesce(min(list)[0], 0))
transform(sort_array(collect_list(n) filter (where x > 0)), v -> v * 2 + 1)
""".strip().splitlines()

# In the order of arrival.
IN_ORDER = """
first(s)
last(x, true)
any_value(n)
collect_list(id)
array_agg(s)
listagg(s, ',')
""".strip().splitlines()

# By name: our window, Spark's own, the aggregates.
WINDOWS = {
    "tumbling": (
        sw.TumblingEventTimeWindows.of("2 minutes"),
        lambda: F.window("ts", "2 minutes"),
        IN_ANY_ORDER + IN_ORDER,
    ),
    "session": (
        sw.EventTimeSessionWindows.with_gap("5 seconds"),
        lambda: F.session_window("ts", "5 seconds"),
        IN_ANY_ORDER,
    ),
}


def random_rows():
    """Rows of four keys, one of them null, over ten minutes, with nulls in all values; in order of arrival."""
    dice = random.Random(41)

    def maybe(value):
        return None if dice.random() < 0.15 else value

    rows = []
    for number in range(ROWS):
        key = dice.choice(["a", "b", "c", None])
        word = maybe(dice.choice("abc") * dice.randrange(1, 4) + str(dice.randrange(9)))
        amount = maybe(Decimal(dice.randrange(-9999, 9999)) / 100)
        numbers = maybe([dice.randrange(3), dice.randrange(3)])
        at = dice.random() ** 2 * 600  # dense at first, then with gaps
        values = (maybe(dice.randrange(9)), maybe(dice.randrange(-400, 400) / 4), word, amount, numbers)
        rows.append(
            (at + dice.random() * SPREAD, (key, number, *values, f"of {key}", second(int(at * 1000) / 1000)))
        )
    return [row for _, row in sorted(rows)]


@pytest.fixture(scope="module")
def pieces():
    """Micro-batches of random sizes, and a row that moves the watermark past all windows."""
    rows = random_rows()
    cuts = sorted(random.Random(5).sample(range(1, ROWS), BATCHES - 1))
    parts = [rows[i:j] for i, j in zip([0, *cuts], [*cuts, ROWS], strict=True)]
    return [*parts, [("end", ROWS, None, None, None, None, None, "of end", second(9999))]]


@pytest.fixture(scope="module")
def static(spark, pieces, tmp_path_factory):
    path = str(tmp_path_factory.mktemp("static") / "rows")
    write(spark, [row for piece in pieces[:-1] for row in piece], path)
    return spark.read.schema(SCHEMA).parquet(path)


@pytest.fixture(scope="module")
def streamed(spark, pieces, tmp_path_factory):
    """What the streams give, by name: stopped in the middle and started again."""
    folder = tmp_path_factory.mktemp("streamed")
    for first, last in ((0, BATCHES // 2), (BATCHES // 2, len(pieces))):
        for number in range(first, last):
            write(spark, pieces[number], str(folder / "in" / f"{number}"))
        run_to_the_last_file(spark, folder)
    return {name: spark.read.parquet(str(folder / name)) for name in WINDOWS}


def write(spark, rows, path):
    spark.createDataFrame(rows, SCHEMA).coalesce(1).write.parquet(path)


def run_to_the_last_file(spark, folder):
    """Run the two queries side by side until they have taken all files, then stop them."""
    reader = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1)
    stream = reader.parquet(str(folder / "in" / "*")).withWatermark("ts", f"{SPREAD} seconds")
    queries = []
    try:
        for name, (window, _, _) in WINDOWS.items():
            result = sw.key_by(stream, "key").window(window).aggregate(*columns(spark, name))
            writer = result.writeStream.option("checkpointLocation", str(folder / "checkpoints" / name))
            files = writer.format("parquet").option("path", str(folder / name))
            queries.append(files.trigger(availableNow=True).start())
        for query in queries:
            query.awaitTermination()
    finally:
        for query in queries:
            query.stop()


def texts(spark, name):
    """The aggregates that this Spark has, as SQL."""
    return [text for text in WINDOWS[name][2] if all(map(spark.catalog.functionExists, functions(text)))]


def functions(text):
    return [word for word in re.findall(r"(\w+)\(", text) if word not in ("filter", "group")]


def columns(spark, name):
    return [F.expr(text).alias(f"c{i}") for i, text in enumerate(texts(spark, name))]


def close(a, b):
    """Equal, but for the last digits of fractions, which depend on the order in which they are added."""
    if isinstance(a, float) and isinstance(b, float):
        return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9) or (math.isnan(a) and math.isnan(b))
    if isinstance(a, (list, Row)) and isinstance(b, (list, Row)):
        return len(a) == len(b) and all(map(close, a, b))
    return a == b


def by_window(rows):
    """The aggregates of each key and window."""
    found = {(row["key"], row["window"].start, row["window"].end): row[2:] for row in rows}
    assert len(found) == len(rows)
    return found


@pytest.mark.parametrize("name", WINDOWS)
def test_a_restarted_stream_gives_what_group_by_gives(spark, static, streamed, name):
    _, spark_window, _ = WINDOWS[name]
    expected = by_window(
        static.groupBy("key", spark_window().alias("window")).agg(*columns(spark, name)).collect()
    )
    found = by_window(streamed[name].collect())
    assert found.keys() == expected.keys()
    wrong = {
        (text, *window): (found[window][i], expected[window][i])
        for i, text in enumerate(texts(spark, name))
        for window in expected
        if not close(found[window][i], expected[window][i])
    }
    assert wrong == {}


@pytest.mark.classic("asks the driver's JVM which functions are aggregates")
def test_they_are_all_kinds_of_aggregates_over_many_windows_and_merges(spark, pieces, streamed):
    found = {function for text in texts(spark, "session") for function in functions(text)}
    aggregates = {function for function in found if is_aggregate(spark, function)}
    assert len(aggregates) >= (55 if pyspark.__version__.startswith("3.5.") else 60)
    assert streamed["tumbling"].count() >= 20
    assert streamed["session"].count() >= 40
    assert joins(row for piece in pieces for row in piece) >= 50


def joins(rows, gap=5):
    """How many rows arrive between two sessions and make them one."""
    sessions, count = {}, 0
    for key, *_, ts in rows:
        start, end = ts.timestamp(), ts.timestamp() + gap
        touched = {(a, b) for a, b in sessions.get(key, set()) if a <= end and start <= b}
        count += len(touched) > 1
        grown = (min([start, *(a for a, _ in touched)]), max([end, *(b for _, b in touched)]))
        sessions[key] = sessions.get(key, set()) - touched | {grown}
    return count


def is_aggregate(spark, function):
    jvm = spark._jvm
    name = jvm.org.apache.spark.sql.catalyst.FunctionIdentifier(function)
    return spark._jsparkSession.sessionState().catalog().lookupFunctionInfo(name).getGroup() == "agg_funcs"
