"""In a terminal: which commands are ours, the literal /bg by the shortcut, the statusline, the notification."""

from __future__ import annotations

import json
import re
import subprocess
import threading
import time

import pytest
from generations import SHADOWED
from loop import ROOT, block, launch, reacting, rows
from rig.home import Home
from rig.model import Model
from rig.script import Script, asked, parent, text
from rig.terminal import Interactive
from test_interactive import _clear as clear
from test_interactive import options
from test_loop import TASK, ended

BGCTL = str(ROOT / "scripts" / "bgctl")


def write_shortcut(home: Home) -> None:
    subprocess.run([BGCTL, "shortcuts", "--write"], env=home.env(), check=True, capture_output=True)


def enter(term: Interactive, words: str) -> None:
    term.say(words)
    time.sleep(0.5)


def test_the_bare_names_and_the_shortcut(host: str) -> None:
    """`/bg-status` and `/bg-answer` are ours everywhere; `/bg` is, with the shortcut, on every host."""
    script = Script(("parent", parent, reacting((r"not from the user\] label", text("I was told to hand it over.")))))
    with Model(script) as model, Home(model.url) as home:
        write_shortcut(home)
        with Interactive(home, host, [ROOT], options(host)) as term:
            assert "is Claude Code's own command" not in term.screen()
            enter(term, "/bg-status")
            term.wait_for(r"No background tasks here\. Type /bg <task> to start one")
            clear(term)
            enter(term, "/bg-answer")
            term.wait_for("Nothing waits for an answer")
            assert model.by("parent") == []
            clear(term)
            enter(term, "/bg Audit the authentication code")
            term.wait_for("I was told to hand it over")
        told = model.by("parent")[0].all_text()
        assert re.search(r"not from the user\] label: bg-1 for this task", told)
        assert "A shortcut of the bg plugin" in told


@pytest.mark.versions("2.1.7", "2.1.38", "2.1.100", "2.1.197")
def test_where_the_name_is_free_a_plain_bg_is_ours(host: str) -> None:
    script = Script(("parent", parent, reacting((r"not from the user\] label", text("I was told to hand it over.")))))
    with Model(script) as model, Home(model.url) as home, Interactive(home, host, [ROOT], options(host)) as term:
        assert "is Claude Code's own command" not in term.screen()
        enter(term, "/bg Audit the authentication code")
        term.wait_for("I was told to hand it over")
        assert "[from the bg plugin, not from the user] label: bg-1" in model.by("parent")[0].all_text()


@pytest.mark.versions(*SHADOWED)
def test_where_the_host_took_the_name_a_session_says_so_once(host: str) -> None:
    """Nothing is typed here: a plain /bg would send the session away."""
    with Model(Script(("parent", parent, [text("Hi.")] * 3))) as model, Home(model.url) as home:
        with Interactive(home, host, [ROOT]) as term:
            shown = " ".join(term.wait_for("is Claude Code's own command").split())
            assert f"bg: in Claude Code {host} a plain /bg is Claude Code's own command" in shown
            assert "Type /bg:bg <task>" in shown
        with Interactive(home, host, [ROOT]) as term:
            enter(term, "Hello")
            term.wait_for("Hi")
            assert "is Claude Code's own command" not in term.screen(history=True)


def test_the_statusline_and_the_notification(host: str) -> None:
    """The segment follows the task; the terminal gets its sequence where the host passes it on."""
    seen = threading.Event()
    script = Script(
        ("agent", asked("AUDIT-TASK"), [lambda request: block("CLARIFICATION_NEEDED")(request).after(seen)]),
        ("parent", parent, reacting((r"not from the user\] label", launch(TASK)))),
    )
    with Model(script) as model, Home(model.url) as home:
        home.settings({"statusLine": {"type": "command", "command": f'"{BGCTL}" statusline'}})
        (home.path / ".claude" / "bg.json").write_text(json.dumps({"notify": True}))
        with Interactive(home, host, [ROOT], options(host)) as term:
            raw = home.root / "raw"
            term._tmux("pipe-pane", "-t", "rig", "-o", f"cat > '{raw}'")
            enter(term, "/bg:bg Audit the authentication code")
            term.wait_for("bg: bg-1 working")
            term.settle()
            seen.set()
            if host == "2.1.38":  # it does not wake the parent by itself
                ended(home, 1)
                enter(term, "Anything new?")
            term.wait_for("bg-1 asks: “Should the export")
            enter(term, "Thanks")
            term.wait_for("bg: bg-1 asks")
            passed = b"\x1b]777;notify;Claude Code;bg-1 asks: " in raw.read_bytes()
        assert passed is (host in ("2.1.197", *SHADOWED))
        assert rows(home, "SELECT * FROM errors") == []
