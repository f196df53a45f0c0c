"""The whole suite on this machine: packages as pinned, clients as supported, then pytest; started by scripts/test.

Exit status: pytest's, or 1 where CI ran no test or a required client is missing, or 2 where the packages cannot be had.
"""

from __future__ import annotations

import importlib.metadata
import os
import re
import shutil
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any, NoReturn

ROOT = Path(__file__).resolve().parents[2]
sys.path[0] = str(ROOT / "scripts")  # instead of this folder, whose names must not stand for others

from rig import clients  # noqa: E402 (the package is beside this folder, wherever it was started)


def main(arguments: list[str]) -> int:
    """Sets up, runs, counts."""
    required = os.environ.get("BG_REQUIRE_HOSTS", "") not in ("", "0")
    if not _packages():
        return 2
    missing = _clients()
    if missing and required:
        _say(f"required and missing: {', '.join(missing)}")
        return 1
    # Tests get a home of their own; the clients lie in the real one.
    os.environ.setdefault("BG_TEST_REAL_HOME", str(Path.home()))
    os.environ["BG_HOSTS"] = str(clients.hosts())
    if not shutil.which("tmux"):
        _say("tmux is not installed: what only a terminal shows is not tested")
        if required:
            return 1
    if arguments == ["--setup"]:
        return 0
    signal.signal(signal.SIGTERM, _stop)
    import pytest  # noqa: PLC0415 (installed by now)

    os.chdir(ROOT)
    count = Count()
    code = int(pytest.main(arguments, plugins=[count]))
    if os.environ.get("CI") == "true" and not count.ran:
        _say("no test ran")
        return code or 1
    return code


def _stop(_number: int, _frame: object) -> NoReturn:
    """Let pytest end in order, and with it the clients of its tests."""
    raise KeyboardInterrupt


class Count:
    """A pytest plugin that tells on which clients how many tests ran."""

    def __init__(self) -> None:
        self.ran = 0
        self.hosts: Counter[tuple[str, str]] = Counter()

    def pytest_runtest_logreport(self, report: Any) -> None:
        """One test has gone through a phase."""
        if report.when != "call" and not report.skipped:
            return
        self.ran += report.when == "call" and not report.skipped
        if "/host/" in report.nodeid:
            version = re.search(r"\[(?:.*-)?(\d+\.\d+\.\d+)(?:-.*)?\]", report.nodeid)
            self.hosts[version[1] if version else "other", report.outcome] += 1

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """What stands above pytest's own last line."""
        failed = os.environ.get("BG_CHECKS_FAILED", "")
        if failed:
            terminalreporter.write_line(f"CHECKS FAILED BEFORE THE TESTS: {failed}")
        versions = sorted(
            {version for version, _ in self.hosts}, key=lambda name: [int(n) for n in re.findall(r"\d+", name)]
        )
        total = sum(number for (_, outcome), number in self.hosts.items() if outcome != "skipped")
        tried = {version for version, outcome in self.hosts if outcome != "skipped"} - {"other"}
        terminalreporter.write_line(f"{total} tests on real clients, on {len(tried)} versions")
        for version in versions:
            parts = [
                f"{self.hosts[version, outcome]} {outcome}"
                for outcome in ("passed", "failed", "skipped")
                if self.hosts[version, outcome]
            ]
            terminalreporter.write_line(f"  {version}: {', '.join(parts)}")


def _packages() -> bool:
    """The development group of pyproject.toml, exactly as pinned."""
    pins = _pins((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = [pin for pin in pins if not _has(pin)]
    if not wanted:
        return True
    _say(f"installing {', '.join(wanted)}")
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *wanted]
    if subprocess.run(command, check=False).returncode == 0:
        return True
    still = [pin for pin in pins if not _has(pin)]
    if any(pin.startswith("pytest==") for pin in still):
        _say("pip could not install pytest; is there a network?")
        return False
    _say(f"could not be installed, so the tests that need them are missing: {', '.join(still)}")
    return os.environ.get("CI") != "true"


def _pins(text: str) -> list[str]:
    """The list `dev` of the dependency groups; read as lines, because 3.10 has no TOML reader."""
    group = text.partition("[dependency-groups]")[2].partition("\n[")[0]
    found = re.findall(r'^\s*"([\w.-]+==[\w.]+)"', group, re.MULTILINE)
    if not found:
        raise SystemExit("test: pyproject.toml has no dependency group with pins")
    return found


def _has(pin: str) -> bool:
    name, _, version = pin.partition("==")
    try:
        return importlib.metadata.version(name) == version
    except importlib.metadata.PackageNotFoundError:
        return False


def _clients() -> list[str]:
    """Fetch the clients that are not there; the ones that could not be had."""
    missing = []
    for version in clients.VERSIONS:
        try:
            clients.install(version, _say)
        except clients.ClientError as error:
            _say(str(error))
            missing.append(f"Claude Code {version}")
    if missing:
        _say(f"the tests on {len(missing)} of {len(clients.VERSIONS)} clients are skipped")
    return missing


def _say(words: str) -> None:
    sys.stdout.write(f"test: {words}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
