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
        package = Path(self.root) / "src" / "spark_windowing"
        folder = package / "jars"
        lines = runpy.run_path(str(package / "_gateway" / "lines.py"))["LINES"]
        jars = [folder / f"spark-windowing-spark{line.name}-{self.metadata.version}.jar" for line in lines]
        missing = [jar.name for jar in jars if not jar.exists()]
        repository = Path(self.root).parent
        if not all((repository / part).exists() for part in ("build.sbt", "sbtw", "core-scala/spark")):
            if missing:  # building from an sdist, which carries the jars
                raise RuntimeError(
                    f"this sdist has no {missing[0]} in src/spark_windowing/jars, and the Scala sources are "
                    "not here: install a wheel in place of the sdist; in a clone: make wheel"
                )
            return
        if missing or min(jar.stat().st_mtime for jar in jars) < newest(repository):
            build(repository, jars)
        for other in set(folder.glob("*.jar")) - set(jars):
            other.unlink()


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
