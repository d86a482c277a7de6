"""Install what release.py has built, and nothing else of this project, into fresh environments, and run it there.

Python from a local package index, the wheel and the sdist; Spark with jars from a local Maven repository, with Python and
with Scala; a Scala project with sbt.
"""

import argparse
import functools
import http.server
import os
import runpy
import shutil
import subprocess
import sys
import threading
import venv
from pathlib import Path

import checksums
import maven
from release import OUT
from steps import ROOT, output, quick_start, step, version_in

HERE = Path(__file__).parent
SCALA_RESULT = "result: (ann,7) (ann,5) (bob,9)"
JARS_OF_SESSION = 'print("jars", spark.sparkContext._jsc.sc().listJars())'
WHERE = "import spark_windowing as s; print(s.__version__, s.__file__, s.jar_path('4.2'))"


class Checks:
    """The steps, on the release in a folder.

    Parameters
    ----------
    release
        Folder that release.py has filled.
    folder
        Folder for environments and projects; it is emptied.
    """

    def __init__(self, release, folder):
        self.release = release
        self.folder = folder
        self.version = version_in(release / "source")
        properties = (release / "source" / "versions.properties").read_text(encoding="utf-8")
        self.spark = next(
            line.removeprefix("spark=") for line in properties.splitlines() if line.startswith("spark=")
        )
        self.artefacts = maven.artefacts(release / "maven", self.version, properties)
        self.artefact = self.artefacts[-1]  # of the Spark that is developed with
        self.env = {
            **{
                name: value
                for name, value in os.environ.items()
                if not name.startswith(("PYTHON", "SPARK_HOME"))
            },
            "MPLBACKEND": "Agg",
            "SPARK_LOCAL_IP": "127.0.0.1",
        }

    def checksums(self):
        with step("checksums") as details:
            if wrong := checksums.wrong(self.release):
                sys.exit(f"These files do not match {checksums.NAME}: {', '.join(wrong)}")
            details.append(f"{len(checksums.read(self.release))} files")

    def wheel(self, index):
        """Install the wheel with its extras from the index and run the quick start."""
        with step("pip install of the wheel, quick start") as details:
            python = self.environment("wheel")
            self.pip(python, index, f"spark-windowing[spark,pandas,plot]=={self.version}")
            self.same_jar(python)
            details.append(self.quick_start(python, quick_start.program()))

    def sdist(self, index):
        """Build and install the sdist from the index."""
        with step("pip install of the sdist"):
            python = self.environment("sdist")
            self.pip(
                python,
                index,
                "--no-deps",
                "--no-binary=spark-windowing",
                f"spark-windowing=={self.version}",
            )
            self.same_jar(python)

    def packages(self):
        """Run the quick start with the jar from the Maven repository, on the Python of the wheel."""
        with step("spark-submit --packages, quick start") as details:
            python = self.folder / "wheel" / "bin" / "python"
            code = quick_start.program(master="").replace(
                quick_start.RUNS_ON, f"{quick_start.RUNS_ON}\n{JARS_OF_SESSION}"
            )
            submit = [python.with_name("spark-submit"), "--master", "local[2]", *self.from_maven()]
            printed = self.quick_start(python, code, *submit)
            details.append(printed)

    def shell(self):
        """Run windows in Scala, in a shell with the jar from the Maven repository."""
        with step("spark-shell --packages"):
            python = self.folder / "wheel" / "bin" / "python"
            command = [python.with_name("spark-shell"), "--master", "local[2]", *self.from_maven()]
            with (HERE / "clicks.scala").open(encoding="utf-8") as script:
                printed = output(*command, stdin=script, env=self.env_of(python), cwd=self.folder)
            if SCALA_RESULT not in printed:
                sys.exit(f"The shell does not print {SCALA_RESULT!r}:\n{printed}")

    def scala_project(self):
        """Run the test of a Scala project whose dependency comes from the Maven repository."""
        with step("sbt test of a Scala project"):
            project = shutil.copytree(HERE / "scala_project", self.folder / "scala_project")
            (project / "project").mkdir()
            shutil.copy(ROOT / "project" / "build.properties", project / "project")
            properties = {
                "RELEASE_MAVEN": (self.release / "maven").as_uri(),
                "RELEASE_VERSION": self.version,
                "RELEASE_SPARK": self.spark,
            }
            # Of this project's build only the launcher is taken: its list of repositories would hide the local one.
            launcher = runpy.run_path(str(ROOT / "sbtw"))["command"](["test"])
            command = [part for part in launcher if part != "-Dsbt.override.build.repos=true"]
            output(*command, env={**self.env, **properties}, cwd=project, stdin=subprocess.DEVNULL)

    def environment(self, name):
        venv.create(self.folder / name, with_pip=True)
        return self.folder / name / "bin" / "python"

    def pip(self, python, index, *arguments):
        output(
            python,
            "-m",
            "pip",
            "install",
            "-q",
            "--extra-index-url",
            index,
            *arguments,
            cwd=self.folder,
            env=self.env,
        )

    def same_jar(self, python):
        """See that the installed package is the one of the release, and holds the jar that Maven has."""
        version, file, jar = output(python, "-c", WHERE, cwd=self.folder, env=self.env).split()
        if version != self.version or not Path(file).is_relative_to(python.parents[1]):
            sys.exit(f"Installed is {version} in {file}, wanted {self.version} in {python.parents[1]}.")
        if checksums.sha256(Path(jar)) != checksums.sha256(self.artefact.file(".jar")):
            sys.exit(f"{jar} is not the jar in the Maven repository.")

    def quick_start(self, python, code, *runner):
        job = self.folder / "quick_start.py"
        job.write_text(code, encoding="utf-8")
        printed = output(*(runner or [python]), job, env=self.env_of(python), cwd=self.folder)
        if runner:
            (jars,) = [line for line in printed.splitlines() if line.startswith("jars ")]
            of_maven = f"{maven.GROUP}_{self.artefact.name}-{self.version}.jar"
            if jars.count("spark-windowing") != 1 or of_maven not in jars:
                sys.exit(f"The session should have {of_maven} alone, it has: {jars}")
        spark, java, _ = quick_start.check(printed)
        return f"Spark {spark}, Java {java}"

    def env_of(self, python):
        """The environment in which Spark's workers and scripts take this Python; the scripts find Spark by it."""
        return {**self.env, "PYSPARK_PYTHON": str(python)}

    def from_maven(self):
        coordinates = f"{maven.GROUP}:{self.artefact.name}:{self.version}"
        cache = f"spark.jars.ivy={self.folder / 'ivy'}"
        repository = (self.release / "maven").as_uri()
        return "--conf", cache, "--repositories", repository, "--packages", coordinates


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        """Print nothing for a request."""


def serve(release, folder):
    """Serve a package index with the wheel and the sdist, and return its address: a folder for each project."""
    files = folder / "spark-windowing"
    files.mkdir(parents=True)
    for path in [*release.glob("*.whl"), *release.glob("*.tar.gz")]:
        shutil.copy(path, files)
    handler = functools.partial(Quiet, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/"


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=OUT, help="folder that release.py has filled")
    release = parser.parse_args(arguments).out.resolve()
    if not (release / checksums.NAME).is_file():
        sys.exit(f"{release} has no {checksums.NAME}, so no complete release: make release")
    folder = release.with_name("release-check")
    shutil.rmtree(folder, ignore_errors=True)
    checks = Checks(release, folder)
    checks.checksums()
    index = serve(release, folder / "index")
    checks.wheel(index)
    checks.sdist(index)
    checks.packages()
    checks.shell()
    checks.scala_project()


if __name__ == "__main__":
    main(sys.argv[1:])
