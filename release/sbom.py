"""Bill of materials in CycloneDX: what the wheel and the artefacts of Maven hold and need.

It is made from the artefacts themselves: the jars in the wheel, its metadata, and the POMs. The same artefacts give the
same text.
"""

import datetime as dt
import hashlib
import json
import re
import uuid
import zipfile

from checksums import sha256
from maven import GROUP

VERSION = "1.6"
LICENCE = [{"license": {"id": "Apache-2.0"}}]
NEEDS = re.compile(r"Requires-Dist: ([\w.-]+)(\S*(?: \([^)]*\))?) *; *extra == ['\"]([\w-]+)['\"]")


def sbom(wheel, artefacts, version, commit, seconds):
    """Return the text of the bill.

    Parameters
    ----------
    wheel
        Path of the wheel.
    artefacts
        Those of Maven.
    version
        Version of the release.
    commit, seconds
        Commit that it was built from, and its time in seconds since 1970: no other time is written.
    """
    jars = [jar(artefact) for artefact in artefacts]
    provided = {purl(d): d for artefact in artefacts for d in artefact.dependencies()}
    package = {
        **component("spark-windowing", f"pkg:pypi/spark-windowing@{version}", version),
        "description": "Apache Flink's windows for Spark Structured Streaming",
        "licenses": LICENCE,
        "hashes": hashes(sha256(wheel)),
    }
    needed = extras(wheel)
    held = [j["bom-ref"] for j in jars if j["hashes"][0]["content"] in hashes_of_jars(wheel)]
    graph = {
        package["bom-ref"]: held + [e["bom-ref"] for e in needed],
        **{
            j["bom-ref"]: [purl(d) for d in artefact.dependencies()]
            for j, artefact in zip(jars, artefacts, strict=True)
        },
    }
    components = [*jars, *(provided_by_spark(d) for d in provided.values()), *needed]
    bill = {
        "$schema": f"http://cyclonedx.org/schema/bom-{VERSION}.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": VERSION,
        "serialNumber": uuid.uuid5(uuid.NAMESPACE_URL, f"{package['bom-ref']}#{commit}").urn,
        "version": 1,
        "metadata": {
            "timestamp": dt.datetime.fromtimestamp(seconds, dt.timezone.utc).isoformat(),
            "component": package,
        },
        "components": sorted(components, key=lambda c: c["bom-ref"]),
        "dependencies": [
            {"ref": ref, "dependsOn": sorted(graph.get(ref, []))}
            for ref in sorted({package["bom-ref"], *(c["bom-ref"] for c in components)})
        ],
    }
    return json.dumps(bill, indent=2) + "\n"


def component(name, reference, version=None):
    made = {"type": "library", "bom-ref": reference, "name": name, "purl": reference}
    return made if version is None else {**made, "version": version}


def hashes(checksum):
    return [{"alg": "SHA-256", "content": checksum}]


def jar(artefact):
    reference = f"pkg:maven/{GROUP}/{artefact.name}@{artefact.version}"
    return {
        **component(artefact.name, reference, artefact.version),
        "group": GROUP,
        "licenses": LICENCE,
        "hashes": hashes(sha256(artefact.file(".jar"))),
    }


def purl(dependency):
    return f"pkg:maven/{dependency.group}/{dependency.name}@{dependency.version}"


def provided_by_spark(dependency):
    return {
        **component(dependency.name, purl(dependency), dependency.version),
        "group": dependency.group,
        "scope": "required",
        "properties": [{"name": "spark-windowing:scope", "value": dependency.scope}],
    }


def extras(wheel):
    """Components of the packages that the extras of the wheel install; their versions are ranges."""
    with zipfile.ZipFile(wheel) as packed:
        (name,) = [name for name in packed.namelist() if name.endswith(".dist-info/METADATA")]
        metadata = packed.read(name).decode()
    made = {}
    for line in metadata.splitlines():
        if line.startswith("Requires-Dist:"):
            found = NEEDS.fullmatch(line)
            if not found:
                raise ValueError(f"the wheel needs what no extra asks for: {line}")
            package, versions, extra = found.groups()
            reference = f"pkg:pypi/{re.sub(r'[-_.]+', '-', package).lower()}"
            one = made.setdefault(
                reference, {**component(package, reference), "scope": "optional", "properties": []}
            )
            one["properties"].append(
                {"name": f"spark-windowing:extra:{extra}", "value": f"{package}{versions}"}
            )
    return list(made.values())


def hashes_of_jars(wheel):
    with zipfile.ZipFile(wheel) as packed:
        return {
            hashlib.sha256(packed.read(name)).hexdigest()
            for name in packed.namelist()
            if name.endswith(".jar")
        }


def problems(text):
    """Return the errors of the text by the schema of CycloneDX; None if it is valid."""
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    return JsonStrictValidator(SchemaVersion.from_version(VERSION)).validate_str(text)
