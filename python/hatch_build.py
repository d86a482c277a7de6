"""Put the Scala jars into the package: for the wheel, the sdist and an editable install alike."""

from __future__ import annotations

import runpy
import shutil
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

BUILD_FILES = ("build.sbt", "versions.properties", "project/build.properties", "project/plugins.sbt")
MODULES = ("engine", "spark")


class JarHook(BuildHookInterface):  # type: ignore[type-arg]
    """Run ``../sbtw sparkJars`` when a jar is missing or older than what it is made of."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        """See that exactly the jars of this version, one a line of Spark, lie in src/spark_windowing/jars."""
        folder = Path(self.root) / "src" / "spark_windowing" / "jars"
        repository = Path(self.root).parent
        if not all((repository / part).exists() for part in ("build.sbt", "sbtw", "core-scala/spark")):
            if not any(folder.glob(f"*-{self.metadata.version}.jar")):  # an sdist contains the jars
                raise RuntimeError(
                    f"this sdist has no jar of {self.metadata.version} in src/spark_windowing/jars, and the "
                    "Scala sources are not here: install a wheel in place of the sdist; in a clone: "
                    "make wheel"
                )
            return
        names = [f"spark-windowing-spark{line}-{self.metadata.version}.jar" for line in lines(repository)]
        jars = [folder / name for name in names]
        changed = newest(repository)
        if not all(jar.exists() and jar.stat().st_mtime >= changed for jar in jars):
            build(repository, jars)
        for other in set(folder.glob("*.jar")) - set(jars):
            other.unlink()


def lines(repository: Path) -> list[str]:
    """Return Spark's lines, each of which has a jar."""
    properties = (repository / "versions.properties").read_text(encoding="utf-8").splitlines()
    return next(text for text in properties if text.startswith("lines=")).partition("=")[2].split()


def newest(repository: Path) -> float:
    """Return when the last of the files that the jars are made of was changed."""
    files = [repository / name for name in BUILD_FILES]
    files.append(repository / "python/src/spark_windowing/_version.py")
    for module in MODULES:
        sources = repository / "core-scala" / module / "src" / "main"
        files.extend(path for path in sources.rglob("*") if path.is_file())
    return max(path.stat().st_mtime for path in files)


def build(repository: Path, jars: list[Path]) -> None:
    """Build the jars with sbt and copy them; a copy's time is now, whatever sbt found up to date."""
    sbtw = runpy.run_path(str(repository / "sbtw"))
    try:
        failed = sbtw["run"](["sparkJars"], stdout=sys.stderr).returncode != 0
    except SystemExit as error:  # sbtw has no Java, or no launcher
        sys.stderr.write(f"{error}\n")
        failed = True
    if failed:
        raise RuntimeError(
            "the jars of this package could not be built; the lines above say why. It needs a JDK 17 or "
            f"later. In {repository} type: make wheel"
        )
    for jar in jars:
        jar.parent.mkdir(exist_ok=True)
        shutil.copyfile(repository / "target/spark-jars" / jar.name, jar)
