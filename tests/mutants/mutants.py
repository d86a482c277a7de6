"""Make the mistakes that are easily made, one at a time, and see that a test catches each.

    python3 tests/mutants/mutants.py [NUMBER ..]

Works on a copy of the checkout. The numbers are those of section 4 of docs/semantics.md, or 0 for other rules. Fails if a
mistake is caught by no test, or if its text is no longer in the code.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from mistakes import MUTANTS

ROOT = Path(__file__).parents[2]


def copy(to):
    """Copy what git knows, and what was compiled, so that little is compiled again."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in listed.stdout.splitlines():
        target = to / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, target)


def surviving(checkout, mutants, tests=None):
    """Make the mistakes one after the other in one run of sbt; those that the tests let pass.

    A mistake that does not compile is no mistake that one could make.
    """
    marks = checkout / "mutants"
    shutil.rmtree(marks, ignore_errors=True)
    marks.mkdir()
    commands = []
    for i, mutant in enumerate(mutants):
        path = mutant.path(checkout)
        text = path.read_text(encoding="utf-8")
        if text.count(mutant.before) != 1:
            raise SystemExit(f"{mutant.file} holds {text.count(mutant.before)} times: {mutant.before}")
        (marks / f"{i}.right").write_text(text, encoding="utf-8")
        (marks / f"{i}.wrong").write_text(text.replace(mutant.before, mutant.after), encoding="utf-8")
        commands += [
            put(marks / f"{i}.wrong", path),
            mutant.tests.split("/")[0] + "/Test/compile",
            put(marks / f"{i}.wrong", marks / f"{i}.compiled"),
            tests or mutant.tests,
            put(marks / f"{i}.wrong", marks / f"{i}.passed"),
            "resumeFromFailure",
            put(marks / f"{i}.right", path),
        ]
    subprocess.run(["./sbtw", *commands], cwd=checkout, capture_output=True, check=False)
    odd = [i for i in range(len(mutants)) if not (marks / f"{i}.compiled").exists()]
    if odd:
        raise SystemExit("\n".join(["these do not compile:", *(str(mutants[i]) for i in odd)]))
    return [mutant for i, mutant in enumerate(mutants) if (marks / f"{i}.passed").exists()]


def put(source, target):
    """Return the command of sbt that copies a file."""
    return (
        f'eval java.nio.file.Files.copy(java.nio.file.Path.of("{source}"), java.nio.file.Path.of("{target}"), '
        "java.nio.file.StandardCopyOption.REPLACE_EXISTING)"
    )


def main(numbers):
    chosen = [mutant for mutant in MUTANTS if not numbers or mutant.number in numbers]
    with tempfile.TemporaryDirectory() as folder:
        checkout = Path(folder) / "checkout"
        copy(checkout)
        if subprocess.run(
            ["./sbtw", "engine/test"], cwd=checkout, capture_output=True, check=False
        ).returncode:
            raise SystemExit("the tests fail without any mistake")
        missed = surviving(checkout, chosen)
        first = [mutant for mutant in chosen if mutant not in missed]
        if missed:
            # A mistake in Spark that came so far is missed.
            missed = surviving(checkout, missed, "engine/test")
    for mutant in chosen:
        by = mutant.tests.split("*")[1] if mutant in first else "other tests"
        told = "MISSED" if mutant in missed else f"caught by {by}"
        print(f"{told:29} {mutant.number:2}  {mutant.file}: {' '.join(mutant.after.split())[:70]}")
    print(f"{len(chosen) - len(missed)} of {len(chosen)} mistakes caught")
    return len(missed)


if __name__ == "__main__":
    sys.exit(min(1, main({int(number) for number in sys.argv[1:]})))
