# All commands of the project. `make` without a target lists them.
SHELL       := /bin/bash
VERSION     := $(shell sed -n 's/^__version__ = "\(.*\)"/\1/p' python/src/spark_windowing/_version.py)
SPARK       := $(shell sed -n 's/^spark=//p' versions.properties)
LINES       := $(shell sed -n 's/^lines=//p' versions.properties)
OTHER_LINES := $(shell sed -n 's/^spark-[0-9.]*=//p' versions.properties)
REAL_TIME   := $(shell sed -n 's/^spark.real-time=//p' versions.properties)
SPARKS      := $(shell sed -n 's/^spark.supported=//p' versions.properties)
VENV        ?= .venv
# ON=3.5.8 is for commands that run on another Spark, too
USED        := $(if $(ON),.venv-spark-$(ON),$(VENV))
PYTHON      ?= python3
JARS        := $(LINES:%=target/spark-jars/spark-windowing-spark%-$(VERSION).jar)
WHEEL       := dist/spark_windowing-$(VERSION)-py3-none-any.whl
SCALA       := $(shell sed -n 's/^scala=\([0-9]*\.[0-9]*\).*/\1/p' versions.properties)
SCALA_FILES := $(shell find core-scala/engine/src/main core-scala/spark/src/main -name '*.scala') build.sbt versions.properties
BENCH_FILES := $(shell find core-scala/bench/src/main -name '*.scala')
BENCH_ARGS  := target/bench/java.args
LIVE_FILES  := $(shell find core-scala/real-time/src core-scala/spark/src/test core-scala/engine/src/test -name '*.scala')
LIVE_PATH   := target/real-time/classes.path
SERVICES    := target/services/delta.jars
PROMETHEUS  := target/services/prometheus
PY_FILES    := $(shell find python/src -name '*.py') python/pyproject.toml python/hatch_build.py

export SPARK_LOCAL_IP := 127.0.0.1

.DEFAULT_GOAL := help
.PHONY: help demo example-large-windows example-monitoring example-vehicle-count test conformance quick lint format jars wheel venv ci test-scala test-python test-python-session test-python-jobs test-connect test-remote test-long test-upserts test-package test-client test-spark-matrix smoke test-real-time test-jdk test-standalone new-user mutants chaos chaos-rescale chaos-upserts chaos-real-time day rescale-table scenarios-stream bench bench-jmh bench-engine bench-latency bench-real-time bench-silent bench-start bench-rescale bench-upserts bench-over bench-process bench-fill bench-join first-result soak audit big-state large-key docs scala-page scaladoc pictures notebooks clean

help: ## list the commands
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{ printf "  make %-22s %s\n", $$1, $$2 }'

demo: venv ## run a year of real flights as a stream through three queries, in one to two minutes
	$(VENV)/bin/python examples/flights/demo.py

example-large-windows: venv ## compare three plans for windows that are too large to store, on the flights, in a few minutes
	$(VENV)/bin/python examples/large_windows/plans.py

example-monitoring: venv ## run a query whose figures Prometheus can scrape and Spark's UI shows, for ten minutes
	$(VENV)/bin/python examples/monitoring/watched.py

example-vehicle-count: venv $(SERVICES) ## count vehicles at toll gates from Kafka to Redis, starting both servers, in about two minutes
	$(VENV)/bin/python examples/vehicle_count/vehicle_count.py

TEST_RUNS := test-scala test-python-jobs test-python-session smoke test-real-time test-connect

# Three at a time, since each leaves most of a core unused. A run that fails stops no other, and the end says what failed
test: venv $(BENCH_ARGS) $(SERVICES) $(LIVE_PATH) ## run the tests: engine, conformance with Flink, Spark, the installed wheel, packaging
	@rm -rf target/reports core-scala/*/target/test-reports
	@$(MAKE) -k -j3 --output-sync=target $(TEST_RUNS) && $(MAKE) test-package; \
	code=$$?; $(PYTHON) tests/summary/summary.py; exit $$code

quick: ## run the tests that take less than three minutes: the engine, and Python without Spark
	./sbtw engine/test
	@if [ -x $(VENV)/bin/pytest ]; then cd python && ../$(VENV)/bin/pytest -q -m "not spark"; fi

test-scala: ## run the Scala tests and the examples of docs/scala.md
	./sbtw engine/test conformance/test "spark/testOnly * -- -l org.scalatest.tags.Slow" bench/Jmh/compile "docs/mdoc --check"

# make conformance N=1000000; SEED=7 repeats a run
N    ?= 100000
SEED ?= $(shell od -An -N4 -tu4 /dev/urandom | tr -d ' ')

conformance: ## compare N random cases (default: 100000) with Flink's own operator, from a new seed
	SBT_OPTS="-Dcases=$(N) -Dseed=$(SEED)" ./sbtw "conformance/testOnly *ConformanceSpec"

test-long: $(VENV)/classes.jsa venv $(BENCH_ARGS) $(SERVICES) $(PROMETHEUS) ## run what `make test` leaves out: all Scala tests of Spark with all cases, and the long Python tests, in one to two hours
	SBT_OPTS="-Dlong=true" ./sbtw spark/test
	cd python && ../$(VENV)/bin/pytest -c pyproject.toml $(REPORT) --long -m long ../tests/python --ignore=../tests/python/connect
	cd python && ../$(VENV)/bin/pytest -c pyproject.toml --long -m long --remote ../tests/python/connect

test-python: test-python-session test-python-jobs test-connect ## run the Python tests on the installed wheel

# What a run of pytest writes for the end of `make test`
REPORT = --junitxml=../target/reports/$@.xml

# Folders with tests that start processes of their own; all others share one session
JOBS := $(addprefix ../tests/python/,benchmarks docs examples faults gateway package pipelines upserts)

test-python-session: $(VENV)/classes.jsa venv $(SERVICES)
	cd python && ../$(VENV)/bin/pytest --collect-only -q > /dev/null # all in one run, as on other Spark versions
	cd python && ../$(VENV)/bin/pytest $(REPORT) $(JOBS:%=--ignore=%) --ignore=../tests/python/connect

test-python-jobs: $(VENV)/classes.jsa venv $(BENCH_ARGS) $(SERVICES) $(PROMETHEUS)
	cd python && ../$(VENV)/bin/pytest -c pyproject.toml $(REPORT) $(JOBS)

# make test-connect ON=4.0.4
test-connect: $(USED)/classes.jsa $(USED)/.ready ## run the Python tests of Spark Connect by a server in another process, ON=4.0.4 for another Spark
	cd python && ../$(USED)/bin/pytest -c pyproject.toml $(REPORT) --remote ../tests/python/connect

test-remote: $(VENV)/classes.jsa venv $(SERVICES) ## run all Python tests by a server of Spark Connect, but for those that are marked classic
	cd python && ../$(VENV)/bin/pytest -c pyproject.toml --remote ../tests/python

test-package: $(WHEEL) ## test the wheel, the sdist, the wheel of the sdist, builds that must fail, and the scripts of a release
	.venv-build/bin/pip install -q pytest -r release/requirements.txt
	.venv-build/bin/pytest -q --junitxml=target/reports/$@.xml tests/package tests/summary

lint: venv ## run formatters and linters as CI does
	./sbtw scalafmtCheckAll scalafmtSbtCheck "scalafixAll --check" spark35s213/scalafmtCheckAll "spark35s213/Compile/scalafix --check"
	$(VENV)/bin/ruff format --check python tests examples benchmarks docs release
	$(VENV)/bin/ruff check python tests examples benchmarks docs release
	cd python && ../$(VENV)/bin/mypy
	$(VENV)/bin/codespell --toml python/pyproject.toml *.md Makefile build.sbt project python tests examples benchmarks docs core-scala release

format: venv ## format the code and fix what the tools can fix
	./sbtw scalafixAll spark35s213/scalafixAll scalafmtAll spark35s213/scalafmtAll scalafmtSbt
	$(VENV)/bin/ruff format python tests examples benchmarks docs release
	$(VENV)/bin/ruff check --fix python tests examples benchmarks docs release

jars: $(JARS) ## build the jars for spark.jars, one for each line of Spark

$(JARS) &: $(SCALA_FILES) python/src/spark_windowing/_version.py
	./sbtw sparkJars
	@touch -c $(JARS)

wheel: $(WHEEL) ## build the wheel, which bundles the jars

$(WHEEL): $(JARS) $(PY_FILES)
	$(PYTHON) -m venv .venv-build
	.venv-build/bin/pip install -q build
	.venv-build/bin/python -m build -q --wheel --outdir dist python

venv: $(VENV)/.ready ## create .venv with the built wheel and all packages that the tests need

# A venv with the wheel, all packages that the tests need, and PySpark of the given version. The Connect client of PySpark
# 3.5 wants NumPy 1, which PyArrow has given up since.
define install
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/pip install -q "$(WHEEL)[spark,test,demo,vehicle-count]" "pyspark[connect]==$(1)" $(if $(filter 3.5.%,$(1)),"pyarrow<20")
	$(@D)/bin/pip install -q --force-reinstall --no-deps $(WHEEL)
	@touch $@
endef

$(VENV)/.ready: $(WHEEL)
	$(call install,$(SPARK))

.venv-spark-%/.ready: $(WHEEL)
	$(call install,$*)

# The classes that Spark loads, for the JVMs of tests: the quick start runs while they are written down
%/classes.jsa: versions.properties | %/.ready
	$*/bin/python tests/platforms/fast_start.py

test-spark-matrix: $(SPARKS:%=test-spark-%) ## run the Python tests with the same wheel on every supported Spark version, and the Scala tests on the other lines
	./sbtw spark40/test engine212/test spark35s213/test

$(SPARKS:%=test-spark-%): test-spark-%: .venv-spark-%/classes.jsa .venv-spark-%/.ready $(BENCH_ARGS) $(SERVICES) $(PROMETHEUS)
	cd python && ../.venv-spark-$*/bin/pytest $(REPORT) --long

SMOKE := streams/test_streams.py streams/test_batch.py streams/test_process.py results/test_read_state.py results/test_advise.py \
         upserts/test_upserts.py \
         checkpoints/test_rescale.py::test_a_stream_of_files_through_two_rescales_gives_what_one_run_gives \
         gateway/test_class_links.py gateway/test_setup.py

smoke: $(OTHER_LINES:%=smoke-%) ## run the quick start and some minutes of the Python tests on the other lines of Spark

$(OTHER_LINES:%=smoke-%): smoke-%: .venv-spark-%/classes.jsa .venv-spark-%/.ready $(SERVICES) $(PROMETHEUS)
	cd python && ../.venv-spark-$*/bin/pytest -c pyproject.toml $(REPORT) $(SMOKE:%=../tests/python/%)

# make test-real-time CASES=1000 FIRST=5000
CASES      ?= 12
FIRST      ?= 1
LIVE_TESTS := core-scala/real-time/target/scala-$(SCALA)/test-classes
LIVE_CLASSES = $$(cat $(LIVE_PATH)):$$(echo .venv-spark-$(REAL_TIME)/lib/python*/site-packages/pyspark/jars)/*

test-real-time: .venv-spark-$(REAL_TIME)/classes.jsa .venv-spark-$(REAL_TIME)/.ready $(SERVICES) $(LIVE_PATH) ## run the tests of windows in real-time mode, on a Spark that has it
	java @$(dir $(LIVE_PATH))java.args -Dcases=$(CASES) -Dfirst=$(FIRST) -cp "$(LIVE_CLASSES)" \
	  org.scalatest.tools.Runner -R $(LIVE_TESTS) -oDW -u core-scala/real-time/target/test-reports
	cd python && ../.venv-spark-$(REAL_TIME)/bin/pytest -c pyproject.toml $(REPORT) ../tests/python/streams/test_real_time.py

# make test-upserts ON=4.1.4
test-upserts: $(USED)/classes.jsa $(USED)/.ready $(SERVICES) ## run the tests of the tables that there are for a Spark, ON=4.0.4 for another one
	cd python && PYSPARK_PYTHON=../$(USED)/bin/python ../$(USED)/bin/pytest -c pyproject.toml ../tests/upserts $(if $(wildcard target/services/iceberg-$(subst .,-,$(basename $(ON))).jars),,--ignore ../tests/upserts/test_iceberg.py)

# make test-jdk JDK=/usr/lib/jvm/java-21 ON=3.5.8
test-jdk: $(USED)/.ready ## run the quick start and the tests of streams on another Java, JDK=/path
	$(USED)/bin/python tests/platforms/jdk.py "$(JDK)"

test-standalone: venv ## run the quick start and a stream with a Python function on a standalone cluster of Spark and on local-cluster
	cd python && ../$(VENV)/bin/pytest -v -c pyproject.toml ../tests/platforms/test_standalone.py

test-client: venv .venv-client/.ready ## run a client of Spark Connect without Java, PySpark and py4j, also over the end of its server, in about three minutes
	cd python && ../$(VENV)/bin/pytest -v -c pyproject.toml ../tests/platforms/test_client.py

# A fresh venv with the client of Spark Connect alone
.venv-client/.ready: $(WHEEL)
	rm -rf $(@D)
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/pip install -q "$(WHEEL)[connect,pandas,plot]" "pyspark-client==$(SPARK)"
	@touch $@

new-user: $(WHEEL) ## install the wheel into an empty environment, as a new user does, and run the quick-start notebook
	rm -rf .venv-new target/new-user
	$(PYTHON) -m venv .venv-new
	.venv-new/bin/pip install -q "$(WHEEL)[spark,pandas,plot]" jupyter-client ipykernel nbclient
	mkdir -p target/new-user
	cp examples/1_quick_start.ipynb target/new-user
	cd target/new-user && PATH="$(CURDIR)/.venv-new/bin:$$PATH" jupyter execute --output=executed 1_quick_start.ipynb

bench-jmh: ## run the JMH benchmarks of the engine's element path and of Flink's
	./sbtw "bench/Jmh/run"

mutants: ## make typical mistakes in the code, one at a time, and check that a test fails for each
	$(PYTHON) tests/mutants/mutants.py

# make chaos KILLS=50 EXECUTOR_KILLS=20 SEED=7
KILLS          ?= 50
EXECUTOR_KILLS ?= 20

chaos: $(VENV)/classes.jsa venv ## kill drivers and executors at random moments and compare with a run without kills, in 15 to 30 minutes
	$(VENV)/bin/python tests/chaos/chaos.py --kills $(KILLS) --executor-kills $(EXECUTOR_KILLS) --seed $(SEED)

# make chaos-rescale OPTIONS="--kills 20 --keys 1000000"
chaos-rescale: venv ## kill rescales and migrates of a checkpoint at random moments: the old one stays, the new one is refused, in about ten minutes
	$(VENV)/bin/python tests/chaos/rescale_kills.py $(OPTIONS)

# make chaos-upserts OPTIONS="--kills 20 --stores delta" ON=4.1.4
chaos-upserts: $(USED)/classes.jsa $(USED)/.ready $(SERVICES) ## kill jobs that upsert, within a write and behind one, and compare the tables with a plain loop, in about ten minutes
	PYTHONPATH=tests/upserts $(USED)/bin/python tests/upserts/upsert_kills.py $(OPTIONS)

# make chaos-real-time OPTIONS="--kills 25 --executor-kills 25"; with --load 6 on busy processors
chaos-real-time: .venv-spark-$(REAL_TIME)/classes.jsa .venv-spark-$(REAL_TIME)/.ready $(SERVICES) ## kill drivers and executors of a query in real-time mode, from Kafka to Kafka, in about fifteen minutes
	.venv-spark-$(REAL_TIME)/bin/python tests/chaos/live_kills.py $(OPTIONS)

# make day EARLIER=path/to/an/earlier.whl OPTIONS="--minutes 30"
DAY_SPARK := $(filter 4.1.%,$(SPARKS))

day: .venv-spark-$(DAY_SPARK)/.ready venv $(SERVICES) ## let in half an hour happen what happens in years: releases, kills, other partitions, a full disk, with Kafka and Delta
	PYTHONPATH=tests/chaos:tests/upserts:examples/vehicle_count $(VENV)/bin/python tests/day/day.py \
	  --spark-41 .venv-spark-$(DAY_SPARK)/bin/python $(if $(EARLIER),--earlier $(EARLIER)) $(OPTIONS)

# make rescale-table ON=3.5.8 OPTIONS="--kinds sessions --stores rocksdb"
rescale-table: $(USED)/.ready ## change the partitions of every kind of query on every state store, and compare with one that was not moved
	PYSPARK_PYTHON=$(USED)/bin/python $(USED)/bin/python tests/chaos/rescale_table.py $(OPTIONS)

scenarios-stream: venv ## run every scenario that a stream can reproduce on streams, with three sizes of micro-batch, and all from Python
	SBT_OPTS="-Dlong=true" ./sbtw "spark/testOnly *StreamScenarioSpec"
	cd python && SCENARIOS=all ../$(VENV)/bin/pytest -c pyproject.toml ../tests/python/simulation/test_scenarios.py

# make bench-engine BEFORE=../before; there: ./sbtw bench/compile
bench-engine: $(BENCH_ARGS) ## run the engine of this checkout and of another, BEFORE, in turn in one JVM, in about five minutes
	$(if $(BEFORE),,$(error say which: make bench-engine BEFORE=DIRECTORY))
	java @$(BENCH_ARGS) dev.sparkwindowing.bench.EngineRatio $(BEFORE)

# make bench WORKS=session_500k,tumbling_500k OPTIONS="--rounds 5 --json target/bench/table.json" ON=3.5.8
bench: $(USED)/.ready $(BENCH_ARGS) ## run the same windows in this project, in Spark's own operators and in Flink
	$(USED)/bin/python benchmarks/bench.py $(if $(WORKS),--works $(WORKS)) $(OPTIONS)

# make bench-latency OPTIONS="--rates 1000 --seconds 120"
bench-latency: .venv-spark-$(REAL_TIME)/.ready $(BENCH_ARGS) $(LIVE_PATH) ## measure the time from the row that completes a window to its result
	.venv-spark-$(REAL_TIME)/bin/python benchmarks/latency.py $(OPTIONS)

# make bench-real-time OPTIONS="--rates 1000 --seconds 120"
bench-real-time: .venv-spark-$(REAL_TIME)/.ready $(SERVICES) $(LIVE_PATH) ## measure windows in real-time mode: from Kafka to Kafka, at the end of micro-batches, with a silent source, with a million keys
	.venv-spark-$(REAL_TIME)/bin/python benchmarks/real_time.py $(OPTIONS)

# make bench-silent OPTIONS="--keys 1000,5000000 --stores rocksdb"
bench-silent: venv $(BENCH_ARGS) ## time small micro-batches beside up to a million silent keys
	$(VENV)/bin/python benchmarks/silent.py $(OPTIONS)

# make bench-start OPTIONS="--works aggregates --keys 5000000 --stores rocksdb --rounds 3"
bench-start: venv ## time the first micro-batch of a query on an old checkpoint, beside a million silent keys or a gigabyte of their rows
	$(VENV)/bin/python benchmarks/start.py $(OPTIONS)

# make bench-rescale OPTIONS="--keys 5000000 --stores rocksdb"
bench-rescale: venv ## time how long a checkpoint of a million keys takes to get more partitions, beside Spark's own repartition
	$(VENV)/bin/python benchmarks/rescale.py $(OPTIONS)

first-result: venv ## print the size of the wheel, and the times of the import and to the first result of the quick start
	$(VENV)/bin/python benchmarks/first_result.py $(WHEEL) $(OPTIONS)

soak: venv ## run 20 million events of a million keys in 4 GiB with RocksDB, in some minutes: memory and state must level off
	$(VENV)/bin/python benchmarks/soak.py $(OPTIONS)

# make bench-upserts OPTIONS="--rows 200000 --keys 20000 --stores delta" ON=4.1.4
bench-upserts: $(USED)/.ready $(SERVICES) ## time upserts beside an append and a MERGE that is written by hand
	PYTHONPATH=tests/upserts $(USED)/bin/python benchmarks/upserts.py $(OPTIONS)

# make bench-over OPTIONS="--events 200000 --lengths 10,600"
bench-over: venv ## time windows that end with each row beside Spark's rangeBetween
	$(VENV)/bin/python benchmarks/over_windows.py $(OPTIONS)

# make bench-process OPTIONS="--events 2000000 --keys 100000"
bench-process: venv ## time a process function of keys as columns beside transformWithStateInPandas
	$(VENV)/bin/python benchmarks/process_functions.py $(OPTIONS)

# make bench-fill OPTIONS="--keys 1000000 --minutes 60 --rounds 1"
bench-fill: venv ## time windows without rows of silent keys beside a process function that fills them
	$(VENV)/bin/python benchmarks/fill_empty.py $(OPTIONS)

# The arguments of java for the classes of core-scala/bench, without sbt
$(BENCH_ARGS): $(SCALA_FILES) $(BENCH_FILES)
	./sbtw bench/javaArguments

$(LIVE_PATH): $(SCALA_FILES) $(LIVE_FILES)
	./sbtw realTime/liveClasses

# Prometheus, from Debian. Where there is none, the tests that need it are left out
$(PROMETHEUS):
	mkdir -p $@
	cd $@ && { apt-get download -q prometheus && dpkg -x prometheus_*.deb . || echo "no Prometheus here"; }

# The jars of a Kafka broker, of Spark's Kafka source and of tables
$(SERVICES): build.sbt versions.properties
	./sbtw services/jars

audit: venv ## check the packages that the tests install for known vulnerabilities, with pip-audit
	$(PYTHON) -m venv .venv-audit
	.venv-audit/bin/pip install -q pip-audit
	$(VENV)/bin/python tests/package/audit.py .venv-audit/bin/pip-audit "$$($(VENV)/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')"

# make bench-join OPTIONS="--rows 20000 --heap 1g --only ours"
bench-join: venv ## time a join of two streams with all rows in one window beside Spark's own
	$(VENV)/bin/python benchmarks/join_pairs.py $(OPTIONS)

# make big-state OPTIONS="--rows 1000000 --batches 100 --store rocksdb --lists"
big-state: venv $(BENCH_ARGS) ## fill a window of one key with a million rows in 100 micro-batches and print time and bytes of each
	$(VENV)/bin/python benchmarks/big_state.py $(OPTIONS)

# make large-key OPTIONS="--rows 1000000 --heap 512m --plan python"; the options for one plan, all of them without
large-key: venv $(BENCH_ARGS) ## read ten million rows of one key in a heap of 2 GB, by each of five plans, in about fifteen minutes
	$(VENV)/bin/python benchmarks/large_key.py $(OPTIONS)

docs: venv scaladoc ## build the documentation site in target/docs
	$(VENV)/bin/pip install -q "$(WHEEL)[docs]"
	$(VENV)/bin/sphinx-build -q -W --keep-going -d target/docs-trees docs target/docs
	@echo "target/docs/index.html"

scaladoc: ## write the API pages of Scala to target/docs/scaladoc
	./sbtw spark/doc
	rm -rf target/docs/scaladoc
	mkdir -p target/docs
	cp -r core-scala/spark/target/scala-2.13/api target/docs/scaladoc

scala-page: ## run the examples of docs/scala.md and write what they print
	./sbtw docs/mdoc

pictures: venv ## redraw the pictures of the documentation from simulations
	$(VENV)/bin/python docs/pictures.py

# make release TAG=v0.1.0, by default that of the version; make release REHEARSAL=1 takes the current commit
TAG      ?= v$(VERSION)
RELEASED := $(if $(REHEARSAL),--rehearsal,--tag $(TAG))

.PHONY: release release-twice release-check
release: .venv-release/.ready ## build all that is published from a tag into target/release: wheel, sdist, Maven artefacts, checksums
	.venv-release/bin/python release/release.py $(RELEASED)

release-twice: .venv-release/.ready ## build a release a second time, in another folder, and compare all bytes
	.venv-release/bin/python release/twice.py $(RELEASED)

release-check: .venv-release/.ready ## install what make release has built into fresh environments and run it there
	.venv-release/bin/python release/check.py

.venv-release/.ready: release/requirements.txt
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/pip install -q -r $<
	@touch $@

# make notebooks NAMES="3_sessions functions"
notebooks: venv ## run the notebooks of examples and write what they show into them, in about three minutes; NAMES for some
	$(VENV)/bin/python tests/notebooks/notebooks.py $(NAMES)

ci: lint docs test ## run all checks of CI

clean: ## delete all build results
	rm -rf $(VENV) .venv-build .venv-audit .venv-release .venv-new .venv-client .venv-spark-* dist docs/generated target/docs target/docs-trees
	./sbtw clean
