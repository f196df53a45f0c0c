"""No test reaches the real home, configuration or data directory."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Callable

import pytest
from bg import durations
from bg.ledger.cases import Held
from bg.ledger.file import Ledger
from drive import Drive
from fresh import compared, named
from hypothesis import HealthCheck, settings
from recordings import NEWEST
from rig import package, tree

settings.register_profile(
    "bg",
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
settings.load_profile("bg")


@pytest.fixture(autouse=True)
def elsewhere(tmp_path_factory, monkeypatch):
    """A home of the test's own, and a terminal of one size."""
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home / ".claude"))
    monkeypatch.setenv("BG_DATA", str(home / "bg-data"))
    monkeypatch.setenv("COLUMNS", "160")
    monkeypatch.setenv("LINES", "60")
    monkeypatch.delenv("AI_AGENT", raising=False)  # the version of a client that the tests are started from
    return home


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    """What an event holds of the ledger is compared with a fresh look whenever it is used."""
    monkeypatch.setattr(Held, "once", compared(Held.once))
    monkeypatch.setattr(Ledger, "_run", named(Ledger._run))


@pytest.fixture(autouse=True)
def unhurried(monkeypatch):
    """What a check finds does not depend on what else the machine does, and no record of a played turn comes late."""
    monkeypatch.setattr(durations, "LATE_PROMPT", 0.0)
    given = durations.GIT
    monkeypatch.setattr(durations, "GIT", 60.0)
    return given


@pytest.fixture
def version() -> str:
    """The client version that is played; a module or a test that plays others names them."""
    return NEWEST


@pytest.fixture
def drive(version: str, tmp_path: Path) -> Drive:
    """One session of this version."""
    return Drive(version, tmp_path)


@pytest.fixture
def newest(tmp_path: Path) -> Drive:
    """One session of the newest version, where the others of a module are played on several."""
    return Drive(NEWEST, tmp_path)


@pytest.fixture
def hurried(unhurried, monkeypatch):
    """The time that a check has at work, for the tests that are about it."""
    monkeypatch.setattr(durations, "GIT", unhurried)


@pytest.fixture(scope="session")
def packaged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What users get, built from the files of this repository as they are."""
    root = tmp_path_factory.mktemp("built")
    package.read(tree.snapshot(package.ROOT, root / "copy")).write(root / "bg")
    return root / "bg"


@pytest.fixture
def tell(record_property: Callable[[str, object], None]) -> Callable[[str], None]:
    """Figures that stand above the summary, whether or not the test passes, and on whichever worker it ran."""
    return lambda words: record_property("figures", words)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Each worker's share begins with tests that wait for minutes, so that none is left alone with them at the end."""
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    patient = [item for item in items if item.get_closest_marker("patient")]
    rest = [item for item in items if not item.get_closest_marker("patient")]
    ordered: list[pytest.Item] = []
    for number in range(workers):
        mine = patient[number::workers]
        share = (len(items) - len(ordered)) // (workers - number) - len(mine)
        ordered += [*mine, *rest[: max(share, 0)]]
        del rest[: max(share, 0)]
    items[:] = [*ordered, *rest]


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(terminalreporter: Any) -> Iterator[None]:
    """The figures stand above the failures, so that a log that is cut at its end still says what failed."""
    told = [
        (report.nodeid, words)
        for outcome in ("passed", "failed")
        for report in terminalreporter.stats.get(outcome, [])
        for name, words in getattr(report, "user_properties", [])
        if name == "figures"
    ]
    if told:
        terminalreporter.section("figures")
    for nodeid, words in told:
        terminalreporter.write_line(f"{nodeid.rpartition('/')[2]}\n  {words}")
    return (yield)
