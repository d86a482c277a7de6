# Every command of the project; `make` alone lists them.
SHELL       := /bin/bash
VERSION     := $(shell sed -n 's/^__version__ = "\(.*\)"/\1/p' python/src/spark_windowing/_version.py)
SPARK       := $(shell sed -n 's/^spark=//p' versions.properties)
SPARKS      := $(shell sed -n 's/^spark.supported=//p' versions.properties)
VENV        ?= .venv
PYTHON      ?= python3
JAR         := core-scala/spark/target/scala-2.13/spark-windowing-spark4.1_2.13-$(VERSION).jar
WHEEL       := dist/spark_windowing-$(VERSION)-py3-none-any.whl
SCALA_FILES := $(shell find core-scala/engine/src/main core-scala/spark/src/main -name '*.scala') build.sbt versions.properties
BENCH_FILES := $(shell find core-scala/bench/src/main -name '*.scala')
BENCH_ARGS  := target/bench/java.args
SERVICES    := target/services/delta.jars
PY_FILES    := $(shell find python/src -name '*.py') python/pyproject.toml python/hatch_build.py

export SPARK_LOCAL_IP := 127.0.0.1

.DEFAULT_GOAL := help
.PHONY: help demo example-large-windows example-vehicle-count test conformance quick lint format jar wheel venv ci test-scala test-python test-package test-spark-matrix new-user mutants chaos scenarios-stream bench bench-jmh soak audit big-state docs pictures clean

help: ## list the commands
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{ printf "  make %-22s %s\n", $$1, $$2 }'

demo: venv ## a year of real flights as a stream through three queries, in one to two minutes
	$(VENV)/bin/python examples/flights/demo.py

example-large-windows: venv ## three plans for windows too large to keep, side by side on the flights, in some minutes
	$(VENV)/bin/python examples/large_windows/plans.py

example-vehicle-count: venv $(SERVICES) ## vehicles at toll gates from a Kafka broker to a Redis server, both started here, in about two minutes
	$(VENV)/bin/python examples/vehicle_count/vehicle_count.py

# Scala and Python tests side by side: each leaves most of a core unused
test: venv $(BENCH_ARGS) $(SERVICES) ## all tests: engine, conformance with Flink, Spark, the installed wheel, packaging
	$(MAKE) -j2 --output-sync=target test-scala test-python
	$(MAKE) test-package

quick: ## the tests that take less than three minutes: the engine, and Python without Spark
	./sbtw engine/test
	@if [ -x $(VENV)/bin/pytest ]; then cd python && ../$(VENV)/bin/pytest -q -m "not spark"; fi

test-scala: ## the Scala tests
	./sbtw engine/test conformance/test spark/test bench/Jmh/compile

# make conformance N=1000000; SEED=7 repeats a run
N    ?= 100000
SEED ?= $(shell od -An -N4 -tu4 /dev/urandom | tr -d ' ')

conformance: ## N random cases (100000 if not said) against Flink's own operator, from a fresh seed
	SBT_OPTS="-Dcases=$(N) -Dseed=$(SEED)" ./sbtw "conformance/testOnly *ConformanceSpec"

test-python: venv $(BENCH_ARGS) $(SERVICES) ## the Python tests, on the installed wheel
	cd python && ../$(VENV)/bin/pytest

test-package: $(WHEEL) ## the wheel, the sdist, the wheel of the sdist, and builds that cannot work
	.venv-build/bin/pip install -q pytest
	.venv-build/bin/pytest -q tests/package

lint: venv ## formatters and linters, as CI runs them
	./sbtw scalafmtCheckAll scalafmtSbtCheck "scalafixAll --check"
	$(VENV)/bin/ruff format --check python tests examples benchmarks docs
	$(VENV)/bin/ruff check python tests examples benchmarks docs
	cd python && ../$(VENV)/bin/mypy

format: venv ## format and mend what tools can mend
	./sbtw scalafixAll scalafmtAll scalafmtSbt
	$(VENV)/bin/ruff format python tests examples benchmarks docs
	$(VENV)/bin/ruff check --fix python tests examples benchmarks docs

jar: $(JAR) ## the jar for spark.jars

$(JAR): $(SCALA_FILES) python/src/spark_windowing/_version.py
	./sbtw spark/package
	@touch $@

wheel: $(WHEEL) ## the wheel, with the jar inside

$(WHEEL): $(JAR) $(PY_FILES)
	$(PYTHON) -m venv .venv-build
	.venv-build/bin/pip install -q build
	.venv-build/bin/python -m build -q --wheel --outdir dist python

venv: $(VENV)/.ready ## .venv with the built wheel and everything that the tests need

# A venv with the wheel, everything that the tests need, and the PySpark of that version
define install
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/pip install -q "$(WHEEL)[spark,test,demo,vehicle-count]" "pyspark==$(1)"
	$(@D)/bin/pip install -q --force-reinstall --no-deps $(WHEEL)
	@touch $@
endef

$(VENV)/.ready: $(WHEEL)
	$(call install,$(SPARK))

.venv-spark-%/.ready: $(WHEEL)
	$(call install,$*)

test-spark-matrix: $(SPARKS:%=test-spark-%) ## the Python tests with the same wheel on every supported Spark

$(SPARKS:%=test-spark-%): test-spark-%: .venv-spark-%/.ready $(BENCH_ARGS) $(SERVICES)
	cd python && ../.venv-spark-$*/bin/pytest

new-user: $(WHEEL) ## as a new user: pip install of the wheel in an empty environment, then the quick-start notebook, unchanged
	rm -rf .venv-new target/new-user
	$(PYTHON) -m venv .venv-new
	.venv-new/bin/pip install -q "$(WHEEL)[spark,pandas,plot]" jupyter-client ipykernel nbclient
	mkdir -p target/new-user
	cp examples/1_quick_start.ipynb target/new-user
	cd target/new-user && PATH="$(CURDIR)/.venv-new/bin:$$PATH" jupyter execute --output=executed 1_quick_start.ipynb

bench-jmh: ## JMH: the engine's element path beside Flink's, in one run
	./sbtw "bench/Jmh/run"

mutants: ## the mistakes that are easily made, one at a time: each must be caught by a test
	$(PYTHON) tests/mutants/mutants.py

# make chaos KILLS=50 EXECUTOR_KILLS=20 SEED=7
KILLS          ?= 50
EXECUTOR_KILLS ?= 20

chaos: venv ## kill drivers and executors at random moments, and compare with a run without kills: 15 to 30 minutes
	$(VENV)/bin/python tests/chaos/chaos.py --kills $(KILLS) --executor-kills $(EXECUTOR_KILLS) --seed $(SEED)

scenarios-stream: ## every scenario that a stream can show, on running streams, in three sizes of micro-batch
	SBT_OPTS="-Dscenarios.all=true" ./sbtw "spark/testOnly *StreamScenarioSpec"

# make bench WORKS=session_500k,tumbling_500k OPTIONS="--rounds 5 --json target/bench/table.json"
bench: venv $(BENCH_ARGS) ## the same windows here, in Spark's own operators and in Flink, in one run
	$(VENV)/bin/python benchmarks/bench.py $(if $(WORKS),--works $(WORKS)) $(OPTIONS)

soak: venv ## 20 million events of a million keys in 4 GiB with RocksDB: memory and state level off, some minutes
	$(VENV)/bin/python benchmarks/soak.py $(OPTIONS)

# How to run the classes of core-scala/bench without sbt
$(BENCH_ARGS): $(SCALA_FILES) $(BENCH_FILES)
	./sbtw bench/javaArguments

# The jars of a Kafka broker, of Spark's Kafka source and of Delta Lake
$(SERVICES): build.sbt versions.properties
	./sbtw services/jars

audit: venv ## known vulnerabilities of the packages that the tests install, by pip-audit
	$(PYTHON) -m venv .venv-audit
	.venv-audit/bin/pip install -q pip-audit
	$(VENV)/bin/python tests/package/audit.py .venv-audit/bin/pip-audit "$$($(VENV)/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')"

# make big-state OPTIONS="--rows 1000000 --batches 100 --store rocksdb"
big-state: venv ## one key whose window keeps a million rows, filled in 100 micro-batches: time and bytes of each
	$(VENV)/bin/python benchmarks/big_state.py $(OPTIONS)

docs: venv ## the documentation as a site, in target/docs
	$(VENV)/bin/pip install -q "$(WHEEL)[docs]"
	$(VENV)/bin/sphinx-build -q -W --keep-going -d target/docs-trees docs target/docs
	@echo "target/docs/index.html"

pictures: venv ## the pictures of the documentation, drawn anew from simulations
	$(VENV)/bin/python docs/pictures.py

ci: lint docs test ## what CI runs

clean: ## throw away what was built
	rm -rf $(VENV) .venv-build .venv-audit .venv-new .venv-spark-* dist docs/generated target/docs target/docs-trees
	./sbtw clean
