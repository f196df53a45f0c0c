"""Chromium without a window, spoken to through two pipes, as its debugger does; each wait is for an event of its own."""

from __future__ import annotations

import base64
import itertools
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing_extensions import Self

PATIENCE = 120
# The browser reads from its descriptor 3 and writes to 4.
_STARTER = """
import fcntl, os, sys
read, write = (fcntl.fcntl(int(each), fcntl.F_DUPFD, 10) for each in sys.argv[1:3])
os.dup2(read, 3)
os.dup2(write, 4)
os.execv(sys.argv[3], sys.argv[3:])
"""
NAMES = ("chromium", "chromium-browser", "google-chrome")


def installed() -> str:
    """The path of a Chromium, empty where there is none."""
    return next(filter(None, map(shutil.which, NAMES)), "")


class Browser:
    """One page of one size, in light or dark; `thrown` are the errors that its scripts have thrown."""

    def __init__(self, folder: Path, width: int = 1000, height: int = 900, *, dark: bool = False) -> None:
        to_child, write = os.pipe()
        read, from_child = os.pipe()
        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-pipe"]
        command = [installed(), *flags, f"--user-data-dir={folder}", f"--window-size={width},{height}", "about:blank"]
        self._process = subprocess.Popen(
            [sys.executable, "-c", _STARTER, str(to_child), str(from_child), *command],
            pass_fds=(to_child, from_child),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": str(folder)},
            start_new_session=True,
        )
        os.close(to_child)
        os.close(from_child)
        self._in, self._out = os.fdopen(write, "wb", buffering=0), os.fdopen(read, "rb")
        self._numbers, self._left, self._session = itertools.count(1), b"", ""
        self._events: list[dict[str, Any]] = []
        self.thrown: list[str] = []
        [target] = [each for each in self("Target.getTargets")["targetInfos"] if each["type"] == "page"]
        attached = self("Target.attachToTarget", targetId=target["targetId"], flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self(f"{domain}.enable")
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self("Emulation.setEmulatedMedia", features=[scheme])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait(PATIENCE)
        self._in.close()
        self._out.close()

    def __call__(self, method: str, **given: Any) -> dict[str, Any]:
        """One command and its answer; what happens meanwhile is kept."""
        number = next(self._numbers)
        whole = {"id": number, "method": method, "params": given}
        if self._session:
            whole["sessionId"] = self._session
        self._in.write(json.dumps(whole).encode() + b"\0")
        while True:
            said = self._next()
            if said.get("id") == number:
                assert "error" not in said, said
                result: dict[str, Any] = said["result"]
                return result
            self._events.append(said)

    def open(self, address: str) -> None:
        """Go to a page and wait until it is loaded."""
        self._events.clear()
        self("Page.navigate", url=address)
        while not any(each["method"] == "Page.loadEventFired" for each in self._events):
            self._events.append(self._next())

    def ask(self, expression: str) -> Any:
        """The value of a piece of JavaScript in the page."""
        said = self("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in said, said
        return said["result"].get("value")

    def type(self, text: str) -> None:
        """Text as a keyboard gives it."""
        self("Input.insertText", text=text)

    def screenshot(self, path: Path) -> None:
        """What is to be seen."""
        path.write_bytes(base64.b64decode(self("Page.captureScreenshot")["data"]))

    def complaints(self) -> list[str]:
        """What the page's scripts have thrown, and what the browser has refused it."""
        self.ask("1")
        named = ("Runtime.exceptionThrown", "Log.entryAdded", "Runtime.consoleAPICalled")
        return [json.dumps(each["params"]) for each in self._events if each.get("method") in named]

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._left:
            more = os.read(self._out.fileno(), 1 << 20)
            assert more, "the browser has ended"
            self._left += more
        one, _, self._left = self._left.partition(b"\0")
        said: dict[str, Any] = json.loads(one)
        return said
