"""Release notes: the section of a version in CHANGELOG.md."""

import datetime as dt
import re

UNRELEASED = "## [Unreleased]"


def notes(changelog, version, rehearsal_of=None):
    """Return the notes of a version.

    A rehearsal takes what is unreleased if the version has no section yet, and says in its first lines that it is
    none: `rehearsal_of` is its commit.
    """
    head = f"# spark-windowing {version}\n\n"
    if rehearsal_of:
        head += f"Rehearsal with commit {rehearsal_of}. This is no release.\n\n"
    body = section(changelog, rf"## \[{re.escape(version)}\] - \d{{4}}-\d\d-\d\d")
    if body is None and rehearsal_of:
        body = section(changelog, re.escape(UNRELEASED))
    if not body:
        raise ValueError(
            f"CHANGELOG.md has no section of {version} with a date and lines below it. Under {UNRELEASED!r} write:\n\n"
            f"## [{version}] - {dt.datetime.now(tz=dt.timezone.utc).date()}"
        )
    return f"{head}{body}\n"


def section(changelog, heading):
    """Text between a heading and the next one of its level; None if there is no such heading."""
    found = re.search(rf"^{heading}\n(.*?)(?=^## |\Z)", changelog, re.MULTILINE | re.DOTALL)
    return found and found[1].strip()
