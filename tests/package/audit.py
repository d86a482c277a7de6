"""Ask the advisory database about every package of an environment. Say what was found, and never that nothing was if nothing could be asked."""

import json
import subprocess
import sys
from collections import Counter

OURS = "spark-windowing"  # not the database's business


def audit(report):
    """Return the lines to print and the exit code: 1 if something was found, 2 if a package could not be asked about."""
    packages = [p for p in report["dependencies"] if p["name"] != OURS]
    asked = [p for p in packages if "skip_reason" not in p]
    found = [(p["name"], p["version"], v) for p in asked for v in p["vulns"]]
    lines = [f"{len(asked)} of {len(packages)} packages audited, {len(found)} known vulnerabilities"]
    for name, version, vulnerability in found:
        fixed = ", ".join(vulnerability["fix_versions"]) or "no version"
        lines.append(f"{name} {version}: {vulnerability['id']}, mended in {fixed}")
    if len(asked) < len(packages):
        reasons = Counter(p["skip_reason"].partition(":")[0] for p in packages if "skip_reason" in p)
        lines += [f"not audited: {count} packages, {reason}" for reason, count in reasons.items()]
        lines.append(
            "Nothing is known of those: run make audit where the index has the advisories of its packages."
        )
    return lines, 1 if found else 2 if len(asked) < len(packages) or not asked else 0


def main(tool, site_packages):
    """Run pip-audit over the folder of an environment."""
    done = subprocess.run(
        [tool, "--format", "json", "--progress-spinner", "off", "--path", site_packages],
        capture_output=True,
        text=True,
        check=False,
    )
    try:
        report = json.loads(done.stdout)
    except ValueError:
        sys.exit(f"pip-audit gave no report: {done.stderr.strip().splitlines()[-1:]}")
    lines, code = audit(report)
    sys.stdout.write("\n".join([*lines, ""]))
    return code


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
