"""The packages that `bgctl install-packages` has pip fetch: only the wheels whose hashes the plugin carries."""

from __future__ import annotations

import hashlib
import importlib.metadata
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Optional

import pytest
from bg.desk import packages

ROOT = Path(__file__).resolve().parents[2]
LINES = packages.REQUIREMENTS.read_text(encoding="utf-8").replace("\\\n", "").splitlines()
PINNED = {
    match[1]: line.split("--hash=sha256:")[1:]
    for line in LINES
    if (match := re.match(r"([a-z-]+)==\d[\d.]+ ", line)) or not line.startswith("#")
}
PYTHONS, MACHINES = 6, 6  # 3.9 to 3.14; Linux with glibc and with musl and macOS, each on x86_64 and arm64


def test_every_package_is_pinned_and_has_its_hashes():
    assert {"pyyaml", "jsonschema"} <= set(PINNED)
    for name, hashes in PINNED.items():
        assert len(hashes) == len({*hashes}) > 0, name
        assert all(re.fullmatch(r"[0-9a-f]{64} *", each) for each in hashes), name
    assert {"pyyaml", "rpds-py"} == {name for name, hashes in PINNED.items() if len(hashes) == PYTHONS * MACHINES}
    assert {1} == {len(hashes) for name, hashes in PINNED.items() if name not in ("pyyaml", "rpds-py")}


def test_what_the_two_packages_need_is_pinned_with_them():
    """By what is installed here, which may be newer: it needs no more than that."""
    needed, known = ["pyyaml", "jsonschema"], set()
    while needed:
        name = needed.pop()
        known.add(name)
        for line in importlib.metadata.requires(name) or []:
            if "extra ==" not in line:
                [other] = re.findall(r"^[\w-]+", line)
                needed += [other] if other not in known else []
    assert known <= set(PINNED)


def wheel(folder: Path, name: str, version: str, module: str, text: str = "") -> str:
    """A wheel with one module; its hash."""
    path = folder / f"{name}-{version}-py3-none-any.whl"
    info = f"{name}-{version}.dist-info"
    files = {
        f"{module}.py": text,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: bg\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    files[f"{info}/RECORD"] = "".join(f"{each},,\n" for each in [*files, f"{info}/RECORD"])
    with zipfile.ZipFile(path, "w") as archive:
        for each, content in files.items():
            archive.writestr(each, content)
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An interpreter without the two packages."""
    folder = tmp_path_factory.mktemp("bare") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True, timeout=60)
    return folder / "bin" / "python3"


def install(bare: Path, wheels: Path, root: Path, requirements: Optional[Path] = None) -> tuple[int, str]:
    """`bgctl install-packages` on a machine whose only package index is this folder."""
    chosen = f"packages._FETCH = (*packages._FETCH[:-1], {str(requirements)!r});" if requirements else ""
    code = (
        f"import sys; sys.path.insert(0, {str(ROOT / 'scripts')!r}); from bg.desk import packages, cli;"
        f"packages.SYSTEM = (); {chosen} raise SystemExit(cli.main(['install-packages']))"
    )
    env = {
        "HOME": str(root), "PATH": str(root), "BG_DATA": str(root / "data"), "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(wheels), "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_CONFIG_FILE": os.devnull,
    }  # fmt: skip
    done = subprocess.run(
        [str(bare), "-c", code],
        env=env,
        cwd=root,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=180,
    )
    return done.returncode, done.stdout + done.stderr


def test_wheels_with_the_right_hashes_are_installed(bare, tmp_path):
    one, two = wheel(tmp_path, "pyyaml", "6.0.3", "yaml"), wheel(tmp_path, "jsonschema", "4.25.1", "jsonschema")
    known = tmp_path / "known.txt"
    known.write_text(f"pyyaml==6.0.3 --hash=sha256:{one}\njsonschema==4.25.1 --hash=sha256:{two}\n")
    code, said = install(bare, tmp_path, tmp_path, known)
    assert (0, True) == (code, said.startswith("a virtual environment was built in ")), said
    assert (tmp_path / "data" / "python").read_text() == f"{tmp_path}/data/venv/bin/python3\n"


def test_a_wheel_that_poses_as_one_of_them_is_refused_and_nothing_of_it_stays(bare, tmp_path):
    """Its name and version are right, its content is another's."""
    for line in LINES:
        if match := re.match(r"([a-z-]+)==([\d.]+) ", line):
            name = match[1].replace("-", "_")
            module = {"pyyaml": "yaml"}.get(name, name)
            wheel(tmp_path, name, match[2], module, f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    code, said = install(bare, tmp_path, tmp_path)
    assert code == 1
    assert said.startswith(
        "bgctl: the packages could not be installed: pip was offered no wheel whose hash is known here\n"
    )
    assert "do not trust where pip looks for packages" in said
    assert not (tmp_path / "ran").exists()
    assert not (tmp_path / "data" / "venv").exists()
    assert not (tmp_path / "data" / "packages").exists()


def test_where_no_wheel_is_offered_it_says_for_what_there_are_hashes(bare, tmp_path):
    code, said = install(bare, tmp_path, tmp_path)
    assert code == 1
    assert "no wheel whose hash is known here" in said
    assert "Python 3.9 to 3.14, on x86_64 or arm64" in said
