"""Whose a change of the project is: the agent's where its own calls name the file, somebody else's, or not known."""

from __future__ import annotations

import fnmatch
import os
from pathlib import Path

from bg.evidence import purposes, shell, staleness
from bg.evidence.calls import WRITING, Call, Calls
from bg.evidence.disk import Disk
from bg.pattern import pattern

OWN, OTHERS, UNKNOWN = "own", "others", "unknown"
PLACING = {"cp", "mv", "ln", "install", "rsync", "git"}  # put files below the last thing that they name
WHOLE_FOLDERS = {"rm", "mv", "cp", "rsync", "git", "rmdir"}  # do to all files of a folder what they do to it
CODE = {"python", "python3", "node", "ruby", "perl", "php", "deno", "bun", "patch"}  # may be given code in the line
_WORD = pattern(r"(?<![\w./-])[\w./@+-]*[\w@+-](?![\w/])")


class Whose:
    """What the calls of one run name; asked of one changed or removed file after the other."""

    def __init__(self, disk: Disk, calls: Calls) -> None:
        self._project = disk.project
        self._named: set[str] = set()
        self._folders: set[str] = set()
        self._globs: set[str] = set()
        for call in calls.calls:
            if call.name in WRITING and call.path and not call.failed:
                self._named.update(self._spelled(call.path, self._project.cwd))
            elif call.command and not purposes.only_reads(call.command):
                self._take(call)
        self.rest = self._of_the_rest(disk, calls)

    def of(self, name: str) -> str:
        """Whose a change of this file is; the name is the path below the top of the agent's tree."""
        return self.of_path(self._project.main / name)

    def of_path(self, path: Path) -> str:
        """The same of a file anywhere in the project; outside the run's own tree only what it names is its own."""
        if self._is_named(path):
            return OWN
        return UNKNOWN if self.rest == OWN and self._project.main not in path.parents else self.rest

    def _of_the_rest(self, disk: Disk, calls: Calls) -> str:
        """Whose a change that no call names is: others' where no call can have made it, the run's in its own tree."""
        if not calls.known or calls.hidden:
            return UNKNOWN
        if all(purposes.only_reads(call.command) for call in calls.shells):
            return OTHERS
        return OWN if disk.project.main != disk.project.root and not disk.launch.shared else UNKNOWN

    def _is_named(self, path: Path) -> bool:
        text = str(path)
        return (
            text in self._named
            or any(str(parent) in self._folders for parent in path.parents)
            or any(fnmatch.fnmatchcase(text, glob) for glob in self._globs)
        )

    def _take(self, call: Call) -> None:
        """What one command line names, from the folder that it goes to."""
        folder = self._project.cwd
        rewrites = staleness.reformats(call)
        for part in call.parts:
            if part.program in ("cd", "pushd") and part.words:
                folder = Path(os.path.normpath(folder / part.words[0]))
            elif part.program == "for" or not _changes_nothing(part, rewrites=rewrites):
                self._take_part(part, folder)
        for name in purposes.written(call.command):
            self._named.update(self._spelled(name, folder))
        if any(part.program in CODE or part.verb in ("apply", "am") for part in call.parts):
            self._take_code(call.command[: shell.MOST], folder)

    def _take_code(self, code: str, folder: Path) -> None:
        """The files that code or a patch within a command line names."""
        for word in set(_WORD.findall(code)):
            for name in (word, word[2:] if word[:2] in ("a/", "b/") else ""):
                self._named.update(self._spelled(name, folder) if name else ())

    def _take_part(self, part: shell.Part, folder: Path) -> None:
        words = [each for word in part.words for each in (word, word.partition("=")[2])]
        words = [word for word in words if word and not word.startswith("-")]
        found = [path for word in words for path in self._spelled(word, folder)]
        self._globs.update(path for path in found if "*" in path)
        self._named.update(found)
        if part.program in WHOLE_FOLDERS:
            self._folders.update(found)
        if part.program in PLACING and words:
            self._take_placed(words[:-1], self._spelled(words[-1], folder))

    def _take_placed(self, words: list[str], folders: list[str]) -> None:
        """What is put into a folder, by its last name."""
        names = [word.rstrip("/").rpartition("/")[2] for word in words]
        self._named.update(f"{folder}/{name}" for folder in folders for name in names)

    def _spelled(self, name: str, folder: Path) -> list[str]:
        """The paths within the project that a word may mean, from a folder."""
        if len(name) > 1000 or "\0" in name or "\n" in name:
            return []
        whole = os.path.normpath(folder / Path(os.path.expanduser(name) if name.startswith("~/") else name))  # noqa: PTH111
        tops = {str(base) for base in self._project.bases}
        return [str(path) for path in self._project.within(whole) if str(path) not in tops]


def _changes_nothing(part: shell.Part, *, rewrites: bool) -> bool:
    """Whether a command looks, tests, or checks without mending what it checks."""
    return purposes.looks(part) or purposes.is_test(part) or (purposes.is_check(part) and not rewrites)
