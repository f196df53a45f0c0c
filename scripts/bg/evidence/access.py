"""Access for an agent: to files that git tracks or that its calls opened or wrote, unless a rule denies them."""

from __future__ import annotations

import os
from pathlib import Path, PurePath

from bg.evidence import programs
from bg.evidence.calls import WRITING, Call, Calls
from bg.evidence.finding import Launch
from bg.host.permissions import Denials
from bg.pattern import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

DENIED, UNCLEAR, NOT_OWN = "denied", "settings unclear", "not its own"  # the reasons of a finding
OPENING = {"Read", "NotebookRead", *WRITING}
SHOWING = {
    "ag", "awk", "bat", "cat", "column", "comm", "cut", "diff", "egrep", "fgrep", "grep", "head", "jq", "less", "more",
    "nl", "od", "rev", "rg", "sed", "sort", "strings", "tac", "tail", "uniq", "xxd", "yq",
}  # fmt: skip
TOUCHING = {"chmod", "chown", "git", "ln", "mkdir", "rm", "rmdir", "touch"}
RAN = pattern(r"(?:Error: )?Exit code \d")
_WORD = pattern(r"[^\s'\"`=(),;|&<>\[\]{}]+")
HANDED = 40_000
SLACK = 5.0  # seconds by which a file system's clock may differ from the host's


class Access:
    """Whether each path may be opened, asked for both names of a link; no file is opened to find out."""

    def __init__(self, launch: Launch, folders: list[Path], calls: Calls, tracked: Callable[[Path], bool]) -> None:
        self._since = launch.at - SLACK if launch.at > 0 else 0.0
        self._tracked = tracked
        places = list(dict.fromkeys(map(str, [*folders, launch.cwd, launch.root])))
        self._denials = Denials(launch.config, places)
        self._here = list(dict.fromkeys([str(launch.cwd), os.path.realpath(launch.cwd)]))
        self._opened: set[str] = set()
        self._named: set[str] = set()
        for call in calls.calls:
            if call.answered and (not call.failed or (call.command and RAN.match(call.result))):
                self._take(call)
        self._known: dict[Path, str] = {}

    def refusal(self, path: Path) -> str:
        """Why the content of a file may not be looked at; empty if it may."""
        if path not in self._known:
            closed = UNCLEAR if self._denials.unclear else DENIED if self._denials.denies(str(path)) else ""
            self._known[path] = closed or ("" if self._is_the_agents(path) else NOT_OWN)
        return self._known[path]

    def _is_the_agents(self, path: Path) -> bool:
        names = dict.fromkeys([path, Path(os.path.realpath(path))])
        return all(self._tracked(name) or self._is_own(name) for name in names)

    def _is_own(self, path: Path) -> bool:
        """Whether a call opened or wrote a file.

        A command that may write counts as the writer of each file that it names and that is newer than the launch.
        """
        words = self._words(str(path))
        if words & self._opened:
            return True
        try:
            return bool(words & self._named) and self._since > 0 and _last_changed(path) >= self._since
        except OSError:
            return False

    def _words(self, path: str) -> set[str]:
        """The names by which a call may mean a file."""
        below = [place for place in self._here if path.startswith(f"{place}/")]
        home = os.path.expanduser("~")  # noqa: PTH111  a string is wanted
        near_home = {f"~{path[len(home) :]}"} if path.startswith(f"{home}/") else set()
        inside = {path[len(place) + 1 :] for place in below}
        return {path, *near_home, *inside, *(f"{place}/{name}" for place in self._here for name in inside)}

    def _take(self, call: Call) -> None:
        if call.name in OPENING and call.path:
            path = PurePath(self._here[0], call.path)
            self._opened |= {os.path.normpath(path), os.path.realpath(path)}
        if not call.command:
            return
        folder = ""
        for each in call.commands:
            folder = str(PurePath("", *each.folders))
            words = _below(folder, _words_in(*each.words[1:]))
            if each.program in SHOWING:
                self._opened |= words
            elif not programs.is_look(each.words) and each.program not in TOUCHING:
                self._named |= words
                # names in a program on its standard input, as in `python3 - <<EOF`
                self._named |= _below(folder, _words_in(call.command[:HANDED])) if "<<" in call.command else set()
            self._opened |= _below(folder, {*each.into, *(each.words[1:] if each.program == "tee" else ())})


def _words_in(*texts: str) -> set[str]:
    """Each text, and each part of it that may be a name: after an option's sign, or in code."""
    return {word for text in texts for word in (text, *_WORD.findall(text)) if word and "\0" not in word}


def _below(folder: str, words: set[str]) -> set[str]:
    return {os.path.normpath(PurePath(folder, word)) for word in words}


def _last_changed(path: Path) -> float:
    found = path.stat()
    return max(found.st_mtime, found.st_ctime)
