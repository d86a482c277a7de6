"""The wheel and the sdist: what lies in them, a wheel from the sdist alone, and builds that cannot work."""

import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCALA = ("build.sbt", "sbtw", "versions.properties", "project/build.properties", "project/plugins.sbt")


def build(kind, project, out, **environment):
    return subprocess.run(
        [sys.executable, "-m", "build", f"--{kind}", "--outdir", str(out), str(project)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )


@pytest.fixture(scope="module")
def sdist(tmp_path_factory):
    """The sdist of the repository, unpacked where nothing of the repository is around."""
    folder = tmp_path_factory.mktemp("sdist")
    done = build("sdist", ROOT / "python", folder / "dist")
    assert done.returncode == 0, done.stdout + done.stderr
    (archive,) = (folder / "dist").iterdir()
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
    return folder / archive.name.removesuffix(".tar.gz")


def contents(wheel):
    with zipfile.ZipFile(wheel) as packed:
        return {name: packed.read(name) for name in packed.namelist()}


def lines():
    """Spark's lines, each of which has a jar."""
    text = (ROOT / "versions.properties").read_text(encoding="utf-8")
    return re.search(r"^lines=(.*)$", text, re.MULTILINE)[1].split()


def built_wheel():
    version = (ROOT / "python/src/spark_windowing/_version.py").read_text().split('"')[-2]
    return ROOT / "dist" / f"spark_windowing-{version}-py3-none-any.whl", version


def test_the_wheel_has_every_module_the_jars_of_its_version_and_the_licence():
    wheel, version = built_wheel()
    names = contents(wheel).keys()
    source = ROOT / "python/src"
    modules = {str(path.relative_to(source)) for path in source.rglob("*.py")}
    assert {name for name in names if name.startswith("spark_windowing/")} == {
        *modules,
        "spark_windowing/py.typed",
        *(f"spark_windowing/jars/spark-windowing-spark{line}-{version}.jar" for line in lines()),
    }
    info = f"spark_windowing-{version}.dist-info"
    assert f"{info}/licenses/LICENSE" in names
    assert contents(wheel)[f"{info}/licenses/LICENSE"] == (ROOT / "LICENSE").read_bytes()


# What reads Java objects out of bytes, starts programs, or loads code from elsewhere, as constant pools name it.
NOT_IN_A_JAR = (
    "java/io/ObjectInputStream",
    "java/io/ObjectOutputStream",
    "java/beans/XMLDecoder",
    "com/esotericsoftware/kryo",
    # Not its Serializer, as which the one for rows is passed on.
    "org/apache/spark/serializer/Java",
    "org/apache/spark/serializer/Kryo",
    "org/apache/spark/serializer/SerializerInstance",
    "org/apache/spark/serializer/SerializerManager",
    "org/apache/spark/serializer/DeserializationStream",
    "org/apache/commons/lang3/SerializationUtils",
    "org/apache/spark/util/Utils",
    "javax/script/",
    "java/lang/ProcessBuilder",
    "\x11java/lang/Runtime",  # with its length, as RuntimeException begins so too
    # Not URLEncoder and URLDecoder, which work on texts.
    "\x0cjava/net/URL",
    "java/net/URL;",
    "java/net/URLC",
    "javax/naming/",
)


def classes_of(line):
    """The class files in the wheel's jar for a line of Spark, by name."""
    wheel, version = built_wheel()
    jar = contents(wheel)[f"spark_windowing/jars/spark-windowing-spark{line}-{version}.jar"]
    return {name: data for name, data in contents(io.BytesIO(jar)).items() if not name.endswith("/")}


@pytest.mark.parametrize("line", lines())
def test_a_jar_has_our_classes_alone(line):
    files = classes_of(line)
    classes = {name for name in files if name.endswith(".class")}
    formats = "META-INF/services/org.apache.spark.sql.sources.DataSourceRegister"
    assert files.keys() - classes == {"META-INF/MANIFEST.MF", formats}
    assert files[formats].decode().split() == ["dev.sparkwindowing.spark.upserts.UpsertSinkProvider"]
    # Those of Spark's package are what may see its private members.
    others = {name for name in classes if not name.startswith("dev/sparkwindowing/")}
    of_connect = ["SparkConnectBridge", "connect/SparkConnectSessions"]
    of_line = ["StoredTypes"] if line.startswith("3.5") else of_connect
    of_all = ["ClassicApi", "SparkWindowingBridge", "SparkWindowingTables"]
    of_figures = ["WindowMetricsSource", "WindowsPage", "WindowsTab"]
    bridges = [*of_all, *of_figures, *of_line]
    assert {name.partition("$")[0].removesuffix(".class") for name in others} == {
        f"org/apache/spark/sql/{name}" for name in bridges
    }
    assert len(classes) > 200


@pytest.mark.parametrize("line", lines())
def test_the_classes_are_for_the_oldest_java_of_their_spark(line):
    java = 8 if line.startswith("3.5") else 17
    versions = {
        int.from_bytes(data[6:8], "big") - 44
        for name, data in classes_of(line).items()
        if name.endswith(".class")
    }
    assert max(versions) <= java, "Java does not load classes of a later one"


@pytest.mark.parametrize("line", lines())
def test_no_class_reads_java_objects_starts_programs_or_loads_code(line):
    found = [
        (file, name)
        for file, data in classes_of(line).items()
        for name in NOT_IN_A_JAR
        if name.encode() in data
    ]
    assert found == []


def test_such_a_class_would_be_found():
    for line in lines():
        assert any(b"java/util/zip/Checksum" in data for data in classes_of(line).values()), line


def test_the_wheel_needs_nothing_that_is_not_asked_for():
    wheel, version = built_wheel()
    metadata = contents(wheel)[f"spark_windowing-{version}.dist-info/METADATA"].decode()
    needs = [line for line in metadata.splitlines() if line.startswith("Requires-Dist:")]
    assert needs
    assert all("; extra == " in line for line in needs)


def test_a_wheel_from_the_sdist_alone_is_the_same(sdist, tmp_path):
    done = build("wheel", sdist, tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = tmp_path.iterdir()
    assert contents(wheel) == contents(built_wheel()[0])


def test_an_sdist_that_lost_its_jar_says_what_to_type(sdist, tmp_path):
    project = shutil.copytree(sdist, tmp_path / "sdist", ignore=shutil.ignore_patterns("*.jar"))
    done = build("wheel", project, tmp_path / "dist")
    assert done.returncode != 0
    assert "install a wheel in place of the sdist; in a clone: make wheel" in done.stdout + done.stderr


def test_a_clone_without_java_says_what_it_needs_and_what_to_type(tmp_path):
    clone = tmp_path / "clone"
    shutil.copytree(ROOT / "python", clone / "python", ignore=shutil.ignore_patterns("*.jar", ".*", "dist"))
    for name in SCALA:
        (clone / name).parent.mkdir(exist_ok=True)
        shutil.copy2(ROOT / name, clone / name)
    for module in ("engine", "spark"):
        shutil.copytree(ROOT / "core-scala" / module / "src/main", clone / "core-scala" / module / "src/main")
    pip = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--no-deps",
        "--target",
        str(tmp_path / "site"),
        clone / "python",
    ]
    done = subprocess.run(
        pip,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "JAVA_HOME": str(tmp_path / "none")},
    )
    assert done.returncode != 0
    output = done.stdout + done.stderr
    assert "no Java: install a JDK 17 or later, or set JAVA_HOME" in output
    assert f"It needs a JDK 17 or later. In {clone} type: make wheel" in output
