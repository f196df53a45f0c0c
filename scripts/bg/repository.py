"""Repositories: the commit of a checkout, the folder that its checkouts share, a mark that survives a move.

All of it is read from git's own files, as starting git would cost a launch two bare starts of Python.
"""

from __future__ import annotations

import os
import re

from bg import foreign

LONGEST = 4096
MOST_PACKED = 16 * 1024 * 1024
DEEPEST = 64
_COMMIT = r"[0-9a-f]{40}(?:[0-9a-f]{24})?"


def head(folder: str) -> str:
    """The commit's hash; empty outside a repository, before the first commit, and if git stores it in another way."""
    own = _directory(_real(folder)) if folder else ""
    said = _text(os.path.join(own, "HEAD")) if own else ""
    if re.fullmatch(_COMMIT, said):
        return said
    branch = said[len("ref: ") :] if said.startswith("ref: refs/") and ".." not in said else ""
    if not branch:
        return ""
    shared = os.path.join(own, _text(os.path.join(own, "commondir")))  # a worktree's branches are kept there
    for place in dict.fromkeys((own, shared)):
        found = _text(os.path.join(place, branch))
        if re.fullmatch(_COMMIT, found):
            return found
    every = _text(os.path.join(shared, "packed-refs"), MOST_PACKED)
    packed = re.search(rf"^({_COMMIT}) {re.escape(branch)}$", every, re.MULTILINE)
    return packed[1] if packed else ""


def common(folder: str) -> str:
    """The git directory that all checkouts of this folder's repository share; empty outside a repository."""
    own = _directory(_real(folder)) if folder else ""
    return os.path.realpath(os.path.join(own, _text(os.path.join(own, "commondir")))) if own else ""


def top(folder: str) -> str:
    """The top folder of the checkout that holds this folder; empty outside a repository."""
    found, last = _real(folder), ""
    while found != last and not os.path.exists(os.path.join(found, ".git")):
        found, last = os.path.dirname(found), found
    return found if found != last else ""


def mark(shared: str) -> str:
    """A mark of one repository alone, which survives a move: the time when git wrote a file that nobody changes."""
    found = foreign.stat_of(os.path.join(shared, "description"))
    return str(found.st_mtime_ns) if found else ""


def _real(folder: str) -> str:
    try:
        return os.path.realpath(folder)
    except (OSError, ValueError):
        return ""


def _directory(folder: str) -> str:
    """The git directory of the checkout that holds this folder; empty outside a repository."""
    for _ in range(DEEPEST if folder else 0):
        git = os.path.join(folder, ".git")
        if os.path.isdir(git):
            return git
        link = _text(git)
        if link.startswith("gitdir: "):
            return os.path.join(folder, link[len("gitdir: ") :])
        folder, last = os.path.dirname(folder), folder
        if folder == last:
            break
    return ""


def _text(path: str, most: int = LONGEST) -> str:
    try:
        return foreign.read(path, most).decode("utf-8", "replace").strip()
    except (OSError, ValueError):
        return ""
