"""A release as release.py leaves it, of a wheel and jars without classes."""

import zipfile

import maven

VERSION = "1.2.3"
COMMIT = "0123456789abcdef0123456789abcdef01234567"
SECONDS = 1_767_225_600  # 2026-01-01
PROPERTIES = "# a comment\nlines=3.5_2.12 4.1_2.13\nlines.maven=3.5_2.13\nspark=4.2.0\n"
METADATA = """\
Metadata-Version: 2.4
Name: spark-windowing
Provides-Extra: pandas
Requires-Dist: pandas<3,>=2.2; extra == 'pandas'
Requires-Dist: pyarrow>=18; extra == 'pandas'
Provides-Extra: spark
Requires-Dist: pyspark<4.4,>=3.5; extra == 'spark'
Provides-Extra: test
Requires-Dist: pandas<3; extra == 'test'
Requires-Dist: pyspark[connect]<4.4,>=3.5; extra == 'test'
"""
POM = """\
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <groupId>dev.sparkwindowing</groupId>
  <artifactId>{name}</artifactId>
  <version>1.2.3</version>
  <name>spark-windowing</name>
  <description>windows</description>
  <url>https://example.org</url>
  <licenses><license><name>Apache-2.0</name><url>https://example.org</url></license></licenses>
  <developers><developer><name>authors</name></developer></developers>
  <scm><url>https://example.org</url><connection>scm:git:https://example.org</connection></scm>
  <dependencies>{dependencies}
  </dependencies>
</project>
"""
DEPENDENCY = """
    <dependency>
      <groupId>{group}</groupId><artifactId>{name}</artifactId><version>{version}</version><scope>{scope}</scope>
    </dependency>"""
SPARK = DEPENDENCY.format(group="org.apache.spark", name="spark-sql_2.13", version="4.2.0", scope="provided")


def made(folder):
    """Write the files into the folder and return the wheel and the artefacts."""
    artefacts = maven.artefacts(folder / "maven", VERSION, PROPERTIES)
    for artefact in artefacts:
        artefact.file(".jar").parent.mkdir(parents=True)
        for kind in maven.KINDS:
            artefact.file(kind).write_text(f"{artefact.name}{kind}", encoding="utf-8")
            for of in maven.HASHES:
                artefact.file(kind + of).write_text("checksum", encoding="utf-8")
        write_pom(artefact, SPARK)
    wheel = folder / f"spark_windowing-{VERSION}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as packed:
        packed.writestr(f"spark_windowing-{VERSION}.dist-info/METADATA", METADATA)
        for artefact in artefacts:
            if "3.5_2.13" not in artefact.name:
                jar = artefact.file(".jar")
                packed.write(jar, f"spark_windowing/jars/{jar.name}")
    return wheel, artefacts


def write_pom(artefact, dependencies):
    text = POM.format(name=artefact.name, dependencies=dependencies)
    artefact.file(".pom").write_text(text, encoding="utf-8")
