"""Build all that is published from a tag, into a folder: release.py --tag v0.1.0, or --rehearsal for the current commit.

The build runs in a clean clone of the tag, so files that are not committed have no part in it. Times are those of the
tag's commit, so a second build on the same machine gives the same bytes: twice.py compares them.
"""

import argparse
import os
import shutil
import sys
from pathlib import Path

import checksums
import maven
from notes import notes
from sbom import problems as problems_of_sbom
from sbom import sbom
from steps import ROOT, git, output, step, version_in

OUT = ROOT / "target" / "release"


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--tag", help="tag to build, the version with a v before it")
    what.add_argument("--rehearsal", action="store_true", help="build the current commit, which needs no tag")
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args(arguments)
    release(None if options.rehearsal else options.tag, options.out.resolve())


def commit_of(tag, folder=ROOT):
    """Commit of a tag; of None the one that is checked out. Ends the program if there is no such tag."""
    if tag is None:
        return git("rev-parse", "HEAD", folder=folder)
    commit = git("rev-parse", "--verify", "--quiet", f"refs/tags/{tag}^{{commit}}", folder=folder)
    if commit is None:
        sys.exit(
            f"There is no tag {tag}. On the commit to release type:\n"
            f'  git tag -a {tag} -m "spark-windowing {tag.removeprefix("v")}"\n'
            "or build the current commit without a tag: make release REHEARSAL=1"
        )
    return commit


def release(tag, out):
    """Build the tag, or the current commit if it is None, into the folder."""
    commit = commit_of(tag)
    shutil.rmtree(out, ignore_errors=True)
    source = out / "source"
    with step("clean clone") as details:
        output("git", "clone", "--quiet", "--no-checkout", ROOT, source)
        output("git", "checkout", "--quiet", "--detach", commit, cwd=source)
        details.append(commit)
    version = version_in(source)
    if tag not in (None, f"v{version}"):
        sys.exit(f"The tag {tag} is of a commit with version {version}: it must be named v{version}.")
    try:
        text = notes(
            (source / "CHANGELOG.md").read_text(encoding="utf-8"), version, commit if tag is None else None
        )
    except ValueError as error:
        sys.exit(str(error))
    (out / "NOTES.md").write_text(text, encoding="utf-8")
    seconds = int(git("log", "-1", "--format=%ct", commit))
    build(source, out, {**os.environ, "SOURCE_DATE_EPOCH": str(seconds), "LC_ALL": "C.UTF-8", "TZ": "UTC"})
    describe(source, out, version, commit, seconds)
    print(f"{out}: {'rehearsal of ' if tag is None else ''}spark-windowing {version}")


def build(source, out, env):
    """Wheel, sdist, and the artefacts of Maven."""
    with step("sdist, and the wheel of the sdist"):
        output(sys.executable, "-m", "build", "--outdir", out, source / "python", env=env, cwd=source)
    with step("twine check --strict"):
        files = [path for path in out.iterdir() if path.name.endswith((".whl", ".tar.gz"))]
        output(sys.executable, "-m", "twine", "check", "--strict", *files)
    with step("jars, sources, Scaladoc, POMs"):
        output(source / "sbtw", "publishAll", env=env)
        shutil.copytree(source / "target" / "maven", out / "maven")


def describe(source, out, version, commit, seconds):
    """Bill of materials and checksums, after a check of the artefacts."""
    properties = (source / "versions.properties").read_text(encoding="utf-8")
    artefacts = maven.artefacts(out / "maven", version, properties)
    with step("POMs as Maven Central wants them") as details:
        found = [problem for artefact in artefacts for problem in maven.problems(artefact)]
        if found:
            sys.exit("\n".join(found))
        details.append(" ".join(artefact.name for artefact in artefacts))
    with step("bill of materials"):
        (wheel,) = out.glob("*.whl")
        text = sbom(wheel, artefacts, version, commit, seconds)
        if found := problems_of_sbom(text):
            sys.exit(f"The bill of materials is not valid: {found}")
        (out / "sbom.cdx.json").write_text(text, encoding="utf-8")
    with step("checksums") as details:
        files = [path for path in out.rglob("*") if path.is_file() and source not in path.parents]
        checksums.write(out, files)
        details.append(f"{len(files)} files in {checksums.NAME}")


if __name__ == "__main__":
    main(sys.argv[1:])
