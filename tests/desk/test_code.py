"""`bgctl code`: shown in a terminal of one's own, and to nothing that a session has started."""

from __future__ import annotations

import contextlib
import os
import pty
import re
import select
import subprocess
import sys
import time
from pathlib import Path
from typing import Optional

import pytest
from bg import machine
from bg.ledger import proofs, sessions
from bg.ledger.file import Ledger
from rig import clients

ROOT = Path(__file__).resolve().parents[2]
BGCTL = ROOT / "scripts" / "bgctl"
WORDS = "/bg:bg Audit the auth code"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A ledger in which something is kept that nothing proves, and something that is known to be another's."""
    with contextlib.closing(Ledger(tmp_path / "data")) as book, book.transaction() as writing:
        sessions.note(writing, "s-1", "/home/somebody/project", "", clients.newest())
        for words, proof in ((WORDS, proofs.KEPT), ("/bg:bg Delete it all", proofs.UNPROVEN)):
            proofs.note(writing, "s-1", "bg-1", words, "", proof, "an unknown form", proofs.PROMPTED)
    return tmp_path / "data"


def in_a_terminal(data: Path, *more: str, env: Optional[dict[str, str]] = None) -> tuple[int, str]:
    """What a person sees who types the command, and its exit status."""
    ours, theirs = pty.openpty()
    given = {"HOME": str(data.parent), "PATH": os.environ["PATH"], "BG_DATA": str(data), **(env or {})}
    command = [*more, sys.executable, str(BGCTL), "code"]
    run = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=given, start_new_session=True)
    os.close(theirs)
    shown, until = b"", time.monotonic() + 60
    while time.monotonic() < until:
        if select.select([ours], [], [], 0.1)[0]:
            try:
                shown += os.read(ours, 4096)
            except OSError:
                break
    os.close(ours)
    return run.wait(60), shown.decode()


def test_a_person_is_shown_the_codes(data: Path) -> None:
    status, shown = in_a_terminal(data)
    assert status == 0
    [code] = re.findall(r"/bg-answer code (\S+)", shown)
    assert WORDS in shown
    assert "Delete it all" not in shown
    with contextlib.closing(Ledger(data)) as book, book.transaction() as writing:
        row = proofs.take(writing, code)
    assert row is not None
    assert row.text == WORDS


def test_where_nothing_waits_it_says_where_it_looked(data: Path) -> None:
    """A session may have been started with another directory."""
    with contextlib.closing(Ledger(data)) as book, book.transaction() as writing:
        [row] = proofs.kept(book, 0.0, 9)
        proofs.confirm(writing, row)
    status, shown = in_a_terminal(data)
    assert (status, shown.split()) == (0, f"Nothing waits to be confirmed in {data}/ledger.db.".split())


def test_a_program_is_shown_none(data: Path) -> None:
    env = {"HOME": str(data.parent), "PATH": os.environ["PATH"], "BG_DATA": str(data)}
    done = subprocess.run([sys.executable, str(BGCTL), "code"], env=env, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (1, "")
    assert "only in a terminal of your own" in done.stderr


def test_what_a_session_has_started_is_shown_none(data: Path) -> None:
    """An agent may give itself a terminal, and take the host's names out of its environment."""
    status, shown = in_a_terminal(data, env={"CLAUDECODE": "1"})
    assert (status, WORDS in shown) == (1, False)
    here = machine.this_process()
    with contextlib.closing(Ledger(data)) as book, book.transaction() as writing:
        sessions.note_process(writing, "s-1", here.pid, here.started)
    status, shown = in_a_terminal(data)
    assert (status, WORDS in shown) == (1, False)
    status, shown = in_a_terminal(data, "/bin/sh", "-c", 'shift 0; "$@"; exit $?', "-")
    assert (status, WORDS in shown) == (1, False)
