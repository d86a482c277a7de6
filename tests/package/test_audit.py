"""What `make audit` says of a report of pip-audit: it never takes packages that were not asked about for sound ones."""

from audit import audit

SOUND = {"name": "numpy", "version": "2.0", "vulns": []}
OURS = {
    "name": "spark-windowing",
    "skip_reason": "Dependency not found on PyPI and could not be audited: spark-windowing",
}
UNKNOWN = {
    "name": "pandas",
    "skip_reason": "Dependency not found on PyPI and could not be audited: pandas (2.3)",
}
BAD = {
    "name": "old",
    "version": "1.0",
    "vulns": [{"id": "PYSEC-2026-1", "fix_versions": ["1.1"]}, {"id": "PYSEC-2026-2", "fix_versions": []}],
}


def test_all_are_sound():
    assert audit({"dependencies": [SOUND, OURS]}) == (["1 of 1 packages audited, 0 known vulnerabilities"], 0)


def test_vulnerabilities_are_named_with_the_version_that_mends_them():
    lines, code = audit({"dependencies": [SOUND, BAD]})
    assert lines == [
        "2 of 2 packages audited, 2 known vulnerabilities",
        "old 1.0: PYSEC-2026-1, mended in 1.1",
        "old 1.0: PYSEC-2026-2, mended in no version",
    ]
    assert code == 1


def test_an_index_without_advisories_is_no_clean_bill():
    lines, code = audit({"dependencies": [UNKNOWN, OURS]})
    assert code == 2
    assert lines[:2] == [
        "0 of 1 packages audited, 0 known vulnerabilities",
        "not audited: 1 packages, Dependency not found on PyPI and could not be audited",
    ]
