"""A release: date the changelog, set the version, build and check the package, store it with its tag.

All of this happens in a temporary copy. Your branch, the branch `release` and the tag change only if all of it works.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Optional

from rig import clients, package, tree
from rig.home import Home
from rig.package import ROOT, PackageError, git

BRANCH = "release"
MANIFESTS = ("plugin.json", package.MANIFEST)
PATIENCE = 240  # seconds for one check
_VERSION = re.compile(r'("version": ")(\d+\.\d+\.\d+)(")')
_UNRELEASED = "## [Unreleased]\n"


def main(argv: Optional[Sequence[str]] = None, root: Path = ROOT) -> int:
    """Make a release; return 1 if it cannot be made, in which case nothing has changed."""
    parser = argparse.ArgumentParser(prog="release", description="Publish a version on the branch `release`.")
    parser.add_argument("version", help="such as 1.2.3")
    parser.add_argument("--date", default=f"{datetime.now(timezone.utc):%Y-%m-%d}", help="its day; today by default")
    parser.add_argument("--dry-run", action="store_true", help="try it on the files as they are, and change nothing")
    given = parser.parse_args(argv)
    try:
        with tempfile.TemporaryDirectory(prefix="bg-release-") as folder:
            copy = tree.snapshot(root, Path(folder) / "copy") if given.dry_run else _clone(root, Path(folder) / "copy")
            tag = make(copy, given.version, given.date, Path(folder) / "package")
            if not given.dry_run:
                stored = (f"refs/heads/{BRANCH}", f"refs/tags/{tag}")
                git(root, "fetch", "-q", "--atomic", str(copy), *(f"{name}:{name}" for name in stored))
                git(root, "fetch", "-q", str(copy), "HEAD")
                git(root, "merge", "-q", "--ff-only", "FETCH_HEAD")
    except (PackageError, OSError, subprocess.SubprocessError) as error:
        sys.stderr.write(f"release: {error}\n")
        return 1
    end = "nothing was changed" if given.dry_run else f"to publish it: git push origin HEAD {BRANCH} {tag}"
    sys.stdout.write(f"{tag}: {end}\n")
    return 0


def make(repository: Path, version: str, date: str, folder: Path) -> str:
    """Make the release in this repository, and its package in this folder; return the tag."""
    tag = f"bg--v{version}"
    if git(repository, "tag", "--list", tag):
        raise PackageError(f"the tag {tag} is there already")
    set_version(repository, version, date)
    git(repository, "commit", "-qam", f"Release {version}")
    built = package.read(repository)
    built.write(folder)
    sys.stdout.write(f"{package.size_of(map(len, built.files.values()))}\n")
    check(folder)
    last = git(repository, "for-each-ref", "--format=%(objectname)", f"refs/heads/{BRANCH}").decode().strip()
    stored = built.store(last)
    for name in (f"refs/heads/{BRANCH}", f"refs/tags/{tag}"):
        git(repository, "update-ref", name, stored)
    return tag


def set_version(repository: Path, version: str, date: str) -> None:
    """Set the version in every file that names it, and move the changelog's Unreleased part under it."""
    if not re.fullmatch(r"\d+\.\d+\.\d+", version) or not re.fullmatch(r"\d{4}-\d\d-\d\d", date):
        raise PackageError(f"a version is like 1.2.3 and a date like 2026-01-31, not {version} and {date}")
    for name in MANIFESTS:
        text = (repository / name).read_text(encoding="utf-8")
        [(_, present, _)] = _VERSION.findall(text)
        if clients.numbers(version) < clients.numbers(present):
            raise PackageError(f"{version} is older than {present}, the version in {name}")
        (repository / name).write_text(_VERSION.sub(rf"\g<1>{version}\g<3>", text), encoding="utf-8")
    changelog = repository / "CHANGELOG.md"
    before, mark, after = changelog.read_text(encoding="utf-8").partition(_UNRELEASED)
    changelog.write_text(f"{before}{mark}\n## [{version}] - {date}\n{after}", encoding="utf-8")


def check(folder: Path) -> None:
    """Have the newest client validate a package, and play the recorded demo from it."""
    with Home("http://127.0.0.1:9") as home:
        client = clients.entry(clients.newest())
        validate = [*client, "plugin", "validate", "--strict", "--profile", "directory", str(folder)]
        for command in (validate, [sys.executable, str(folder / "scripts" / "demo"), "--recorded"]):
            done = subprocess.run(
                command,
                env=home.env(PYTHONDONTWRITEBYTECODE="1"),
                cwd=home.project,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=PATIENCE,
                check=False,
            )
            if done.returncode:
                raise PackageError(f"{' '.join(command)}:\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    sys.stdout.write(f"validated by Claude Code {clients.running(clients.newest())}; the recorded demo was played\n")


def _clone(root: Path, folder: Path) -> Path:
    """Clone a repository that has something to release, with its last release and its committer's name."""
    if git(root, "status", "--porcelain"):
        raise PackageError("commit or remove your changes first")
    unreleased = (root / "CHANGELOG.md").read_text(encoding="utf-8").partition(_UNRELEASED)[2].partition("\n## ")[0]
    if "\n- " not in unreleased:
        raise PackageError("the changelog has nothing that is unreleased")
    git(root, "clone", "-q", str(root), str(folder))
    name, _, rest = git(root, "var", "GIT_COMMITTER_IDENT").decode().partition(" <")
    git(folder, "config", "user.name", name)
    git(folder, "config", "user.email", rest.partition(">")[0])
    former = git(root, "for-each-ref", "--format=%(refname)", f"refs/heads/{BRANCH}", f"refs/remotes/*/{BRANCH}")
    for last in former.decode().split()[:1]:
        git(folder, "fetch", "-q", "origin", f"{last}:refs/heads/{BRANCH}")
    return folder
