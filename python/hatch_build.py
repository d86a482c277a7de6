"""Put the Scala jar into the package: for the wheel, the sdist and an editable install alike."""

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
    """Run ``../sbtw spark/package`` when the jar is missing or older than what it is made of."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        """See that exactly one jar, that of this version, lies in src/spark_windowing/jars."""
        folder = Path(self.root) / "src" / "spark_windowing" / "jars"
        jar = folder / f"spark-windowing-spark4.1_2.13-{self.metadata.version}.jar"
        repository = Path(self.root).parent
        if not all((repository / part).exists() for part in ("build.sbt", "sbtw", "core-scala/spark")):
            if not jar.exists():  # building from an sdist, which carries the jar
                raise RuntimeError(
                    f"this sdist has no {jar.name} in src/spark_windowing/jars, and the Scala sources are "
                    "not here: pip install spark-windowing, or in a clone of the repository: make wheel"
                )
            return
        if not jar.exists() or jar.stat().st_mtime < newest(repository):
            build(repository, jar)
        for other in folder.glob("*.jar"):
            if other != jar:
                other.unlink()


def newest(repository: Path) -> float:
    """Return when the last of the files that the jar is made of was changed."""
    files = [repository / name for name in BUILD_FILES]
    files.append(repository / "python/src/spark_windowing/_version.py")
    for module in MODULES:
        sources = repository / "core-scala" / module / "src" / "main"
        files.extend(path for path in sources.rglob("*") if path.is_file())
    return max(path.stat().st_mtime for path in files)


def build(repository: Path, jar: Path) -> None:
    """Build the jar with sbt and copy it; the copy's time is now, whatever sbt found up to date."""
    sbtw = runpy.run_path(str(repository / "sbtw"))
    try:
        failed = sbtw["run"](["spark/package"], stdout=sys.stderr).returncode != 0
    except SystemExit as error:  # sbtw has no Java, or no launcher
        sys.stderr.write(f"{error}\n")
        failed = True
    if failed:
        raise RuntimeError(
            "the jar of this package could not be built; the lines above say why. It needs a JDK 17 or "
            f"later. In {repository} type: make wheel"
        )
    jar.parent.mkdir(exist_ok=True)
    shutil.copyfile(repository / "core-scala/spark/target/scala-2.13" / jar.name, jar)
