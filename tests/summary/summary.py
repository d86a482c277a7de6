"""Print what the tests of `make test` came to: counts of each run, the slowest tests, and what failed, last."""

import sys
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree as ET

SLOWEST = 10
ROOT = Path(__file__).parents[2]
REPORTS = ("target/reports/*.xml", "core-scala/*/target/test-reports/TEST-*.xml")  # pytest's and sbt's


class Case(NamedTuple):
    """A test in a report."""

    run: str
    name: str
    seconds: float
    failure: str | None
    skipped: bool


def cases(root):
    """Return the tests of all reports below a folder."""
    return [case for pattern in REPORTS for path in sorted(root.glob(pattern)) for case in _cases(path, root)]


def _cases(path, root):
    run = path.stem if path.parent.name == "reports" else path.relative_to(root).parts[1]
    for case in ET.parse(path).getroot().iter("testcase"):
        broken = case.find("failure") if case.find("failure") is not None else case.find("error")
        failure = None if broken is None else (broken.get("message") or broken.text or "").strip()
        name = f"{case.get('classname')} › {case.get('name')}"
        yield Case(run, name, float(case.get("time", 0)), failure, case.find("skipped") is not None)


def lines(found):
    """Return the lines to print."""
    printed = []
    for run in sorted({case.run for case in found}):
        of_run = [case for case in found if case.run == run]
        failed = sum(case.failure is not None for case in of_run)
        skipped = sum(case.skipped for case in of_run)
        seconds = sum(case.seconds for case in of_run)
        printed.append(
            f"{run}: {len(of_run)} tests, {failed} failed, {skipped} skipped, {seconds:.0f} s in tests"
        )
    slowest = sorted(found, key=lambda case: -case.seconds)[:SLOWEST]
    printed += ["", f"The {len(slowest)} slowest:"]
    printed += [f"  {case.seconds:6.1f} s  {case.run}: {case.name}" for case in slowest]
    failures = [case for case in found if case.failure is not None]
    printed += ["", f"{len(failures)} failed" + (":" if failures else "")]
    for case in failures:
        printed += [f"  {case.run}: {case.name}", f"    {case.failure.partition(chr(10))[0][:300]}"]
    return printed


if __name__ == "__main__":
    sys.stdout.write("\n".join(lines(cases(ROOT))) + "\n")
