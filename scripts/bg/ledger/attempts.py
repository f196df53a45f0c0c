"""Attempts: the step that each hook is at, so that a step that has ended two hooks is passed over by the third.

A hook that is killed, crashes or runs out of time or memory cannot say so. While it works, it keeps a file locked that
names its current step: a hook that finds such a file unlocked knows at which step its owner died. Nothing is synced to
the disk: a dead process's writes remain, and after a power cut nothing has to be known.

A hook that the user's Esc has ended has not failed. The host records the interrupt a moment later, so each death is
kept with its session's transcript, and judged only when it would make a hook pass over a step.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os

from bg import durations, foreign
from bg.ledger import digests, place
from bg.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Callable, Optional

    Excuse = Callable[[str, float], bool]

MOST = 2
NOW, FALLEN = ".now", ".fallen"
LONGEST = 200
DEATHS = 20  # kept of one step


class Death(Record):
    """A hook that did not finish: when it began, and its session's transcript."""

    began: float
    transcript: str


class FatalStep(Record):
    """A step that has ended hooks, and how often it was passed over since the last time."""

    key: str
    passes: int
    deaths: list[Death]


class Attempt:
    """The steps of one hook, which began at `now`; without a directory none is noted or passed over.

    `excuse` gets a session's transcript and the moment at which a hook began; it says whether the user ended that hook.
    """

    def __init__(
        self, directory: str = "", now: float = 0.0, transcript: str = "", excuse: Optional[Excuse] = None
    ) -> None:
        self._now = now
        self._excuse = excuse
        self._folder = os.path.join(directory, "attempts") if directory else ""
        self._path = ""
        self._file = -1
        self._steps: list[str] = []
        self._end = 0
        self._fallen: set[str] = set()
        self._passed: set[str] = set()
        self.ended: list[str] = []  # steps passed over for the first time since they last ended a hook
        if directory:
            # If nothing can be written, the event is handled all the same.
            with contextlib.suppress(OSError):
                self._begin(directory, transcript)

    def _begin(self, directory: str, transcript: str) -> None:
        place.make_private(directory)
        place.make_private(self._folder)
        names = foreign.names(self._folder)
        self._fallen.update(name for name in names if name.endswith(FALLEN))
        for name in names:
            if name.endswith(NOW):
                self._bury(os.path.join(self._folder, name))
        self._path = os.path.join(self._folder, f"{os.getpid()}-{int(self._now * 1e9)}{NOW}")
        self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with contextlib.suppress(OSError):  # some disks have no locks: then the file's age decides
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        self._note(f"{_line(Death(self._now, transcript))}\n\n".encode("utf-8", "replace"), 0)

    @contextlib.contextmanager
    def step(self, what: str, *, alone: bool = False) -> Iterator[bool]:
        """Name the step that the hook takes within the block; yield False if the hook must pass it over.

        A step's key is its name with that of the step around it. With `alone`, the step and those within it have just
        their names as keys.
        """
        name = " ".join(what.split())[:LONGEST]
        around = "" if alone or not self._steps else self._steps[-1]
        key = f"{around}: {name}" if around else name
        if self._fallen and self._is_passed(key):
            yield False
            return
        begin = self._end
        self._note(f"{key}\n\n".encode("utf-8", "replace"), begin)
        self._steps.append("" if alone else name)
        try:
            yield True
        finally:
            self._steps.pop()
            self._note(b"\n", begin)
            self._end = begin
            if self._fallen:
                self._forget(key)

    def _note(self, line: bytes, begin: int) -> None:
        """Write a line of the file: the first is about the hook, the later ones name steps, an empty one is the end."""
        if self._file >= 0:
            with contextlib.suppress(OSError):
                os.pwrite(self._file, line, begin)
        self._end = begin + len(line) - 1

    def close(self) -> None:
        """Remove the file: the hook has finished."""
        if self._file >= 0:
            with contextlib.suppress(OSError):
                os.unlink(self._path)
            os.close(self._file)
            self._file = -1

    def _bury(self, path: str) -> None:
        """If the hook that wrote this file is gone, count its last step as the one that ended it."""
        try:
            number = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            return
        try:
            found = os.fstat(number)
            is_old = abs(self._now - found.st_mtime) > durations.HOOK_LIVES
            if not found.st_nlink or not (is_old or (found.st_size and _is_free(number))):
                return
            data = os.pread(number, 64 * 1024, 0)
            os.unlink(path)
        except OSError:
            return
        finally:
            os.close(number)
        begun, *steps = data.decode("utf-8", "replace").partition("\n\n")[0].strip("\n\x00").split("\n")
        death = _death(begun)
        if steps and death:
            known = self._known(steps[-1])
            deaths = [*(known.deaths if known else []), death]
            self._write(FatalStep(steps[-1], 0, deaths[-DEATHS:]))

    def _is_passed(self, key: str) -> bool:
        """Whether to pass over a step: twice after its second death, four times after its third, then eight and so on.

        In between it is tried again, as its deaths may have had another cause, such as a kill by hand.
        """
        if key in self._passed:
            return True
        known = self._known(key)
        if known is None or len(known.deaths) < MOST:
            return False
        known = known._replace(deaths=_unexcused(known.deaths, self._excuse))
        if len(known.deaths) < MOST:
            with contextlib.suppress(OSError):
                self._write(known)
            return False
        if known.passes >= 2 ** (len(known.deaths) - 1):
            return False
        with contextlib.suppress(OSError):
            self._write(known._replace(passes=known.passes + 1))
        self._passed.add(key)
        if not known.passes:
            self.ended.append(key)
        return True

    def _known(self, key: str) -> Optional[FatalStep]:
        name = _name(key)
        return _read(os.path.join(self._folder, name), self._now) if name in self._fallen else None

    def _write(self, fallen: FatalStep) -> None:
        path = os.path.join(self._folder, _name(fallen.key))
        part = f"{path}-{os.getpid()}"
        with open(part, "w", encoding="utf-8", errors="replace", opener=_open_private) as file:
            file.writelines(f"{line}\n" for line in (fallen.passes, fallen.key, *map(_line, fallen.deaths)))
        os.replace(part, path)
        self._fallen.add(os.path.basename(path))

    def _forget(self, key: str) -> None:
        """Drop the deaths of a step that has finished."""
        name = _name(key)
        if name in self._fallen:
            self._fallen.discard(name)
            with contextlib.suppress(OSError):
                os.unlink(os.path.join(self._folder, name))


def passed_over(directory: str, now: float, excuse: Excuse) -> list[str]:
    """The steps that have ended two hooks and have not finished since."""
    folder = os.path.join(directory, "attempts")
    read = [_read(os.path.join(folder, name), now) for name in foreign.names(folder) if name.endswith(FALLEN)]
    return [each.key for each in read if each and len(_unexcused(each.deaths, excuse)) >= MOST]


def _unexcused(deaths: list[Death], excuse: Optional[Excuse]) -> list[Death]:
    return [death for death in deaths if excuse is None or not excuse(death.transcript, death.began)]


def _read(path: str, now: float) -> Optional[FatalStep]:
    """The step and deaths that a file holds; None if the file is too old or malformed."""
    found = foreign.stat_of(path)
    if not found or now - found.st_mtime >= durations.DEATHS_COUNT:
        return None
    try:
        passes, key, *deaths = foreign.read(path, 64 * 1024).decode("utf-8", "replace").split("\n")
        return FatalStep(key, int(passes), [death for death in map(_death, deaths) if death])
    except (OSError, ValueError):
        return None


def _line(death: Death) -> str:
    return json.dumps(death)


def _death(line: str) -> Optional[Death]:
    """The death that a line describes; None if it describes none."""
    try:
        began, transcript = foreign.loads(line)
        return Death(float(began), str(transcript))
    except (TypeError, ValueError):
        return None


def _name(key: str) -> str:
    return f"{digests.digest(key)}{FALLEN}"


def _open_private(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_CLOEXEC, 0o600)


def _is_free(number: int) -> bool:
    """Whether the lock of the process that wrote the file is gone."""
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
