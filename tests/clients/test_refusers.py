"""An agent that never complies is let go, whether or not the hooks can write; the parent has its words either way."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Callable

import pytest
from directed import both, brought, directed, spawn, turn, until
from generations import HAND_BACK, NEWEST
from loop import ROOT, report, rows, token
from rig.home import Home
from rig.model import Model
from rig.request import Request
from rig.script import Script, asked, parent
from rig.session import Headless, arguments, auto_mode
from test_loop import UNWOKEN

WORDS = "I looked at everything. The login has no rate limit (src/auth.py), and tokens never expire. "
CASES = ("2.1.7", "2.1.38", NEWEST)
MOST_CORRECTIONS = 2


def options(host: str) -> list[str]:
    """SubagentStop is asked on the old hosts; on the newest, in auto mode, SubagentHandback is refused."""
    return arguments([ROOT]) + (auto_mode() if host in HAND_BACK else [])


def stubborn(name: str) -> Any:
    """Prose, and again prose, longer or shorter, or the very same."""
    endings = ["", "As stated above.", "No.", WORDS * 3, "", "I said so.", *[f"Number {n}." for n in range(30)]]
    return (name, asked("OURS-PROSE"), [lambda request, end=end: report(request, f"{WORDS}{end}") for end in endings])


def broken(name: str) -> Any:
    """A signed block that says nothing, again and again."""
    said = "[COMPLETION_REPORT]\nagent_id: {}\n[/COMPLETION_REPORT]"
    return (
        name,
        asked("OURS-BROKEN"),
        [
            lambda request, n=n: report(request, f"{n} {said.format(token(request))}".replace(" [", "\n[", 1))
            for n in range(40)
        ],
    )


@pytest.mark.versions(*CASES)
def test_an_agent_that_never_complies_is_let_go(host: str) -> None:
    """Prose costs one correction, an unreadable block two; then the report is delivered as it is."""
    plans: dict[str, list[Any]] = {"REFUSE": [both(spawn("OURS-PROSE look"), spawn("OURS-BROKEN look"))]}
    script = Script(stubborn("prose"), broken("broken"), ("parent", parent, directed(plans)))
    with Model(script) as model, Home(model.url) as home, Headless(home, host, options(host)) as run:
        turn(run, model, "/bg:bg REFUSE to comply", "REFUSE")
        until(
            lambda: len(rows(home, "SELECT 1 FROM runs WHERE ended IS NOT NULL")) == 2,
            lambda: rows(home, "SELECT * FROM runs"),
        )
        if host in UNWOKEN:
            run.send("Anything new?")
        told = model.wait_for(
            lambda request: (
                request.actor == "parent" and request.all_text().count("ended without a readable signal block") >= 2
            ),
        )
        run.finish()
        assert (len(model.by("prose")), len(model.by("broken"))) == (2, 1 + MOST_CORRECTIONS)
        assert "The login has no rate limit" in told.all_text()
        assert [row["state"] for row in rows(home, "SELECT state FROM tasks")] == ["unreported", "unreported"]
        assert sorted(row["corrections"] for row in rows(home, "SELECT corrections FROM runs")) == [1, MOST_CORRECTIONS]
        assert rows(home, "SELECT * FROM errors") == []


@contextlib.contextmanager
def locked(data: Path) -> Iterator[Callable[[], None]]:
    """Another process holds the ledger's write lock; what is yielded lets it go."""
    book = sqlite3.connect(str(data / "ledger.db"), isolation_level=None, check_same_thread=False)
    book.execute("BEGIN IMMEDIATE")
    yield book.close
    book.close()


@contextlib.contextmanager
def read_only(data: Path) -> Iterator[Callable[[], None]]:
    """The file system below the data directory is read-only. Root writes through any chmod, so this is a real mount."""
    mount = ["mount", "-o", "remount,ro", str(data)]
    subprocess.run(mount, check=True)
    yield lambda: void(subprocess.run(["mount", "-o", "remount,rw", str(data)], check=True))


def void(_: object) -> None:
    return None


@contextlib.contextmanager
def disk(home: Home, way: str) -> Iterator[Path]:
    """A data directory that can be made unwritable in this way; a mount of its own where that is needed."""
    data = home.root / "data"
    data.mkdir(mode=0o700)
    if way != "read-only":
        yield data
        return
    made = None
    if sys.platform == "linux" and os.geteuid() == 0:
        made = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=16m,mode=0700", "tmpfs", str(data)], capture_output=True, check=False
        )
    if made is None or made.returncode:
        pytest.skip("a read-only disk needs the right to mount one")
    try:
        yield data
    finally:
        subprocess.run(["umount", "-l", str(data)], check=True)


WAYS = {"locked": locked, "read-only": read_only}


@pytest.mark.versions(*CASES)
@pytest.mark.parametrize("way", WAYS)
def test_what_cannot_be_counted_is_not_asked(host: str, way: str) -> None:
    """The disk fails after the launch: no correction, the host's own text goes through; what was kept aside is delivered later."""
    if (way, host) == ("locked", "2.1.38"):
        pytest.skip("the same path as on 2.1.7")
    gate = threading.Event()
    name, knows, steps = stubborn("prose")
    first = lambda request: steps[0](request).after(gate)  # noqa: E731
    plans: dict[str, list[Any]] = {"REFUSE": [spawn("OURS-PROSE look")]}
    script = Script((name, knows, [first, *steps[1:]]), ("parent", parent, directed(plans)))
    with Model(script) as model, Home(model.url) as home, disk(home, way) as data:
        spool = home.root / "tmp"
        spool.mkdir()
        with Headless(home, host, options(host), env={"BG_DATA": str(data), "TMPDIR": str(spool)}) as run:
            turn(run, model, "/bg:bg REFUSE to comply", "REFUSE")
            model.wait_for(lambda request: request.actor == "prose")
            until(lambda: "bg-1" in str(bound(data)), "the launch is bound")
            run.await_turn()
            with WAYS[way](data) as release:
                gate.set()
                if host not in UNWOKEN:
                    heard = model.wait_for(
                        lambda request: (
                            request.actor == "parent" and "The login has no rate limit" in request.all_text()
                        ),
                    )
                    assert "bg plugin, not from the user] bg-1" not in heard.all_text()
                until(
                    lambda: any(
                        '"SubagentStop"' in path.read_text() or "SubagentHandback" in path.read_text()
                        for path in kept(data, spool)
                    ),
                    "the end was kept aside",
                )
                time.sleep(1)
                assert len(model.by("prose")) == 1, "nothing was asked again"
                release()
            run.send("Anything new?")
            told = model.wait_for(
                lambda request: (
                    request.actor == "parent" and "ended without a readable signal block" in request.all_text()
                ),
            )
            assert "The login has no rate limit" in told.all_text()
            brought(run, lambda: state(data) == [("unreported",)], lambda: state(data))
            run.finish()
        assert len(model.by("prose")) == 1
        assert kept(data, spool) == []


def kept(*folders: Path) -> list[Path]:
    """The events that wait in a spool."""
    return [path for folder in folders for path in folder.rglob("*.json") if "spool" in str(path.parent)]


def _look(data: Path, sql: str) -> list[Any]:
    book = sqlite3.connect(f"file:{data / 'ledger.db'}?mode=ro", uri=True)
    try:
        return book.execute(sql).fetchall()
    finally:
        book.close()


def bound(data: Path) -> list[Any]:
    return _look(data, "SELECT label FROM launches WHERE agent <> ''")


def state(data: Path) -> list[Any]:
    return _look(data, "SELECT state FROM tasks")


@pytest.mark.versions("2.1.7", NEWEST)
def test_without_any_data_directory_nothing_is_launched_and_nothing_is_disturbed(host: str) -> None:
    """A file stands where the data directory's parent should be: no label, so the command's own test fails safely."""
    told: list[str] = []

    def liveness(request: Request) -> Any:
        told.append(request.all_text())
        return directed({})[0](request)

    script = Script(("parent", parent, [liveness] * 9))
    with Model(script) as model, Home(model.url) as home:
        (home.root / "file").write_text("")
        (home.root / "tmp").mkdir()
        env = {"BG_DATA": str(home.root / "file" / "data"), "TMPDIR": str(home.root / "tmp")}
        with Headless(home, host, arguments([ROOT]), env=env) as run:
            run.send("/bg:bg REFUSE to comply")
            until(lambda: bool(told), "the prompt went through")
            run.finish()
        assert "[from the bg plugin, not from the user] label:" not in told[0].replace(
            "begins `[from the bg plugin, not from the user] label:`", ""
        )
        assert "the plugin's hooks are not running" in told[0]
