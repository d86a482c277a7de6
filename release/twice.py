"""Build a release a second time, in another folder, and name each file whose bytes differ: twice.py --tag v0.1.0."""

import argparse
import io
import sys
import zipfile

import checksums
from release import OUT, commit_of, release
from steps import git

AGAIN = OUT.with_name("release-again")


def different(first, second):
    """Lines that name the files that differ between two folders with checksums, and the entries of archives."""
    before, after = checksums.read(first), checksums.read(second)
    lines = [f"{name} is in one build only" for name in sorted(before.keys() ^ after.keys())]
    both = sorted(name for name in before.keys() & after.keys() if before[name] != after[name])
    return lines + [f"{name} differs{entries(first / name, second / name)}" for name in both]


def entries(first, second):
    """Names of the entries that differ between two zip files."""
    if not all(zipfile.is_zipfile(path) for path in (first, second)):
        return ""
    before, after = contents(first.read_bytes()), contents(second.read_bytes())
    names = sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
    return f": {', '.join(names)}" if names else ": order or times of its entries"


def contents(archive):
    with zipfile.ZipFile(io.BytesIO(archive)) as packed:
        return {name: packed.read(name) for name in packed.namelist()}


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--tag")
    what.add_argument("--rehearsal", action="store_true")
    options = parser.parse_args(arguments)
    tag = None if options.rehearsal else options.tag
    built = git("rev-parse", "HEAD", folder=OUT / "source") if (OUT / "source").is_dir() else None
    if built != commit_of(tag) or not (OUT / checksums.NAME).is_file():
        release(tag, OUT)
    release(tag, AGAIN)
    if lines := different(OUT, AGAIN):
        sys.exit("\n".join(["The two builds differ.", *lines]))
    print(f"two builds, the same bytes: {len(checksums.read(OUT))} files")


if __name__ == "__main__":
    main(sys.argv[1:])
