"""The project on disk: the meaning of a report's paths there, and bounded looks at the files.

Nothing outside the project is opened, links that lead out of it count as outside, and only regular files are read.
"""

from __future__ import annotations

import itertools
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from bg import foreign
from bg.evidence import named, shell
from bg.evidence.finding import Launch
from bg.pattern import pattern
from bg.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Optional

FILE = 8 * 1024 * 1024
TOTAL = 48 * 1024 * 1024
ENTRIES = 30_000
PATH = 1024
NOT_WALKED = {
    ".git", ".hg", ".svn", "node_modules", ".venv", "venv", "__pycache__", ".tox", ".nox", ".mypy_cache",
    ".pytest_cache", ".ruff_cache", "site-packages", ".gradle", ".terraform",
}  # fmt: skip
WINDOWS = pattern(r"[A-Za-z]:[\\/]")


class Found(Record):
    """Something that exists in the project; `name` is its path below `base`."""

    path: Path
    base: Path
    name: str
    folder: bool
    regular: bool
    size: int
    mtime: float
    ctime: float


class Place(Record):
    """The meaning of a report's path: the things found, whether it leads outside, and whether the search was whole."""

    found: tuple[Found, ...]
    outside: bool
    certain: bool


class Project:
    """The directories that a report may speak of, with the contents read so far."""

    def __init__(self, launch: Launch) -> None:
        self._read, self.unread = 0, dict[str, str]()  # bytes read; the files not looked at, with the bound reached
        self._contents: dict[Path, Optional[bytes]] = {}
        self.refusal: Callable[[Path], str] = lambda _: ""
        self._index: Optional[dict[str, list[str]]] = None
        self.complete = True
        self.root = Path(os.path.realpath(launch.root))
        self.cwd = Path(os.path.realpath(launch.cwd))
        self.main = _worktree(self.cwd, self.root) or self.root
        if not _under(self.cwd, self.main):
            self.cwd = self.main  # a directory outside the project gives no access to its files
        self.bases = list(dict.fromkeys([self.cwd, self.main, self.root]))
        self._spelled = [Path(os.path.abspath(launch.root)), Path(os.path.abspath(launch.cwd))]  # noqa: PTH100  no links followed

    @property
    def spellings(self) -> tuple[str, ...]:
        """The directories of the project, with links and without."""
        return tuple(dict.fromkeys(map(str, [*self.bases, *self._spelled])))

    def place(self, text: str) -> Place:
        """The meaning of a report's path here."""
        if not text or "\0" in text or "\n" in text or len(text) > PATH or WINDOWS.match(text):
            return Place((), outside=False, certain=False)
        text = os.path.expanduser(text) if text.startswith("~/") else text  # noqa: PTH111  a string is wanted
        for spelling in dict.fromkeys([text, text.replace("\\", "/")]):
            found = self._place(spelling)
            if found is not None:
                return found
        self.names()
        return Place((), outside=False, certain=self.complete)

    def _place(self, spelling: str) -> Optional[Place]:
        """The meaning of one spelling of a path; None if nothing has this name."""
        below = self.within(spelling)
        looked = [self._look(path) for path in below]
        direct = [each for each in looked if isinstance(each, Found)]
        elsewhere = self.elsewhere(spelling) if below and (not direct or "/" not in spelling.strip("/")) else []
        outside = not below or (False in looked and not direct)
        found = tuple(dict.fromkeys([*direct, *elsewhere]))
        return Place(found, outside=outside, certain=True) if found or outside else None

    def within(self, text: str) -> list[Path]:
        """The paths inside the project that a text may mean, without a look at the disk."""
        if text.startswith("/"):
            tries = [Path(os.path.normpath(text))]
            for spelled, real in zip(self._spelled, [self.root, self.cwd]):
                if spelled != real and _under(tries[0], spelled):
                    tries.append(real / tries[0].relative_to(spelled))
        else:
            tries = [Path(os.path.normpath(base / text)) for base in self.bases]
        return [path for path in dict.fromkeys(tries) if any(_under(path, base) for base in self.bases)]

    def folder(self, base: str, moves: tuple[str, ...]) -> Optional[Path]:
        """The folder in which a command ran, after moves from the folder it began in; None if that cannot be told."""
        place = base or str(self.cwd)
        for move in moves:
            if move == shell.UNKNOWN:
                return None
            place = os.path.join(place, os.path.expanduser(move))  # noqa: PTH111, PTH118  a string is wanted
        return Path(os.path.realpath(place))

    def within_tree(self, folder: Path) -> Optional[str]:
        """A folder's path below the run's own tree; None if it is outside of it, or in another tree within it."""
        if not _under(folder, self.main):
            return None
        for place in [folder, *folder.parents]:
            if place == self.main:
                break
            if os.path.lexists(place / ".git"):
                return None
        return folder.relative_to(self.main).as_posix()

    def _look(self, path: Path) -> Optional[object]:
        """The thing at a path: a Found, None for nothing, False for a way out of the project."""
        try:
            about = path.lstat()
            if stat.S_ISLNK(about.st_mode) or path.parent != Path(os.path.realpath(path.parent)):
                real = Path(os.path.realpath(path))
                if not any(_under(real, base) for base in self.bases):
                    return False
                about = path.stat()
        except (OSError, ValueError):
            return None
        base = self.main if _under(path, self.main) else self.root if _under(path, self.root) else self.cwd
        kind = about.st_mode
        return Found(
            path, base, path.relative_to(base).as_posix(), stat.S_ISDIR(kind), stat.S_ISREG(kind),
            about.st_size, about.st_mtime, about.st_ctime,
        )  # fmt: skip

    def elsewhere(self, text: str) -> list[Found]:
        """Files below the project whose path ends with these parts."""
        parts = named.composed(os.path.normpath(text).strip("/"))
        if text.startswith("/") or parts.startswith("..") or parts == ".":
            return []
        names = self.names().get(parts.rsplit("/", 1)[-1], [])
        spelled = [(name, named.composed(name)) for name in names[:200]]
        found = [self._look(self.main / name) for name, like in spelled if like == parts or like.endswith("/" + parts)]
        return [each for each in found if isinstance(each, Found)]

    def names(self) -> dict[str, list[str]]:
        """The paths below the project by their last part, up to a bound."""
        if self._index is None:
            self._index = {}
            for count, name in enumerate(_walk(self.main), 1):
                if count > ENTRIES:
                    self.complete = False
                    break
                self._index.setdefault(named.composed(name.rsplit("/", 1)[-1]), []).append(name)
        return self._index

    def has_ending(self, last: str) -> bool:
        """Whether a file's name, without its folders, ends with `last`: a text may have cut a name at a space in it."""
        return any(name.endswith(named.composed(last)) for name in self.names())

    def at(self, name: str) -> Optional[Found]:
        """The thing at a path below the project's top."""
        found = self._look(self.main / name)
        return found if isinstance(found, Found) else None

    def below(self, folder: Found) -> list[Found]:
        """The files in a folder and all its folders."""
        found: list[Found] = []
        for name in _walk(folder.path):
            if len(found) > 2000:
                self.complete = False
                break
            each = self._look(folder.path / name)
            if isinstance(each, Found) and not each.folder:
                found.append(each)
        return found

    def content(self, found: Found) -> Optional[bytes]:
        """A regular file's bytes; None if it is large, cannot be read, or may not be opened for the agent."""
        if found.path not in self._contents:
            self._contents[found.path] = self._bytes(found)
        return self._contents[found.path]

    def _bytes(self, found: Found) -> Optional[bytes]:
        why = "too large" if found.size > FILE else "too much" if self._read + found.size > TOTAL else ""
        self.unread.update({found.name: why} if found.regular and why else {})
        if not found.regular or why or self.refusal(found.path):
            return None
        try:
            data = foreign.read(found.path, FILE + 1, follow=False)
        except OSError:
            return self._linked(found)
        self._read += len(data)
        return data if len(data) <= FILE else None

    def _linked(self, found: Found) -> Optional[bytes]:
        """The bytes of a link's target, if that is in the project too."""
        real = Path(os.path.realpath(found.path))
        if real == found.path or not any(_under(real, base) for base in self.bases):
            return None
        other = self._look(real)
        return self._bytes(other) if isinstance(other, Found) else None


def _under(path: Path, base: Path) -> bool:
    return path == base or base in path.parents


def _worktree(cwd: Path, root: Path) -> Optional[Path]:
    """The top of the agent's own worktree, if it has one besides the project."""
    for place in [cwd, *cwd.parents][:40]:
        if _under(root, place):
            return None
        try:
            (place / ".git").lstat()
        except OSError:
            continue
        return place
    return None


def _walk(top: Path) -> Iterator[str]:
    """Every path below a folder, breadth first, links not followed."""
    folders = [""]
    for folder in folders:
        try:
            with os.scandir(top / folder) as listing:
                entries = sorted(itertools.islice(listing, ENTRIES), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            name = f"{folder}/{entry.name}" if folder else entry.name
            yield name
            try:
                inner = entry.is_dir(follow_symlinks=False)
            except OSError:
                continue
            if inner and entry.name not in NOT_WALKED and not name.endswith(".claude/worktrees"):
                folders.append(name)
