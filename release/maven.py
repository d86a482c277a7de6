"""Artefacts in a folder with the layout of Maven Central, and what is missing in them there."""

import xml.etree.ElementTree as ET
from typing import NamedTuple

GROUP = "dev.sparkwindowing"
REQUIRED = (
    "name",
    "description",
    "url",
    "licenses/license/name",
    "licenses/license/url",
    "developers/developer/name",
    "scm/url",
    "scm/connection",
)
POM = "{http://maven.apache.org/POM/4.0.0}"
KINDS = (".jar", "-sources.jar", "-javadoc.jar", ".pom")
HASHES = (".md5", ".sha1")


class Dependency(NamedTuple):
    group: str
    name: str
    version: str
    scope: str


class Artefact(NamedTuple):
    """Files of one artefact: `file(".jar")`, `file("-sources.jar")`, ..."""

    folder: object  # that of the repository
    name: str
    version: str

    def file(self, kind):
        return (
            self.folder
            / GROUP.replace(".", "/")
            / self.name
            / self.version
            / f"{self.name}-{self.version}{kind}"
        )

    def dependencies(self):
        return [
            Dependency(
                *(d.findtext(POM + tag, "") for tag in ("groupId", "artifactId", "version")),
                d.findtext(f"{POM}scope", "compile"),
            )
            for d in ET.parse(self.file(".pom")).iter(f"{POM}dependency")
        ]


def artefacts(folder, version, properties):
    """Artefacts of a version, one for each line of Spark in versions.properties."""
    values = dict(line.split("=", 1) for line in properties.splitlines() if "=" in line and line[0] != "#")
    lines = f"{values['lines']} {values['lines.maven']}".split()
    return [Artefact(folder, f"spark-windowing-spark{line}", version) for line in sorted(lines)]


def problems(artefact):
    """What Maven Central would refuse, and what would not resolve for a user; empty if all is well."""
    files = [artefact.file(kind + of) for kind in KINDS for of in ("", *HASHES)]
    found = [f"{path.name} is missing" for path in files if not path.is_file()]
    if found:
        return found
    tree = ET.parse(artefact.file(".pom"))
    found = [
        f"{artefact.file('.pom').name} has no {field}"
        for field in REQUIRED
        if not tree.findtext("/".join(POM + tag for tag in field.split("/")), "").strip()
    ]
    # Spark brings all that the jar needs. A compile dependency would pull a second Spark, or what is not published.
    found += [
        f"{artefact.file('.pom').name} depends on {d.group}:{d.name} in scope {d.scope}, allowed is provided"
        for d in artefact.dependencies()
        if d.scope != "provided"
    ]
    return found
