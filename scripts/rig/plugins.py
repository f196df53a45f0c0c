"""Two pytest plugins: what ran on which client, and which clients the collected tests are for."""

from __future__ import annotations

import os
import re
from collections import Counter
from typing import Any

from rig import clients


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
        version = re.match(r"tests/clients/.*\[(?:.*-)?(\d+\.\d+\.\d+)(?:-.*)?\]", report.nodeid)
        if version and version[1] in _running():
            self.hosts[version[1], report.outcome] += 1

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """What stands above pytest's own last line."""
        failed = os.environ.get("BG_CHECKS_FAILED", "")
        if failed:
            terminalreporter.write_line(f"CHECKS FAILED BEFORE THE TESTS: {failed}")
        total = sum(number for (_, outcome), number in self.hosts.items() if outcome != "skipped")
        tried = {version for version, outcome in self.hosts if outcome != "skipped"}
        terminalreporter.write_line(f"{total} tests on real clients, on {len(tried)} versions")
        for version in _running():
            parts = [
                f"{self.hosts[version, outcome]} {outcome}"
                for outcome in ("passed", "failed", "skipped")
                if self.hosts[version, outcome]
            ]
            if parts:
                terminalreporter.write_line(f"  {version}: {', '.join(parts)}")


def _running() -> list[str]:
    return [clients.running(version) for version in [*clients.VERSIONS, *clients.drawn(), *clients.given()]]


class Needs:
    """A pytest plugin that notes which clients the collected tests are for."""

    def __init__(self) -> None:
        self.versions: set[str] = set()

    def pytest_collection_finish(self, session: Any) -> None:
        """What was selected stands."""
        calls = [item.callspec.params for item in session.items if hasattr(item, "callspec")]
        self.versions = {str(params["host"]) for params in calls if "host" in params}
