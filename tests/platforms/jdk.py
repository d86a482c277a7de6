"""The quick start and the tests of streams on a given Java: jdk.py JAVA_HOME."""

import os
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

import fast_start
import quick_start
from commands import output

ROOT = Path(__file__).parents[2]
TESTS = [f"../tests/python/streams/{name}.py" for name in ("test_streams", "test_process", "test_batch")]
VECTOR = "jdk.incubator.vector"
WITHOUT_VECTOR = """\
#!/bin/bash
arguments=()
for argument; do
  [ "$argument" = "--add-modules={vector}" ] || arguments+=("$argument")
done
exec "{java}" "${{arguments[@]}}"
"""


def usable(home, folder):
    """The Java to give to Spark.

    Spark 4 asks for a module that MLlib uses. A Java that was made by jlink may lack it, and does not start then: it
    gets a launcher that leaves the request out.
    """
    java = home / "bin" / "java"
    if not version("pyspark").startswith("4.") or VECTOR in output(java, "--list-modules"):
        return home
    launcher = folder / "java" / "bin" / "java"
    launcher.parent.mkdir(parents=True)
    launcher.write_text(WITHOUT_VECTOR.format(vector=VECTOR, java=java), encoding="utf-8")
    launcher.chmod(0o755)
    print(f"This Java lacks the module {VECTOR}; Spark is started without it.")
    return launcher.parents[1]


def main(home):
    if not (home / "bin" / "java").exists():
        sys.exit(
            f"JDK must be the folder of a Java, got {home}, where there is no bin/java: make test-jdk JDK=/usr/lib/jvm/.."
        )
    print(output(home / "bin" / "java", "-version"), end="")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        env = {
            **os.environ,
            "JAVA_HOME": str(usable(home, folder)),
            "MPLBACKEND": "Agg",
            "PYSPARK_PYTHON": sys.executable,
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_SUBMIT_OPTS": fast_start.OPTIONS,  # no archive of another Java
        }
        print(quick_start.run(folder, env), flush=True)
        tests = [sys.executable, "-m", "pytest", "-q", "-c", "pyproject.toml", *TESTS]
        sys.exit(subprocess.run(tests, check=False, env=env, cwd=ROOT / "python").returncode)


if __name__ == "__main__":
    if len(sys.argv) != 2 or not sys.argv[1]:
        sys.exit("usage: make test-jdk JDK=/path/of/a/java [ON=3.5.8]")
    main(Path(sys.argv[1]).resolve())
