"""The scripts of a release, on artefacts without classes: notes, bill of materials, checksums, POMs, refusals."""

import json
import re
import shutil
import subprocess
import sys
import urllib.request
import zipfile
from pathlib import Path

import pytest

import check
import checksums
import maven
import sbom
import twice
from made_release import COMMIT, DEPENDENCY, SECONDS, SPARK, VERSION, made, write_pom
from notes import notes

ROOT = Path(__file__).parents[2]
CHANGELOG = """\
# Changelog

## [Unreleased]

### Added
- Something that comes later.

## [1.2.3] - 2026-11-25

### Added
- Windows.

### Fixed
- A [link](docs/setup.md).

## [1.2.2] - 2026-10-01

### Added
- The first one.
"""


@pytest.fixture
def release(tmp_path):
    return made(tmp_path)


def test_notes_are_the_section_of_the_version():
    assert notes(CHANGELOG, "1.2.3") == (
        "# spark-windowing 1.2.3\n\n### Added\n- Windows.\n\n### Fixed\n- A [link](docs/setup.md).\n"
    )
    assert notes(CHANGELOG, "1.2.2").endswith("\n\n### Added\n- The first one.\n")


@pytest.mark.parametrize(
    "heading", ["## [1.2.4]", "## [1.2.4] - soon", "## [1.2.4] - 2026-11-25\n\n## [1.2.3]"]
)
def test_a_version_without_a_dated_section_is_refused_with_what_to_write(heading):
    changelog = CHANGELOG.replace(
        "## [1.2.3]", f"{heading}\n\n- x\n\n## [1.2.3]" if "\n" not in heading else heading
    )
    with pytest.raises(ValueError, match=r"has no section of 1\.2\.4.*\n\n## \[1\.2\.4\] - \d{4}-\d\d-\d\d$"):
        notes(changelog, "1.2.4")


def test_a_rehearsal_takes_what_is_unreleased_and_says_so():
    text = notes(CHANGELOG, "1.2.4", rehearsal_of="abc123")
    assert text == (
        "# spark-windowing 1.2.4\n\nRehearsal with commit abc123. This is no release.\n\n"
        "### Added\n- Something that comes later.\n"
    )
    assert "- Windows." in notes(CHANGELOG, "1.2.3", rehearsal_of="abc123")


def test_the_changelog_of_this_project_has_notes():
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    version = check.version_in(ROOT)
    assert "### Added" in notes(changelog, version, rehearsal_of="abc123")


def test_the_bill_of_materials_is_valid_and_the_same_each_time(release):
    wheel, artefacts = release
    text = sbom.sbom(wheel, artefacts, VERSION, COMMIT, SECONDS)
    assert sbom.problems(text) is None
    assert text == sbom.sbom(wheel, artefacts, VERSION, COMMIT, SECONDS)
    assert json.loads(text)["metadata"]["timestamp"] == "2026-01-01T00:00:00+00:00"
    other = json.loads(sbom.sbom(wheel, artefacts, VERSION, COMMIT[::-1], SECONDS))
    assert other["serialNumber"] != json.loads(text)["serialNumber"]


def test_a_bill_that_is_not_valid_is_found(release):
    wheel, artefacts = release
    text = sbom.sbom(wheel, artefacts, VERSION, COMMIT, SECONDS)
    assert sbom.problems(text.replace('"type": "library"', '"type": "book"')) is not None


def test_the_bill_has_jars_spark_and_extras_with_what_needs_what(release):
    wheel, artefacts = release
    bill = json.loads(sbom.sbom(wheel, artefacts, VERSION, COMMIT, SECONDS))
    components = {c["bom-ref"]: c for c in bill["components"]}
    jars = [
        f"pkg:maven/dev.sparkwindowing/spark-windowing-spark{n}@1.2.3"
        for n in ("3.5_2.12", "3.5_2.13", "4.1_2.13")
    ]
    spark = "pkg:maven/org.apache.spark/spark-sql_2.13@4.2.0"
    python = ["pkg:pypi/pandas", "pkg:pypi/pyarrow", "pkg:pypi/pyspark"]
    assert sorted(components) == sorted([*jars, spark, *python])
    needs = {d["ref"]: d["dependsOn"] for d in bill["dependencies"]}
    assert needs["pkg:pypi/spark-windowing@1.2.3"] == sorted([jars[0], jars[2], *python]), (
        "the wheel has no 3.5_2.13"
    )
    assert needs[jars[1]] == [spark]
    assert components[jars[0]]["hashes"][0]["content"] == checksums.sha256(artefacts[0].file(".jar"))
    assert components[python[2]]["scope"] == "optional"
    assert components[python[2]]["properties"] == [
        {"name": "spark-windowing:extra:spark", "value": "pyspark<4.4,>=3.5"},
        {"name": "spark-windowing:extra:test", "value": "pyspark[connect]<4.4,>=3.5"},
    ]


def test_a_wheel_that_needs_a_package_always_is_refused(release):
    wheel, artefacts = release
    with zipfile.ZipFile(wheel, "w") as packed:
        packed.writestr("spark_windowing-1.2.3.dist-info/METADATA", "Requires-Dist: numpy>=2\n")
    with pytest.raises(ValueError, match="what no extra asks for: Requires-Dist: numpy"):
        sbom.sbom(wheel, artefacts, VERSION, COMMIT, SECONDS)


def test_artefacts_that_maven_central_takes(release):
    _, artefacts = release
    assert [a.name for a in artefacts] == [
        f"spark-windowing-spark{n}" for n in ("3.5_2.12", "3.5_2.13", "4.1_2.13")
    ]
    assert [maven.problems(artefact) for artefact in artefacts] == [[], [], []]


@pytest.mark.parametrize("kind", ["-sources.jar", "-javadoc.jar", ".pom.sha1", ".jar.md5"])
def test_a_file_that_maven_central_wants_is_named(release, kind):
    artefact = release[1][0]
    artefact.file(kind).unlink()
    assert maven.problems(artefact) == [f"spark-windowing-spark3.5_2.12-1.2.3{kind} is missing"]


@pytest.mark.parametrize(
    "field", ["url", "licenses/license/url", "developers/developer/name", "scm/connection"]
)
def test_a_field_that_maven_central_wants_is_named(release, field):
    artefact = release[1][0]
    pom = artefact.file(".pom")
    parent, _, tag = field.rpartition("/")
    text = pom.read_text(encoding="utf-8")
    begin = text.index(f"<{parent.rpartition('/')[2]}>") if parent else 0
    end = re.compile(rf"<{tag}>.*?</{tag}>").sub("", text[begin:], count=1)
    pom.write_text(text[:begin] + end, encoding="utf-8")
    assert maven.problems(artefact) == [f"{pom.name} has no {field}"]


@pytest.mark.parametrize(
    ("group", "name"),
    [("org.apache.spark", "spark-sql_2.13"), ("dev.sparkwindowing", "spark-windowing-engine_2.13")],
)
def test_a_compile_dependency_is_refused(release, group, name):
    artefact = release[1][0]
    write_pom(artefact, SPARK + DEPENDENCY.format(group=group, name=name, version="1", scope="compile"))
    (problem,) = maven.problems(artefact)
    assert f"depends on {group}:{name} in scope compile" in problem


def test_checksums_are_those_of_sha256sum_and_a_changed_file_is_named(tmp_path):
    (tmp_path / "maven").mkdir()
    for name in ("b.txt", "maven/a.txt"):
        (tmp_path / name).write_text(name, encoding="utf-8")
    checksums.write(tmp_path, [tmp_path / "maven/a.txt", tmp_path / "b.txt"])
    assert list(checksums.read(tmp_path)) == ["b.txt", "maven/a.txt"]
    assert checksums.wrong(tmp_path) == []
    subprocess.run(["sha256sum", "--check", "--quiet", checksums.NAME], cwd=tmp_path, check=True)
    (tmp_path / "b.txt").write_text("other", encoding="utf-8")
    (tmp_path / "maven/a.txt").unlink()
    assert checksums.wrong(tmp_path) == ["b.txt", "maven/a.txt"]


def test_two_builds_that_differ_name_files_and_entries(tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    for folder, text in ((first, "1"), (second, "2")):
        folder.mkdir()
        (folder / "same.txt").write_text("same", encoding="utf-8")
        (folder / "sbom.json").write_text(text, encoding="utf-8")
        (folder / f"only{text}.txt").write_text("", encoding="utf-8")
        for name, entries in (
            ("content.jar", {"A.class": "a", "B.class": text}),
            ("time.jar", {"A.class": "a"}),
        ):
            with zipfile.ZipFile(folder / name, "w") as packed:
                for entry, data in entries.items():
                    packed.writestr(zipfile.ZipInfo(entry, (2026, 1, int(text), 0, 0, 0)), data)
        checksums.write(folder, [path for path in folder.iterdir() if path.is_file()])
    assert twice.different(first, second) == [
        "only1.txt is in one build only",
        "only2.txt is in one build only",
        "content.jar differs: B.class",
        "sbom.json differs",
        "time.jar differs: order or times of its entries",
    ]
    assert twice.different(first, first) == []


def script(name, *arguments, root=ROOT):
    done = subprocess.run(
        [sys.executable, root / "release" / f"{name}.py", *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.fixture
def clone(tmp_path):
    """The scripts in a repository of their own, with a version."""
    root = tmp_path / "clone"
    shutil.copytree(ROOT / "release", root / "release", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(
        ROOT / "tests/platforms", root / "tests/platforms", ignore=shutil.ignore_patterns("__pycache__")
    )
    version = root / "python/src/spark_windowing/_version.py"
    version.parent.mkdir(parents=True)
    version.write_text('__version__ = "1.2.4"\n', encoding="utf-8")
    (root / "CHANGELOG.md").write_text(CHANGELOG, encoding="utf-8")
    names = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    for command in (["init", "-q"], ["add", "."], [*names, "commit", "-q", "-m", "one"]):
        subprocess.run(["git", *command], cwd=root, check=True)
    return root


def test_a_tag_that_is_not_there_is_refused_with_the_line_to_type(clone):
    code, printed = script("release", "--tag", "v1.2.4", root=clone)
    assert code == 1
    assert "There is no tag v1.2.4." in printed
    (line,) = [line.strip() for line in printed.splitlines() if line.startswith("  git tag")]
    assert line == 'git tag -a v1.2.4 -m "spark-windowing 1.2.4"'
    environment = "GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.org"
    subprocess.run(f"{environment} {line}", shell=True, cwd=clone, check=True)
    # The tag is there now, and the next thing is missing: the section of the version.
    code, printed = script("release", "--tag", "v1.2.4", root=clone)
    assert code == 1
    assert "no section of 1.2.4" in printed


def test_a_tag_of_another_version_is_refused(clone):
    subprocess.run(["git", "tag", "v2.0.0"], cwd=clone, check=True)
    code, printed = script("release", "--tag", "v2.0.0", root=clone)
    assert code == 1
    assert "The tag v2.0.0 is of a commit with version 1.2.4: it must be named v1.2.4." in printed


def test_a_folder_without_a_release_is_refused_with_the_line_to_type(tmp_path):
    code, printed = script("check", "--out", str(tmp_path))
    assert code == 1
    assert printed.endswith("so no complete release: make release\n")


def test_the_index_serves_wheel_and_sdist_in_the_folder_of_the_project(tmp_path, release):
    wheel, _ = release
    (tmp_path / "spark_windowing-1.2.3.tar.gz").write_bytes(b"sdist")
    address = check.serve(tmp_path, tmp_path / "index")
    with urllib.request.urlopen(f"{address}spark-windowing/") as page:
        listed = re.findall(r'href="([^"]+)"', page.read().decode())
    assert listed == [wheel.name, "spark_windowing-1.2.3.tar.gz"]
    with urllib.request.urlopen(f"{address}spark-windowing/{wheel.name}") as file:
        assert file.read() == wheel.read_bytes()


def test_files_that_do_not_match_their_checksums_are_refused(tmp_path, release):
    wheel, _ = release
    source = tmp_path / "source"
    version = source / "python/src/spark_windowing/_version.py"
    version.parent.mkdir(parents=True)
    version.write_text(f'__version__ = "{VERSION}"\n', encoding="utf-8")
    shutil.copy(ROOT / "versions.properties", source)
    checksums.write(tmp_path, [wheel])
    wheel.write_bytes(b"another")
    code, printed = script("check", "--out", str(tmp_path))
    assert code == 1
    assert f"These files do not match SHA256SUMS: {wheel.name}" in printed
