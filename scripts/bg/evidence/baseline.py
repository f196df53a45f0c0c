"""The baseline: the project's files at launch, asked of git with fixed arguments only."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from bg import durations
from bg.pattern import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

SAFE = (
    "git", "--no-pager", "--no-optional-locks", "-c", "core.fsmonitor=", "-c", "core.hooksPath=/dev/null",
    "-c", "protocol.allow=never", "-c", "core.sshCommand=false", "-c", "core.askPass=false", "-c", "core.pager=cat",
)  # fmt: skip
# In a partial clone git would fetch missing objects, with programs that the clone's configuration names. From 2.45.1 on
# GIT_NO_LAZY_FETCH prevents that; on every version GIT_ALLOW_PROTOCOL does, by allowing no protocol at all.
CLOSED = {
    "GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none", "GIT_SSH": "false", "GIT_SSH_COMMAND": "false",
    "GIT_PROXY_COMMAND": "false", "GIT_ASKPASS": "false", "SSH_ASKPASS": "false", "GIT_ATTR_NOSYSTEM": "1",
}  # fmt: skip
OBJECT = pattern(r"[0-9a-f]{7,64}")
UNANSWERED = 3  # questions without an answer, after which git is asked no more
MOST = 32 * 1024 * 1024
BLOB = 2 * 1024 * 1024
COMMITS = 20


class Baseline:
    """The files of the commit at launch below one directory; `known` is False if git cannot list them."""

    def __init__(self, place: Path, head: str) -> None:
        self._place = place
        self._head = head
        self._unanswered = 0
        self._made: Optional[list[tuple[str, str]]] = None
        self._index: Optional[set[str]] = None
        self.files: dict[str, str] = {}
        self.known = False
        if OBJECT.fullmatch(head):
            listed = self._git(MOST, "ls-tree", "-r", "-z", head, "--")
            if listed is not None:
                self.known = True
                self._take(listed)

    def _take(self, listed: bytes) -> None:
        for entry in listed.split(b"\0"):
            about, _, name = entry.partition(b"\t")
            parts = about.split()
            if len(parts) == 3 and parts[1] == b"blob":
                self.files[os.fsdecode(name)] = parts[2].decode("ascii", "replace")

    def tracks(self, name: str) -> bool:
        """Whether git knew a file at launch, or knows it now."""
        if name in self.files:
            return True
        if self._index is None:
            done = self._asked("ls-files", "-z", "-c", "--")
            if done is None:
                return False  # for now: the next call asks again
            listed = _printed(done, MOST) or b""
            self._index = {os.fsdecode(each) for each in listed.split(b"\0")}
        return name in self._index

    def same(self, name: str, content: bytes) -> Optional[bool]:
        """Whether a file has the content it had at launch; None if only its line ends differ or nothing is known."""
        known = self.files.get(name)
        if known is None:
            return None
        if _object(content, known) == known:
            return True
        plain = content.replace(b"\r\n", b"\n")
        return None if plain != content and _object(plain, known) == known else False

    def content(self, name: str) -> Optional[bytes]:
        """A file as it was at launch, if it is not large."""
        known = self.files.get(name, "")
        size = self._git(BLOB, "cat-file", "-s", known) if OBJECT.fullmatch(known) else None
        # The size is asked first: git's output is all in memory before it can be measured.
        return self._git(BLOB, "cat-file", "blob", known) if size and int(size) <= BLOB else None

    def commit(self, name: str) -> Optional[bool]:
        """Whether the repository has a commit whose hash begins with `name`; None if it cannot be asked."""
        if not OBJECT.fullmatch(name):
            return None
        listed = self._git(BLOB, "rev-parse", f"--disambiguate={name}")
        if listed is None:
            return None
        found = [each for each in listed.decode("ascii", "replace").split() if OBJECT.fullmatch(each)]
        return any(self._git(BLOB, "cat-file", "-t", each) == b"commit\n" for each in found[:10])

    def made(self) -> Optional[list[tuple[str, str]]]:
        """The commits since the launch, the newest first, with the first lines of their messages."""
        if self._made is None and self.known:
            listed = self._git(BLOB, "rev-list", f"--max-count={COMMITS}", "HEAD", "--not", self._head, "--")
            if listed is not None:
                names = [each for each in listed.decode("ascii", "replace").split() if OBJECT.fullmatch(each)]
                self._made = [(name, self._subject(name)) for name in names]
        return self._made

    def elsewhere(self) -> bool:
        """Whether some branch has a commit that was not in the history at launch."""
        listed = self._git(BLOB, "rev-list", "--max-count=1", "--branches", "--not", self._head, "--")
        return bool(listed and listed.strip())

    def _subject(self, name: str) -> str:
        told = self._git(BLOB, "cat-file", "commit", name) or b""
        return told.partition(b"\n\n")[2].decode("utf-8", "replace").strip().partition("\n")[0]

    def is_older(self, name: str) -> bool:
        """Whether a commit was already in the history at launch."""
        return self._git(BLOB, "merge-base", "--is-ancestor", name, self._head) is not None

    def present(self) -> Optional[list[str]]:
        """The files that git knows now or does not ignore, below the directory."""
        listed = self._git(MOST, "ls-files", "-z", "-c", "-o", "--exclude-standard", "--")
        return None if listed is None else [os.fsdecode(each) for each in listed.split(b"\0") if each]

    def _git(self, most: int, *arguments: str) -> Optional[bytes]:
        done = self._asked(*arguments)
        return None if done is None else _printed(done, most)

    def _asked(self, *arguments: str) -> Optional[subprocess.CompletedProcess[bytes]]:
        """Git's answer, which may be a refusal; None if it could not be run or did not answer in time."""
        if self._unanswered >= UNANSWERED:
            return None
        environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
        environment.update(GIT_OPTIONAL_LOCKS="0", GIT_TERMINAL_PROMPT="0", LC_ALL="C", **CLOSED)
        try:
            return subprocess.run(
                [*SAFE, "-C", str(self._place), *arguments],
                capture_output=True, stdin=subprocess.DEVNULL, timeout=durations.GIT, env=environment, check=False,
                cwd="/",
            )  # fmt: skip
        except (OSError, ValueError, subprocess.SubprocessError):
            self._unanswered += 1
            return None


def _printed(done: subprocess.CompletedProcess[bytes], most: int) -> Optional[bytes]:
    return done.stdout if done.returncode == 0 and len(done.stdout) <= most else None


def _object(content: bytes, like: str) -> str:
    """The object name that git gives a content, by the same hash algorithm as the name `like`."""
    import hashlib  # noqa: PLC0415 - late: loads OpenSSL, and most files are new or as they were

    data = b"blob %d\0" % len(content) + content
    return (
        hashlib.sha256(data).hexdigest() if len(like) == 64 else hashlib.sha1(data, usedforsecurity=False).hexdigest()
    )
