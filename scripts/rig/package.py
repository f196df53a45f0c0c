"""The tree that users get, built from one commit: the program, and the documents that its README leads to.

The same commit gives the same bytes, modes, times and commit id on every machine.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import posixpath
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Callable, Optional

ROOT = Path(__file__).resolve().parents[2]
MANIFEST, README = ".claude-plugin/plugin.json", "README.md"
FOLDERS = (".claude-plugin/", "agents/", "commands/", "hooks/", "scripts/bg/", "skills/")
FILES = ("CHANGELOG.md", "LICENSE", "SECURITY.md", "plugin.json", "scripts/bgctl", "scripts/demo")
#: The demo's imports say which modules of the rig it needs; only this says which other files it reads.
RIG, DEMO, DEMO_READS = "scripts/rig/__init__.py", "scripts/rig/demo.py", ("scripts/rig/demo_events.json",)
_REPOSITORY_ONLY = re.compile(rb"<!-- begin repository only -->\n.*?<!-- end repository only -->\n", re.DOTALL)
_LINK = re.compile(r'(?:\]\(|src="|srcset=")([^)#"\s:]+)(?=[)#"\s])')  # a link with a colon leads out of the tree
_ENCODED = ("-c", "i18n.commitEncoding=UTF-8", "-c", "i18n.logOutputEncoding=UTF-8")
BLOCK = 4096  # bytes; most file systems give each file whole blocks of this size


class PackageError(Exception):
    """The package cannot be built; the message says why."""


def git(repository: Path, *words: str, given: bytes = b"", **env: str) -> bytes:
    """The output of git, without the settings of the user that would change it."""
    command = ["git", "-C", str(repository), "-c", "core.autocrlf=false", *_ENCODED, *words]
    done = subprocess.run(command, input=given, capture_output=True, env={**os.environ, **env}, check=False)
    if done.returncode:
        raise PackageError(f"git {words[0]}: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout


@dataclass
class Package:
    """The files of a package by their paths, the executable ones among them, and the commit that they come from."""

    repository: Path
    commit: str
    files: dict[str, bytes]
    executable: set[str]

    @property
    def version(self) -> str:
        """The plugin's version in this commit."""
        return str(json.loads(self.files[MANIFEST])["version"])

    @cached_property
    def _origin(self) -> list[str]:
        """The names, addresses and dates of the commit's author and committer."""
        shape = "--format=%an%n%ae%n%ad%n%cn%n%ce%n%cd"
        return (
            git(self.repository, "show", "-s", "--no-show-signature", "--date=raw", shape, self.commit)
            .decode()
            .splitlines()
        )

    def write(self, folder: Path) -> None:
        """Write the files into a new or empty folder, with fixed modes and with the commit's time."""
        if folder.exists() and any(folder.iterdir()):
            raise PackageError(f"{folder} is not empty")
        seconds = int(self._origin[5].split()[0])
        for name, content in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            path.chmod(0o755 if name in self.executable else 0o644)
            os.utime(path, (seconds, seconds))
        for inner in sorted((path for path in folder.rglob("*") if path.is_dir()), reverse=True):
            inner.chmod(0o755)
            os.utime(inner, (seconds, seconds))

    def store(self, onto: str = "") -> str:
        """Commit the package in its repository, on top of the commit `onto` if one is named; return the commit's id.

        Author, committer and dates are those of the source commit, so the id depends only on that commit and `onto`.
        """
        with tempfile.TemporaryDirectory() as folder:
            index = {"GIT_INDEX_FILE": str(Path(folder) / "index")}
            lines = []
            for name, content in self.files.items():
                blob = git(self.repository, "hash-object", "-w", "--stdin", given=content).decode().strip()
                lines.append(f"{'100755' if name in self.executable else '100644'} {blob}\t{name}\n")
            git(self.repository, "update-index", "--add", "--index-info", given="".join(lines).encode(), **index)
            tree = git(self.repository, "write-tree", **index).decode().strip()
        names = ("AUTHOR_NAME", "AUTHOR_EMAIL", "AUTHOR_DATE", "COMMITTER_NAME", "COMMITTER_EMAIL", "COMMITTER_DATE")
        who = {f"GIT_{name}": value for name, value in zip(names, self._origin)}
        parent = ["-p", git(self.repository, "rev-parse", f"{onto}^{{commit}}").decode().strip()] if onto else []
        message = f"bg {self.version}\n\nBuilt by scripts/package from {self.commit}.\n"
        return git(self.repository, "commit-tree", tree, *parent, given=message.encode(), **who).decode().strip()


def size_of(sizes: Iterable[int]) -> str:
    """The number of files, their bytes, and the room that they take on disk, in words."""
    listed = list(sizes)
    disk = sum(-(-size // BLOCK) * BLOCK for size in listed)
    return f"{len(listed)} files of {sum(listed) / 1e6:.2f} MB, which take {disk / 1e6:.2f} MB on disk"


def read(repository: Path, revision: str = "HEAD") -> Package:
    """The package of a commit."""
    commit = git(repository, "rev-parse", f"{revision}^{{commit}}").decode().strip()
    modes, tree = _tree(repository, commit)
    tree[README] = _REPOSITORY_ONLY.sub(b"", tree[README])
    wanted = {*FILES, *(name for name in tree if name.startswith(FOLDERS))}
    wanted |= _closed({DEMO}, partial(_imported, tree)) | _closed({README}, partial(_linked, tree)) | set(DEMO_READS)
    missing = sorted(wanted - set(tree))
    if missing:
        raise PackageError(f"the commit {commit} has no {', '.join(missing)}")
    odd = [name for name in sorted(wanted) if modes[name] not in ("100644", "100755")]
    if odd:
        raise PackageError(f"a package has only files, and no links such as {', '.join(odd)}")
    executable = {name for name in wanted if modes[name] == "100755"}
    return Package(repository, commit, {name: tree[name] for name in sorted(wanted)}, executable)


def _tree(repository: Path, commit: str) -> tuple[dict[str, str], dict[str, bytes]]:
    """The modes and the contents of all files of a commit."""
    listed = [line.split("\t", 1) for line in git(repository, "ls-tree", "-rz", commit).decode().split("\0")[:-1]]
    blobs = "".join(f"{about.split()[2]}\n" for about, _ in listed).encode()
    out, at = git(repository, "cat-file", "--batch", given=blobs), 0
    modes, contents = {}, {}
    for about, name in listed:
        begin = out.index(b"\n", at) + 1
        at = begin + int(out[at:begin].split()[2])
        modes[name], contents[name] = about.split()[0], out[begin:at]
        at += 1
    return modes, contents


def _closed(found: set[str], more: Callable[[str], set[str]]) -> set[str]:
    """These files, and all files that they lead to, directly or not."""
    new = found
    while new:
        new = set().union(*map(more, new)) - found
        found = found | new
    return found


def _imported(tree: dict[str, bytes], name: str) -> set[str]:
    """The modules of the rig that this one imports, and the package's `__init__`."""
    named = {RIG}
    for node in ast.walk(ast.parse(tree.get(name, b""))):
        if isinstance(node, ast.ImportFrom) and node.module == "rig":
            named |= {f"scripts/rig/{alias.name}.py" for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("rig."):
            named.add(f"scripts/{str(node.module).replace('.', '/')}.py")
    return named


def _linked(tree: dict[str, bytes], name: str) -> set[str]:
    """The files that a document links to; none if the file is no document."""
    if not name.endswith(".md"):
        return set()
    folder = posixpath.dirname(name)
    return {posixpath.normpath(posixpath.join(folder, link)) for link in _LINK.findall(tree.get(name, b"").decode())}


def main(argv: Optional[Sequence[str]] = None) -> int:
    """Write a package; return 1 if it cannot be built."""
    parser = argparse.ArgumentParser(
        prog="package",
        description="Write the tree that users get, and store it as a commit that a release branch can hold.",
    )
    parser.add_argument("folder", type=Path, metavar="DIR", help="where to write it: a new or an empty folder")
    parser.add_argument("--commit", default="HEAD", help="what to build it from; what is not committed is left out")
    parser.add_argument("--onto", default="", metavar="COMMIT", help="the release that the new commit follows")
    given = parser.parse_args(argv)
    try:
        built = read(ROOT, given.commit)
        built.write(given.folder)
        stored = built.store(given.onto)
    except (PackageError, OSError) as error:
        sys.stderr.write(f"package: {error}\n")
        return 1
    _, whole = _tree(ROOT, built.commit)
    sys.stdout.write(
        f"bg {built.version}, from {built.commit}\n"
        f"repository: {size_of(map(len, whole.values()))}\n"
        f"package:    {size_of(map(len, built.files.values()))}, in {given.folder}\n"
        f"commit:     {stored} (git branch release {stored})\n"
    )
    return 0
