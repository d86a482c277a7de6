"""What `make test` says at its end: counts, the slowest tests, and each failure by name."""

from summary import cases, lines

PYTEST = """<testsuites><testsuite>
<testcase classname="tests.python.streams.test_joins" name="test_left" time="2.5"/>
<testcase classname="tests.python.streams.test_joins" name="test_full" time="0.5">
  <failure message="AssertionError: assert 3 == 4&#10;  more">trace</failure></testcase>
<testcase classname="tests.python.delta.test_delta" name="test_merge" time="0.0"><skipped message="no jars"/></testcase>
</testsuite></testsuites>"""
SBT = """<testsuite><testcase classname="dev.Spec" name="merges" time="30.0"/>
<testcase classname="dev.Spec" name="breaks" time="1.0"><error message="boom" type="x"/></testcase></testsuite>"""


def reports(root, **texts):
    for name, text in texts.items():
        folder = root / "target/reports" if name != "TEST" else root / "core-scala/engine/target/test-reports"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name.replace('_', '-')}{'-dev.Spec' * (name == 'TEST')}.xml").write_text(text)
    return lines(cases(root))


def test_each_run_is_counted_and_each_failure_is_named_last(tmp_path):
    assert reports(tmp_path, test_python=PYTEST, TEST=SBT) == [
        "engine: 2 tests, 1 failed, 0 skipped, 31 s in tests",
        "test-python: 3 tests, 1 failed, 1 skipped, 3 s in tests",
        "",
        "The 5 slowest:",
        "    30.0 s  engine: dev.Spec › merges",
        "     2.5 s  test-python: tests.python.streams.test_joins › test_left",
        "     1.0 s  engine: dev.Spec › breaks",
        "     0.5 s  test-python: tests.python.streams.test_joins › test_full",
        "     0.0 s  test-python: tests.python.delta.test_delta › test_merge",
        "",
        "2 failed:",
        "  test-python: tests.python.streams.test_joins › test_full",
        "    AssertionError: assert 3 == 4",
        "  engine: dev.Spec › breaks",
        "    boom",
    ]


def test_a_run_without_a_report_is_missing_from_the_counts(tmp_path):
    assert lines(cases(tmp_path)) == ["", "The 0 slowest:", "", "0 failed"]
