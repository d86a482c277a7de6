"""The same windows in this project, in Spark's own operators and in Flink, in turn in one run: `make bench`.

    make bench                                                   # everything, about an hour on two cores
    make bench WORKS=session_500k,tumbling_500k                  # some works
    make bench OPTIONS="--events 1000000 --rounds 5 --skew 1 --json target/bench/table.json"

Every contestant sees the same events: number *i* comes at *i* times 10 ms less a delay of up to two seconds,
five of a key in turn, 50,000 keys, with a watermark ten seconds behind. Spark reads them from Parquet files,
one a micro-batch, with ``AvailableNow`` into a sink that does nothing, on two cores with two shuffle
partitions. Flink makes them as it goes, with parallelism 2, state in hash maps and a checkpoint a second.

A Spark without ``transformWithState`` (3.5) runs the works without the contestants that use it, and says so.

Before the rounds that are timed the results of all are compared: number, sums and a hash of all rows (key,
window, figures) of windows that the last watermark has passed. Then they take turns until each has run for
the seconds of ``--warm-up``, as a query that runs for days has its code compiled; then for the timed rounds.
Ratios are of the rates in the same round, of the first contestant of a work to each other, with median and
range; above 1 the first is faster. The second table says what was kept in the state when it was largest.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

import pyspark

import spark_windowing as sw
import transform_with_state
from contestants import MISSING, Contestant, Digest, contestants
from events import DELAY, Events, Files, write
from jvm import ROOT, Jvm
from local_session import local_session
from table import Measured, Results, rates_table, ratios, state_table
from works import WORKS, Work

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CONTESTANTS = list(dict.fromkeys(name for work in WORKS for name in work.contestants))
SPARK = pyspark.__version__
SHORT = Events(count=20_000, keys=500)
TUNED = {
    "spark.driver.extraJavaOptions": "-Xms4g",  # as much as Flink has
    "spark.sql.files.openCostInBytes": "0",  # else one task gets five sixths of a small file
}


def arguments(argv: list[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    known = [work.name for work in WORKS]
    names = lambda text: text.split(",")  # noqa: E731
    parser.add_argument("--works", type=names, help=f"some of {','.join(known)}")
    parser.add_argument("--contestants", type=names, help=f"some of {','.join(CONTESTANTS)}")
    parser.add_argument("--rounds", type=int, default=3, help="timed rounds (default: 3)")
    parser.add_argument(
        "--warm-up", type=float, default=30, help="seconds that each runs before (default: 30)"
    )
    parser.add_argument(
        "--short", action="store_true", help="few events in two files, one round of most works"
    )
    parser.add_argument("--default-settings", action="store_true", help=f"without {', '.join(TUNED)}")
    for name, text in {
        "events": "number of events of most works, a multiple of 40",
        "keys": "number of keys",
        "skew": "0 for equally frequent keys, about 1 for Zipf's law",
        "disorder": "most milliseconds that an event lies behind",
        "seed": "another seed gives other events",
    }.items():
        default = getattr(Events, "count" if name == "events" else name)
        parser.add_argument(f"--{name}", type=type(default), help=f"{text} (default: {default})")
    parser.add_argument("--json", type=Path, help="write all figures there")
    options = parser.parse_args(argv)
    for name in options.works or ():
        if name not in known:
            parser.error(f"--works: one of {', '.join(known)}, got {name}")
    for name in options.contestants or ():
        if name not in CONTESTANTS:
            parser.error(f"--contestants: one of {', '.join(CONTESTANTS)}, got {name}")
        if name in MISSING:
            parser.error(f"--contestants: {name} needs transformWithState, which Spark {SPARK} does not have")
    if options.disorder is not None and options.disorder > DELAY:
        late = f"{DELAY}, the delay of the watermark, so that no event is late"
        parser.error(f"--disorder: at most {late}, got {options.disorder}")
    if options.events and options.events % 40:
        parser.error(
            f"--events: a multiple of 40, so that all works can share them out, got {options.events}"
        )
    return options


def events_of(options: argparse.Namespace) -> Events:
    """Return the events of the run."""
    given = {
        "count" if name == "events" else name: getattr(options, name)
        for name in ("events", "keys", "skew", "disorder", "seed")
        if getattr(options, name) is not None
    }
    return replace(SHORT if options.short else Events(), **given)


class Run:
    """The works of a run, one after the other."""

    def __init__(self, options: argparse.Namespace, jvm: Jvm, spark: SparkSession) -> None:
        self.events = events_of(options)
        self.rounds = 1 if options.short else options.rounds
        self.warm_up = 0 if options.short else options.warm_up
        self._jvm = jvm
        self._short = options.short
        self.who = contestants(spark, jvm)
        taking_part = [name for name in self.who if name in (options.contestants or self.who)]
        self.works = [
            replace(work, contestants=tuple(c for c in work.contestants if c in taking_part))
            for work in WORKS
            if (work.name in options.works if options.works else work.short or not options.short)
        ]
        self.works = [work for work in self.works if work.contestants]
        if MISSING:
            print(f"without {', '.join(MISSING)}: Spark {SPARK} has no transformWithState", file=sys.stderr)
        self.rows = {work.name: self.rows_of(work) for work in self.works}

    def rows_of(self, work: Work) -> int:
        """Return the rows of a micro-batch of a work; a short run has two."""
        count = work.events(self.events).count
        return count // 2 if self._short else min(work.rows, count)

    def files_of(self, work: Work, who: Contestant) -> Files:
        """Return the files that a contestant reads in a work."""
        events = who.events(work.events(self.events))
        return write(
            self._jvm, events, min(self.rows[work.name], events.count), ROOT / "target" / "bench" / "events"
        )

    def measure(self, work: Work) -> dict[str, Measured]:
        """Compare the results of a work, warm up, then time it."""
        self.compare(work)
        taking_part = {
            name: (self.who[name], self.files_of(work, self.who[name])) for name in work.contestants
        }
        cold = dict.fromkeys(taking_part, self.warm_up)
        while any(left > 0 for left in cold.values()):
            for name, (who, files) in taking_part.items():
                if cold[name] > 0:
                    cold[name] -= who.time(work, files)[0]
        measured = {name: Measured(files.events.count) for name, (_, files) in taking_part.items()}
        for _ in range(self.rounds):
            for name, (who, files) in taking_part.items():
                seconds, state = who.time(work, files)
                measured[name].seconds.append(seconds)
                measured[name].state = state
        return measured

    def compare(self, work: Work) -> None:
        """Let each contestant run on the same events, and stop if two give different results."""
        if work.windows == "none":
            return
        found: dict[Files, dict[str, Digest]] = {}
        for name in work.contestants:
            files = self.files_of(work, self.who[name])
            for each in dict.fromkeys((work.contestants[0], name)):
                same = found.setdefault(files, {})
                if each not in same:
                    same[each] = self.who[each].digest(work, files)
        for digests in found.values():
            check_equal(work.name, digests)


def check_equal(work: str, digests: dict[str, Digest]) -> None:
    """Stop the run if contestants gave different results, or none.

    Raises
    ------
    SystemExit
        With the digests.
    """
    first, *others = digests.values()
    if any(digest != first for digest in others):
        raise SystemExit(f"{work}: the results differ: {digests}")
    if first["rows"] == 0:
        raise SystemExit(f"{work}: no window has closed: take more --events")


def as_json(run: Run, results: Results) -> dict[str, object]:
    """Return everything that was measured."""
    works = {}
    for work in run.works:
        measured = results[work.name]
        first = measured[work.contestants[0]]
        works[work.name] = {
            "text": work.text,
            "rows_a_micro_batch": run.rows[work.name],
            "contestants": {
                name: {
                    "events": m.events,
                    "seconds": m.seconds,
                    "million_rows_a_second": m.rates,
                    "ratios": ratios(first, m),
                    "state": m.state and asdict(m.state),
                }
                for name, m in measured.items()
            },
        }
    machine = {
        "cpus": os.cpu_count(),
        "machine": platform.machine(),
        "python": platform.python_version(),
        "spark": SPARK,
        "spark_windowing": sw.__version__,
    }
    return {"events": asdict(run.events), "rounds": run.rounds, "machine": machine, "works": works}


def main(argv: list[str] | None = None) -> Results:
    """Run the works and print both tables."""
    options = arguments(argv)
    with Jvm() as jvm:
        os.environ.setdefault(
            "PYTHONWARNINGS", "ignore::FutureWarning"
        )  # of Spark, in applyInPandasWithState
        settings = {} if options.default_settings else TUNED
        spark = local_session("4g", {**transform_with_state.SCALA, **settings})
        run = Run(options, jvm, spark)
        results: Results = {}
        for work in run.works:
            print(f"{work.name}: {', '.join(work.contestants)}", file=sys.stderr)
            results[work.name] = run.measure(work)
        titles = {name: who.title for name, who in run.who.items()}
        print(f"{run.events}, median of {run.rounds} rounds\n")
        print(rates_table(run.works, titles, run.rows, results))
        print("\n" + state_table(run.works, titles, results))
        if options.json:
            options.json.write_text(json.dumps(as_json(run, results), indent=2) + "\n")
        spark.stop()
    return results


if __name__ == "__main__":
    main()
