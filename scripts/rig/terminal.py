"""A client in a real terminal, which is a tmux server of its own: type into it, and read its screen."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Optional, final

from rig import clients
from rig.home import PATIENCE, Home, kill_group


@final
class Interactive:
    """`with Interactive(home, version, [plugin]) as term:` starts the client and waits for its prompt."""

    def __init__(
        self,
        home: Home,
        version: str,
        plugin_dirs: list[Path],
        args: Optional[list[str]] = None,
        *,
        cwd: Optional[Path] = None,
        env: Optional[dict[str, str]] = None,
        size: tuple[int, int] = (160, 60),
        ready: str = r"^\s*[│|]?\s*[❯>]",
    ) -> None:
        self.home = home
        # The socket is in the temporary home, so that no other tmux server can be meant.
        self._socket = home.root / f"tmux-{time.monotonic_ns()}"
        argv = clients.entry(version)
        for folder in plugin_dirs:
            argv += ["--plugin-dir", str(folder)]
        argv += args or []
        pairs = [f"{name}={value}" for name, value in home.env(TERM="xterm-256color", **(env or {})).items()]
        command = "exec env -i " + " ".join(shlex.quote(part) for part in [*pairs, *argv])
        width, height = size
        where = str(cwd or home.project)
        self._tmux("new-session", "-d", "-s", "rig", "-x", str(width), "-y", str(height), "-c", where, command)
        self._tmux("set-option", "-g", "remain-on-exit", "on")
        self._tmux("set-option", "-g", "history-limit", "20000")
        self.pid = int(self._tmux("display-message", "-p", "-t", "rig", "#{pane_pid}").strip())
        self._server = int(self._tmux("display-message", "-p", "#{pid}").strip())
        self.wait_for(ready)
        self.settle()

    def keys(self, *names: str) -> None:
        """Press keys by their tmux names: Enter, Escape, Down, C-c."""
        self._tmux("send-keys", "-t", "rig", *names)

    def write(self, words: str) -> None:
        """Type text, without Enter."""
        self._tmux("send-keys", "-t", "rig", "-l", words)

    def say(self, words: str) -> None:
        """Type a line and send it, once the client shows that it has taken the text."""
        self.write(words)
        self.wait_for(re.escape(words[:40]))
        time.sleep(0.4)  # Enter right after a fast text counts as part of a paste
        self.keys("Enter")

    def screen(self, *, history: bool = False, colours: bool = False) -> str:
        """The text on the screen; with `history` also the lines that scrolled away, with `colours` also its colours."""
        more = [*(["-S", "-"] if history else []), *(["-e"] if colours else ["-J"])]
        return self._tmux("capture-pane", "-p", "-t", "rig", *more)

    def wait_for(self, pattern: str, timeout: float = PATIENCE, *, history: bool = False) -> str:
        """Wait until the screen matches the pattern; return the screen."""
        wanted = re.compile(pattern, re.MULTILINE)
        deadline = time.monotonic() + timeout
        while True:
            screen = self.screen(history=history)
            if wanted.search(screen):
                return screen
            if time.monotonic() > deadline:
                raise TimeoutError(f"{pattern!r} never came; the screen:\n{screen}")
            time.sleep(0.1)

    def settle(self, seconds: float = 0.6, timeout: float = 15) -> str:
        """Wait until the screen has not changed for this long: a client that is still starting loses keys."""
        deadline = time.monotonic() + timeout
        screen, since = self.screen(), time.monotonic()
        while time.monotonic() < min(since + seconds, deadline):
            time.sleep(0.1)
            now = self.screen()
            if now != screen:
                screen, since = now, time.monotonic()
        return screen

    def wait_gone(self, pattern: str, timeout: float = PATIENCE) -> str:
        """Wait until the screen no longer matches the pattern; return the screen."""
        wanted = re.compile(pattern, re.MULTILINE)
        deadline = time.monotonic() + timeout
        while True:
            screen = self.screen()
            if not wanted.search(screen):
                return screen
            if time.monotonic() > deadline:
                raise TimeoutError(f"{pattern!r} stayed; the screen:\n{screen}")
            time.sleep(0.1)

    def close(self) -> None:
        """End the client with its children, then its tmux server."""
        kill_group(self.pid)
        with contextlib.suppress(RuntimeError):  # the server ends by itself when its last pane is gone
            self._tmux("kill-server")
        kill_group(self._server)

    def __enter__(self) -> Interactive:
        """Return the client, which is running already."""
        return self

    def __exit__(
        self, kind: Optional[type[BaseException]], value: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        """End the client, however the block ended."""
        self.close()

    def _tmux(self, *args: str) -> str:
        command = ["tmux", "-S", str(self._socket), "-f", os.devnull, *args]
        done = subprocess.run(
            command, check=False, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C.UTF-8"}
        )
        if done.returncode:
            raise RuntimeError(f"tmux {args[0]}: {done.stderr.strip()}")
        return done.stdout
