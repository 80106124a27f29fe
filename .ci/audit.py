"""Ask about known holes of what is pinned: `python audit.py PIP_AUDIT REQUIREMENTS`.

Status 1 where there are any. pip-audit calls it a success when nobody could be asked, so what it passed over is counted
here and told. CI may see a mirror of the packages alone: that is told, and is no failure.
"""

import json
import subprocess
import sys
from typing import Any

PATIENCE = 300  # seconds


def asked(program: str, requirements: str) -> list[dict[str, Any]]:
    """What it says of each package; nothing where it could not say anything."""
    options = ["--require-hashes", "--disable-pip", "--progress-spinner", "off", "--format", "json"]
    try:
        done = subprocess.run(
            [program, "--requirement", requirements, *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=PATIENCE,
            check=False,
        )
        found: list[dict[str, Any]] = json.loads(done.stdout)["dependencies"]
    except (subprocess.TimeoutExpired, ValueError):
        return []
    return found


def main(program: str, requirements: str) -> int:
    """Tell what is known."""
    packages = asked(program, requirements)
    known = [one for one in packages if "vulns" in one]
    holes = [(one, hole) for one in known for hole in one["vulns"]]
    for one, hole in holes:
        print(
            f"{one['name']} {one['version']}: {hole['id']}, mended in {', '.join(hole['fix_versions']) or 'none yet'}"
        )
    if not known:
        print("NOT AUDITED: PyPI's database cannot be asked from here; run `make audit` where it can before a release")
    else:
        print(f"{len(known)} packages audited, {len(packages) - len(known)} not known there, {len(holes)} holes")
    return 1 if holes else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
