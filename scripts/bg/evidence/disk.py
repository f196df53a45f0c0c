"""The state of a file that is there: whether it changed since the launch, whether it is empty, and its text."""

from __future__ import annotations

import os
from pathlib import Path, PurePath

from bg.evidence.access import Access
from bg.evidence.baseline import Baseline
from bg.evidence.calls import Calls
from bg.evidence.finding import Launch
from bg.evidence.project import Found, Project
from bg.pattern import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

SLACK = 5.0  # seconds by which a file system's clock may differ from the host's
MAY_BE_EMPTY = pattern(
    r"(?:__init__\.py|conftest\.py|py\.typed|\.gitkeep|\.keep|\.nojekyll|\.npmignore|\.metadata_never_index|"
    r".*\.(?:lock|log|done|stamp))$"
)


class Disk:
    """The project with its state at launch."""

    def __init__(self, launch: Launch, calls: Calls) -> None:
        self.launch = launch
        self.project = Project(launch)
        self.project.refusal = Access(launch, self.project.bases, calls, self._tracked).refusal
        self._baselines: dict[Path, Baseline] = {}
        self._changed: dict[Path, Optional[bool]] = {}

    def baseline(self, base: Optional[Path] = None) -> Baseline:
        """The files of the commit at launch below a directory."""
        base = base or self.project.main
        if base not in self._baselines:
            self._baselines[base] = Baseline(base, self.launch.head)
        return self._baselines[base]

    def _tracked(self, path: Path) -> bool:
        bases = [base for base in self.project.bases if base in path.parents]
        if any(self.baseline(base).tracks(path.relative_to(base).as_posix()) for base in bases):
            return True
        inner = [each for each in path.parents if any(base in each.parents for base in bases)]
        own = next((each for each in inner if os.path.lexists(each / ".git")), None)  # a worktree or a submodule
        return own is not None and self.baseline(own).tracks(path.relative_to(own).as_posix())

    def refused(self, *found: Found) -> str:
        """Why one of these files may not be looked at; empty if each may."""
        return next(filter(None, (self.project.refusal(each.path) for each in found if each.regular)), "")

    def changed(self, found: Found) -> Optional[bool]:
        """Whether a file is new or different since the launch; None if that cannot be told."""
        if found.path not in self._changed:
            self._changed[found.path] = self._differs(found)
        return self._changed[found.path]

    def _differs(self, found: Found) -> Optional[bool]:
        at = self.launch.at
        untouched = at > 0 and max(found.mtime, found.ctime) < at - SLACK
        known = self.baseline(found.base)
        if known.known and found.name in known.files:
            return self._differs_from(known, found, untouched=untouched)
        if at <= 0 or untouched:
            return False if untouched else None
        return True if found.mtime >= at - SLACK or known.known else None

    def _differs_from(self, known: Baseline, found: Found, *, untouched: bool) -> Optional[bool]:
        """Whether a file that was there at launch has other content now, written since the launch."""
        content = self.project.content(found)
        same = known.same(found.name, content) if content is not None else None
        if same is None:
            return False if untouched else None
        if same:
            return False
        return not untouched if self.launch.at > 0 else None

    def any_changed(self, found: tuple[Found, ...]) -> Optional[bool]:
        """Whether one of several files changed; False only if each certainly did not."""
        states = [self.changed(each) for each in found]
        if any(states):
            return True
        return None if None in states or not states else False

    def existed(self, path: str) -> list[str]:
        """The names of files at launch that a path can mean."""
        files = self.baseline().files
        path = path.replace("\\", "/").removeprefix("./")
        for base in (self.launch.root, self.launch.cwd, self.project.root, self.project.main):
            if path.startswith(f"{base}/"):
                path = path[len(str(base)) + 1 :]
        path = path.rstrip("/")
        direct = [path] if path in files else []
        return direct or [name for name in files if name.endswith("/" + path) or name.startswith(path + "/")][:50]

    def empty(self, found: Found) -> bool:
        """Whether a file is empty that should not be."""
        if not found.regular or MAY_BE_EMPTY.match(PurePath(found.name).name):
            return False
        if found.size > 64:
            return False
        content = self.project.content(found)
        return content is not None and not content.strip()

    def text(self, found: Found) -> Optional[str]:
        """A file as text; None if it is binary, large or unreadable."""
        content = self.project.content(found)
        if content is None or b"\0" in content[:8192]:
            return None
        return content.decode("utf-8", "replace")

    def refused_earlier(self, *names: str) -> str:
        """Why one of these files of the launch may not be looked at; empty if each may."""
        return next(filter(None, (self.project.refusal(self.project.main / name) for name in names)), "")

    def earlier(self, name: str) -> Optional[str]:
        """A file as it was at launch, as text."""
        content = None if self.refused_earlier(name) else self.baseline().content(name)
        return None if content is None or b"\0" in content[:8192] else content.decode("utf-8", "replace")


def count(text: str) -> int:
    """How many lines a text has."""
    return len(text.splitlines())
