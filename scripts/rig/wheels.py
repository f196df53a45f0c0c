"""Writes scripts/bg/desk/requirements.txt: the packages that bgctl fetches, with the hashes of their wheels.

Run it as `python3 scripts/rig/wheels.py` when a pin below changes. It asks PyPI, and fails if a supported Python or
machine has no wheel.
"""

from __future__ import annotations

import re
import sys
import urllib.request
from pathlib import Path

TARGET = Path(__file__).resolve().parents[1] / "bg" / "desk" / "requirements.txt"
PYTHONS = ("39", "310", "311", "312", "313", "314")
MACHINES = (
    r"manylinux\w*2_17_x86_64\b|manylinux2014_x86_64",
    r"manylinux\w*2_17_aarch64\b|manylinux2014_aarch64",
    r"musllinux_1_\d_x86_64",
    r"musllinux_1_\d_aarch64",
    r"macosx_\d+_\d+_x86_64",
    r"macosx_\d+_\d+_arm64",
)
#: The newest versions that run on Python 3.9, with their dependencies.
PINS = {
    "pyyaml==6.0.3": "",
    "jsonschema==4.25.1": "",
    "attrs==25.4.0": "",
    "jsonschema-specifications==2025.9.1": "",
    "referencing==0.36.2": "",
    "rpds-py==0.27.1": "",
    "typing-extensions==4.15.0": ' ; python_version < "3.13"',
}
HEAD = """\
# What `bgctl install-packages` has pip fetch: wheels for Python 3.9 to 3.14, on Linux and macOS, x86_64 and arm64.
# pip refuses anything else. Written by scripts/rig/wheels.py in the repository.
"""


def offered(pin: str) -> dict[str, str]:
    """The wheels of one version on PyPI, with their hashes."""
    name, _, version = pin.partition("==")
    with urllib.request.urlopen(f"https://pypi.org/simple/{name}/", timeout=60) as answer:
        page = answer.read().decode()
    found = re.findall(r'href="[^"]*/([^/"#]+\.whl)#sha256=([0-9a-f]{64})"', page)
    return {wheel: digest for wheel, digest in found if re.match(rf"[\w.]+?-{re.escape(version)}-", wheel)}


def chosen(wheels: dict[str, str]) -> set[str]:
    """The wheels for the supported Pythons and machines."""
    found = {wheel for wheel in wheels if wheel.endswith("-none-any.whl")}
    if found:
        return found
    for python in PYTHONS:
        for machine in MACHINES:
            fit = {wheel for wheel in wheels if re.search(rf"-cp{python}-cp{python}-.*({machine})", wheel)}
            if not fit:
                raise SystemExit(f"no wheel for cp{python} on {machine}, but {', '.join(sorted(wheels))}")
            found |= fit
    return found


def main() -> int:
    """Write the file."""
    lines = [HEAD]
    for pin, condition in PINS.items():
        wheels = offered(pin)
        hashes = sorted({wheels[wheel] for wheel in chosen(wheels)})
        lines.append(" \\\n    ".join([pin + condition, *(f"--hash=sha256:{digest}" for digest in hashes)]) + "\n")
    TARGET.write_text("".join(lines), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
