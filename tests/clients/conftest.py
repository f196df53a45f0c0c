"""The real clients: one parameter a version; a client that is not there is a failure where it is required."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.append(str(Path(__file__).resolve().parents[1] / "desk"))  # the kept screens

from rig import clients

ALL = tuple(clients.VERSIONS)
FULL = tuple(version for version, tier in clients.VERSIONS.items() if tier == "full")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "host" in metafunc.fixturenames:
        marker = metafunc.definition.get_closest_marker("versions")
        one = os.environ.get("BG_ONE_CLIENT")
        named = [version for version in (marker.args if marker else ALL) if one in (None, version)]
        besides = clients.drawn() if metafunc.definition.get_closest_marker("drawn") else []
        versions = clients.given() or [*named, *besides]
        names = [clients.running(version) for version in versions]
        metafunc.parametrize("host", versions, indirect=True, ids=names)


def pytest_itemcollected(item: pytest.Item) -> None:
    if "host" in getattr(item, "fixturenames", ()):
        item.add_marker(pytest.mark.host)


@pytest.fixture
def host(request: pytest.FixtureRequest) -> str:
    """The version under test, installed."""
    version = str(request.param)
    if not clients.installed(version):
        if os.environ.get("BG_REQUIRE_HOSTS"):
            pytest.fail(f"Claude Code {version} is required here and is not installed")
        why = os.environ.get("BG_NO_CLIENT", "scripts/test, with this file, fetches it")
        pytest.skip(f"Claude Code {version} is not installed: {why}")
    return version


@pytest.fixture(autouse=True)
def real_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clients bring their own temporary home; installed clients are looked for in the real one."""
    real = os.environ.get("BG_TEST_REAL_HOME")
    if real:
        monkeypatch.setenv("BG_HOSTS", os.environ.get("BG_HOSTS") or str(Path(real) / ".cache" / "bg-hosts"))
