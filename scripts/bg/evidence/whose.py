"""Who made a change, and when: the run's own calls, others meanwhile, or nobody known."""

from __future__ import annotations

import os
from pathlib import Path

from bg.evidence import programs
from bg.evidence.calls import WRITING, Call, Calls, only_looks
from bg.evidence.disk import Disk
from bg.evidence.finding import short

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Optional

    Kind = tuple[str, set[Path], Callable[[tuple[str, ...], str], bool]]

OWN, OTHERS, UNKNOWN = "own", "others", "unknown"
FRESH, STALE, MOVED, OLDER = "fresh", "stale", "moved", "older"
MOVING = {"stash", "reset", "restore", "pull", "merge", "rebase", "revert", "cherry-pick", "checkout", "switch"}


class Whose:
    """Tells who changed each file since the launch of one run, by the run's calls."""

    def __init__(self, disk: Disk, calls: Calls) -> None:
        self._disk, self._project, self._calls = disk, disk.project, calls
        self._written = {path: call for call in calls.calls for path in self._paths(call)}
        self._shells = [call for call in calls.shells if not only_looks(call)]
        self._edits: list[tuple[Path, float]] = []
        self._whole = False
        self._by: dict[Path, bool] = {}
        self.rest = self._of_the_rest()

    def _paths(self, call: Call) -> list[str]:
        """The paths at which the file that a call wrote may be."""
        if call.name not in WRITING or not call.path or call.failed:
            return []
        whole = os.path.normpath(self._project.cwd / os.path.expanduser(call.path))  # noqa: PTH111  a string is wanted
        return [str(path) for path in self._project.within(whole)]

    def _of_the_rest(self) -> str:
        """Who made the changes that no call accounts for."""
        if not self._calls.complete:
            return UNKNOWN
        if not self._shells:
            return OTHERS
        if self._project.main != self._project.root and not self._disk.launch.shared:
            return OWN  # in its own tree, while nobody else worked there
        timed = all(call.begun and call.ended and not call.background for call in self._shells)
        return OTHERS if timed and not self._disk.launch.shared else UNKNOWN

    def of(self, name: str) -> str:
        """Who changed this file; the name is its path below the top of the agent's tree."""
        return self.of_path(self._project.main / name)

    def of_path(self, path: Path) -> str:
        """Who changed a file anywhere in the project."""
        if str(path) in self._written or self._by_shell(path):
            return OWN
        return UNKNOWN if self.rest == OWN and self._project.main not in path.parents else self.rest

    def _by_shell(self, path: Path) -> Optional[Call]:
        """The shell call during which a file changed; None without one, or if other agents share the directory."""
        if self._disk.launch.shared:
            return None
        try:
            about = path.lstat()
        except OSError:
            return self._removing(path)
        moments = (about.st_mtime, about.st_ctime)
        return next((call for call in reversed(self._shells) if any(map(call.holds, moments))), None)

    def _removing(self, path: Path) -> Optional[Call]:
        """The shell call that names a file that is gone, or a folder that it was in."""
        inside = [each for each in (path, *path.parents) if self._project.main in each.parents]
        names = (
            {str(each.relative_to(self._project.main)) for each in inside}
            | {str(each) for each in inside}
            | {path.name}
        )
        words = ((call, word) for call in self._shells for each in call.commands for word in each.words[1:])
        return next((call for call, word in words if word.removeprefix("./").rstrip("/") in names), None)

    def take(self, names: list[str], *, whole: bool) -> None:
        """Take the files that changed (all of them if `whole`); those that are the run's own count as its edits."""
        self._whole = whole
        for name in names:
            path = self._project.main / name
            if self.of_path(path) == OWN:
                try:
                    self._edits.append((path, path.lstat().st_mtime))
                except OSError:
                    continue

    def since(self, run: Call, words: tuple[str, ...], folder: str) -> tuple[str, str]:
        """Whether a file that a run covers was edited after it, and which file; empty if that is not known."""
        if run.background or not self._calls.complete:
            return "", ""
        behind = self._calls.after(run)
        later = self._later(run.ended)
        written = self._written_after(run)
        certain = written | set(filter(self._is_known_edit, later))
        for word, paths, speaks in self._kinds(words, written, certain):
            edited = self._spoken_for(paths, words, f"{folder}/".removeprefix("./"), speaks)
            if edited:
                return word, edited
        moved = next(filter(_moves_the_tree, behind), None)
        if moved:
            return MOVED, short(moved.command, 60)
        unknown = later or certain or any(map(_removes, behind)) or not (run.ended and self._timed())
        return ("", "") if unknown else (FRESH, "")

    @staticmethod
    def _kinds(words: tuple[str, ...], written: set[Path], certain: set[Path]) -> list[Kind]:
        """The edits that make a run stale, or only older; an unknown program may have formatted files itself."""
        sure = certain if programs.is_known_check(words) else written
        return [(STALE, sure, programs.covers), (OLDER, certain, programs.may_cover)]

    def _later(self, moment: float) -> set[Path]:
        """The run's own files that have changed after a moment."""
        return {path for path, changed in self._edits if changed > moment > 0}

    def _spoken_for(
        self, paths: set[Path], words: tuple[str, ...], below: str, speaks: Callable[[tuple[str, ...], str], bool]
    ) -> str:
        """The first of these files below a folder that a run covers; empty if it covers none."""
        names = sorted(path.relative_to(self._project.main).as_posix() for path in paths)
        return next((name for name in names if name.startswith(below) and speaks(words, name)), "")

    def _written_after(self, run: Call) -> set[Path]:
        """The files that a later call wrote, except those that have not changed since the run or the launch."""
        paths = {Path(path) for call in self._calls.after(run) if call.answered for path in self._paths(call)}
        return {path for path in paths if self._project.main in path.parents and not self._is_older(path, run)}

    def _is_older(self, path: Path, run: Call) -> bool:
        """Whether a file has not changed since a run, or not since the launch."""
        found = self._project.at(path.relative_to(self._project.main).as_posix())
        return found is not None and (found.mtime <= run.ended or self._disk.changed(found) is False)

    def _timed(self) -> bool:
        """Whether each change of the run can be dated."""
        return self._whole and all(call.ended for call in self._calls.calls if call.answered)

    def _is_known_edit(self, path: Path) -> bool:
        if path not in self._by:
            self._by[path] = self._is_an_edit(path)
        return self._by[path]

    def _is_an_edit(self, path: Path) -> bool:
        """Whether a call edited a file at its last change: neither a build that made it, nor git that put it back."""
        written = self._written.get(str(path))
        moment = path.lstat().st_mtime
        if any(call.holds(moment) and str(path) in self._paths(call) for call in self._calls.calls):
            return True
        call = self._by_shell(path)
        if call is None or any(_may_restore(each.words) for each in call.commands):
            return False
        return written is not None or self._disk.baseline().tracks(path.relative_to(self._project.main).as_posix())


def _may_restore(words: tuple[str, ...]) -> bool:
    """Whether a command may have made a file, or put it back, without an edit."""
    return programs.is_proof(words) or (words[0] == "git" and not programs.is_look(words))


def _moves_the_tree(call: Call) -> bool:
    """Whether a git call may have put other files in place, whose times are then not those of edits."""
    moving = [each for each in call.commands if each.program == "git" and programs.verb(each.words) in MOVING]
    return any(not {"-b", "-c", "list", "show"} & set(each.words) for each in moving)


def _removes(call: Call) -> bool:
    """Whether a call removed or moved files, which leaves no time to compare."""
    return any(
        each.program in ("rm", "mv") or each.words[:2] in (("git", "rm"), ("git", "mv")) for each in call.commands
    )
