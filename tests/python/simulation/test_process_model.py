"""Process functions of columns beside a naive model in Python, over random time lines of 1,500 keys."""

import random
from dataclasses import dataclass, field

import pytest
from pyspark.sql import functions as F

import spark_windowing as sw
from spark_windowing import sim

pytestmark = pytest.mark.spark

KEYS = 125  # of a run
NEVER = float("inf")
UNKNOWN = float("-inf")

# What a row does is in the bits of its column `op`.
ADDS, CLEARS, SETS_EVENT, DELETES_EVENT, SETS_CLOCK, DELETES_CLOCK, EMITS, EMITS_TWO, ASIDE = (
    1 << i for i in range(9)
)


@dataclass(frozen=True)
class Rules:
    """What differs between the functions under test."""

    ttl: int | None
    clock: str
    timer_keeps: bool  # a timer leaves the state, else it halves it, or clears it at 0
    timer_sets: bool  # a timer of event time sets the next one and deletes that of the clock


def bit(mask):
    return F.col("row.op").bitwiseAND(mask) != 0


def result(what, n):
    """What happened, with all that the call knows."""
    times = [
        F.unix_millis(f"ctx.{name}").alias(name) for name in ("watermark", "processing_time", "timestamp")
    ]
    return F.struct(F.lit(what).alias("what"), n.alias("n"), F.col("ctx.key.k").alias("who"), *times)


def later(time, millis):
    return F.timestamp_millis(F.unix_millis(time) + millis)


def declared(rules):
    def on_element(row, state, ctx):
        kept = F.struct((state.n + row.v).alias("n"))
        return sw.Do(
            state=F.when(bit(CLEARS), None).when(bit(ADDS), kept).otherwise(state),
            event_timer=F.when(bit(SETS_EVENT), later(row.ts, row.d))
            .when(bit(DELETES_EVENT), None)
            .otherwise(F.timestamp_millis(F.unix_millis(ctx.watermark) + 7)),
            processing_timer=F.when(bit(SETS_CLOCK), later(ctx.processing_time, row.d)),
            emit=F.when(
                bit(EMITS_TWO), F.array(result("one", state.n), F.lit(None), result("two", row.v))
            ).when(bit(EMITS), F.array(result("row", state.n))),
            side={"aside": F.when(bit(ASIDE), F.struct(row.v, state.n))},
        )

    def on_timer(what):
        def call(time, state):
            half = F.struct((state.n / 2).cast("long").alias("n"))
            given = {} if rules.timer_keeps else {"state": F.when(state.n != 0, half)}
            if rules.timer_sets and what == "event":
                given |= {"event_timer": F.when(state.n > 3, later(time, 3)), "processing_timer": None}
            return sw.Do(emit=result(what, state.n + F.unix_millis(time) * 0), **given)

        return call

    return sw.ColumnProcess.of(
        state=lambda: F.struct(F.lit(5).cast("long").alias("n")),
        on_element=on_element,
        on_event_timer=on_timer("event"),
        on_processing_timer=on_timer("clock"),
        ttl=None if rules.ttl is None else f"{rules.ttl} milliseconds",
        ttl_clock=rules.clock,
    )


@dataclass
class Key:
    n: int | None = None
    expiry: float = NEVER
    event: float = NEVER
    clock: float = NEVER


@dataclass
class Model:
    """The rules of semantics.md in the plainest form."""

    rules: Rules
    keys: dict = field(default_factory=dict)
    watermark: float = UNKNOWN
    time: float = UNKNOWN
    main: list = field(default_factory=list)
    aside: list = field(default_factory=list)

    def put(self, name, what, n, timestamp):
        known = [None if t == UNKNOWN else t for t in (self.watermark, self.time, timestamp)]
        self.main.append((name, known[2], what, n, name, *known))

    def read(self, key, now):
        if key.expiry <= now:
            key.n, key.expiry = None, NEVER
        return 5 if key.n is None else key.n

    def keep(self, key, n, timestamp):
        key.n = n
        if n is None:
            key.expiry = NEVER
        elif self.rules.ttl is not None:
            event = timestamp if timestamp != UNKNOWN else self.watermark
            changed = event if self.rules.clock == "event_time" else self.time
            if changed != UNKNOWN:
                before = UNKNOWN if key.expiry == NEVER else key.expiry
                key.expiry = max(before, changed + self.rules.ttl)

    def element(self, name, ts, v, d, op):
        key = self.keys.setdefault(name, Key())
        ts = UNKNOWN if ts is None else ts
        n = self.read(key, max(ts, self.watermark) if self.rules.clock == "event_time" else self.time)
        self.keep(key, None if op & CLEARS else n + v if op & ADDS else n, ts)
        if op & SETS_EVENT:
            key.event = NEVER if ts == UNKNOWN else ts + d
        elif op & DELETES_EVENT or self.watermark == UNKNOWN:
            key.event = NEVER
        else:
            key.event = self.watermark + 7
        key.clock = self.time + d if op & SETS_CLOCK and self.time != UNKNOWN else NEVER
        if op & EMITS_TWO:
            self.put(name, "one", n, ts)
            self.put(name, "two", v, ts)
        elif op & EMITS:
            self.put(name, "row", n, ts)
        if op & ASIDE:
            self.aside.append((v, n))

    def timer(self, name, what, time):
        key = self.keys[name]
        own = (what == "event") == (self.rules.clock == "event_time")
        n = self.read(key, time if own else self.watermark if what == "clock" else self.time)
        timestamp = time if what == "event" else UNKNOWN
        if not self.rules.timer_keeps:
            self.keep(key, n // 2 if n != 0 else None, timestamp)
        if self.rules.timer_sets and what == "event":
            key.event, key.clock = time + 3 if n > 3 else NEVER, NEVER
        self.put(name, what, n, timestamp)

    def fire(self, what, until):
        while due := [(getattr(k, what), name) for name, k in self.keys.items() if getattr(k, what) <= until]:
            time, name = min(due)
            setattr(self.keys[name], what, NEVER)
            self.timer(name, what, time)

    def move_watermark(self, to):
        if to > self.watermark:
            self.watermark = to
            self.fire("event", to)

    def move_clock(self, to):
        self.time = to
        self.fire("clock", to)


def random_steps(random_, count):
    """Rows of many keys, moves of watermark and clock, restarts."""
    watermark, clock = 0, 1000
    steps = []

    def row():
        ts = None if random_.random() < 0.05 else max(0, watermark + random_.randint(-20, 15))
        ops = [
            b for b, p in zip(range(9), (5, 1, 4, 1, 5, 1, 5, 1, 1), strict=True) if random_.random() < p / 10
        ]
        name = f"k{random_.randrange(KEYS):03}"
        values = {"v": random_.randint(0, 9), "d": random_.randint(0, 12), "op": sum(1 << b for b in ops)}
        return {"k": name, "ts": ts, **values}

    while len(steps) < count:
        dice = random_.random()
        if dice < 0.75:
            steps.append([row()])
        elif dice < 0.9:
            steps.append([row() for _ in range(random_.randint(2, 5))])
        elif dice < 0.94:
            watermark += random_.randint(0, 9)
            steps.append(("watermark", watermark))
        elif dice < 0.98:
            clock += random_.randint(0, 9)
            steps.append(("processing_time", clock))
        else:
            steps.append(("snapshot_restore",))
    return steps


def as_step(step):
    if isinstance(step, tuple):
        return getattr(sim, step[0])(*step[1:])
    return sim.element(**step[0]) if len(step) == 1 else sim.batch([sim.element(**row) for row in step])


def millis(moment):
    return None if moment is None else round(moment.timestamp() * 1000)


@pytest.mark.parametrize("seed", range(12))
def test_random_time_lines(spark, seed):
    random_ = random.Random(seed)
    clock = random_.choice(["event_time", "processing_time"])
    ttl = random_.choice([None, 1, 10, 40])
    rules = Rules(ttl, clock, random_.random() < 0.5, random_.random() < 0.5)
    rows = spark.createDataFrame([], "k string, ts timestamp, v long, d long, op long")
    result = sw.key_by(rows, "k", time="ts").process(declared(rules))
    steps = random_steps(random_, 600)
    run = sw.simulate(result, [as_step(step) for step in steps])
    model = Model(rules)
    seen = 0
    for step, given in zip(run.steps, steps, strict=True):
        model.main, model.aside = [], []
        if not isinstance(given, tuple):
            for row in given:
                model.element(row["k"], row["ts"], row["v"], row["d"], row["op"])
        elif given[0] == "watermark":
            model.move_watermark(given[1])
        elif given[0] == "processing_time":
            model.move_clock(given[1])
        assert [(r[0], millis(r[1]), *r[2:]) for r in step.main] == model.main, (rules, given)
        assert [tuple(r) for r in step.side["aside"]] == model.aside
        timers = [[getattr(k, what) != NEVER for k in model.keys.values()] for what in ("event", "clock")]
        assert (step.event_timers, step.processing_timers) == tuple(map(sum, timers))
        seen += len(step.main)
    assert seen > 200
