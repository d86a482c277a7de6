"""The JVM beside this process: it makes the events, and runs Flink."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing_extensions import Self

ROOT = Path(__file__).resolve().parents[1]
ARGUMENTS = ROOT / "target" / "bench" / "java.args"
LOG = ROOT / "target" / "bench" / "jvm.log"


class Jvm:
    """A running `dev.sparkwindowing.bench.streams.Server`, warm from one command to the next."""

    def __init__(self) -> None:
        if not ARGUMENTS.exists():
            raise SystemExit(f"no {ARGUMENTS}: make {ARGUMENTS.relative_to(ROOT)}")
        home = os.environ.get("JAVA_HOME")
        java = str(Path(home) / "bin" / "java") if home else "java"
        self._process = subprocess.Popen(
            [java, f"@{ARGUMENTS}", "dev.sparkwindowing.bench.streams.Server"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=LOG.open("w"),
            text=True,
            env={**os.environ, "SPARK_LOCAL_IP": "127.0.0.1"},
        )

    def ask(self, command: str, **fields: Any) -> dict[str, Any]:
        """Send a command and wait for its answer."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps({"do": command, **fields}) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError(
                f"the JVM of the benchmarks has ended, {LOG} says why:\n{LOG.read_text()[-2000:]}"
            )
        return dict(json.loads(answer))

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the process."""
        self._process.communicate()
