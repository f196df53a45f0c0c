"""What stands on a real terminal of 80 columns: the table, what a Stop costs, and the label of a woken agent."""

from __future__ import annotations

import re

import pytest
import screens
from directed import both, spawn
from generations import HAND_BACK, NEWEST
from loop import ROOT, block, launch, news, one, reacting, rows, wake
from rig.home import Home
from rig.model import Model
from rig.script import Script, asked, parent, text
from rig.terminal import Interactive
from test_interactive import options
from test_loop import TASK, ended, later

pytestmark = pytest.mark.versions("2.1.7", "2.1.197", NEWEST)
LABELLED = (r"not from the user\] label", launch(TASK))


def ours(screen: str, first: str) -> list[str]:
    """The lines of ours on a screen, from the last one that matches to the next sign of the client's."""
    lines = [line.rstrip() for line in screen.splitlines()]
    start = max(number for number, line in enumerate(lines) if re.search(first, line))
    found = [lines[start]]
    for line in lines[start + 1 :]:
        if not line.strip() or re.match(r"\s*(?:[●❯⎿✻›─>]|Original prompt:|\S+ed for \d)", line):
            break
        found.append(line)
    return found


def terminal(home: Home, host: str) -> Interactive:
    return Interactive(home, host, [ROOT], options(host), size=(80, 60))


def test_the_table_fits_and_a_woken_agent_keeps_its_label(host: str) -> None:
    """No line of the table is broken by the client, its colours have passed, and the loop goes on by what it says."""
    script = Script(
        ("agent", asked("AUDIT-TASK"), [later(block("CLARIFICATION_NEEDED"), 2), later(block("COMPLETION_REPORT"), 2)]),
        ("parent", parent, reacting(LABELLED, ("Resume it now", wake))),
    )
    with Model(script) as model, Home(model.url) as home, terminal(home, host) as term:
        term.say("/bg:bg Audit the authentication code")
        term.wait_for(r"(?:Agent|Task)\(bg-1: audit the auth code\)")
        ended(home, 1)
        term.wait_for("bg-1 asks: “Should the export")
        term.settle(1.5)
        term.say("/bg-status")
        first = r"^ +(?:⎿\s+bg: )?Needs you 1 *$"
        table = ours(term.wait_for(first), first)
        assert re.fullmatch(r" +bg-1 +\d+s  asks  audit the auth code", table[1]), table
        assert re.fullmatch(r" +Q1 “Should the export be CSV, XLSX, or both\?”", table[2]), table
        assert table[-1].endswith("→ /bg-answer bg-1 Q1: <answer>"), table
        assert max(map(len, table)) <= 80
        coloured = next(line for line in term.screen(colours=True).splitlines() if "Q1 “Should" in line)
        assert re.search(r"\x1b\[38;5;222m(?:\x1b\[\d+m)*Q1", coloured), repr(coloured)
        assert "\x1b[38;5;220mQ" not in coloured, "the colour of its warnings"
        term.say("/bg-answer bg-1 Q1: CSV Q2: no")
        ended(home, 2)
        shown = term.wait_for(r"bg-1 done", history=True)
        named = re.findall(r'Agent "([^"]+)" (?:completed|finished)', shown)
        assert set(named) == {"bg-1: audit the auth code"}, named
        assert one(home, "SELECT count(*) AS n FROM errors") == {"n": 0}


@pytest.mark.parametrize("count", [12, 60])
def test_what_needs_the_user_is_on_a_screen_of_24_rows(count: int, host: str) -> None:
    """The newer clients have no scrollback and show the end of what a hook says."""
    script = Script(("parent", parent, [text("So.")]))
    with Model(script) as model, Home(model.url) as home:
        data = home.root / "data"
        screens.fill(data, count, str(home.project), screens.MIXED if count == 12 else screens.STATES)
        env = {"BG_DATA": str(data)}
        with Interactive(home, host, [ROOT], options(host), size=(80, 24), env=env) as term:
            if host in HAND_BACK:  # its word on auto mode comes by itself
                term.wait_for("to change mode")
            term.say("/bg-status")
            term.wait_for("Original prompt: /bg|❯ /bg:bg-status")
            shown = term.settle(1.0)
    said = " ".join(shown.split())
    if count == 12:
        for question in ("Shall I repair what I find, or only report it?", "May a session stay open for ever?"):
            assert f"“{question}”" in said, shown
        for item in (screens.BLOCKER, screens.WANTED):
            assert f"“{item['text']}”" in said, shown
        assert "failed: “The account is closed.”" in said, shown
        labels = {"bg-1", "bg-2", "bg-4", "bg-6", "bg-7", "bg-8", "bg-10", "bg-12"}
    else:
        labels = {"bg-1", "bg-4", "bg-17", "bg-20", "bg-33", "bg-36", "bg-49", "bg-52"}
        assert re.search(r"and (?:\d+ that need you, )?\d+ ended: /bg-status all", said), shown
    assert labels <= set(re.findall(r"→ /bg-answer (bg-\d+)", said)), shown


@pytest.mark.parametrize("marker", ["CLARIFICATION_NEEDED", "COMPLETION_REPORT"])
def test_an_agent_that_ends_in_the_middle_of_a_turn_holds_no_turn_up(marker: str, host: str) -> None:
    """What a Stop adds is shown to the user; the turn that the host has queued brings the report whole, and a line."""
    script = Script(
        ("agent", asked("AUDIT-TASK"), [block(marker)]),
        (
            "parent",
            parent,
            reacting(
                LABELLED,
                ("launched successfully|Async agent", text("It is at work.").later(4)),
                ("needs answers before", text("It asks: bg-1 Q1, the format; bg-1 Q2, the archive.")),
            ),
        ),
    )
    with Model(script) as model, Home(model.url) as home, terminal(home, host) as term:
        term.say("/bg:bg Audit the authentication code")
        term.wait_for("It is at work")
        ended(home, 1)
        term.wait_for(r"bg-1\s+(?:asks|done)")
        shown = term.settle(2.0)
        assert not re.search(r"Stop hook (?:feedback|says|error)", shown), shown
        assert "Lines behind" not in shown
        assert "why it matters" not in shown
        told = [request for request in model.by("parent") if "Lines behind `>`" in news(request)]
        assert len(told) == 1, "the parent has the whole report, once"
        assert rows(home, "SELECT event FROM deliveries") == [{"event": "UserPromptSubmit"}]


def test_the_account_of_agents_that_end_while_the_parent_writes_is_whole(host: str) -> None:
    """Three end within ten seconds of one answer: one line for the user, and everything for the parent."""
    endings = [block("COMPLETION_REPORT", status=status) for status in ("success", "partial_success", "failed")]
    launches = both(*[spawn(f"PART-{number}", f"{{label}}: part {number}") for number in range(3)])
    script = Script(
        *((f"part-{number}", asked(f"PART-{number}"), [later(endings[number], 2)]) for number in range(3)),
        (
            "parent",
            parent,
            reacting(
                (r"not from the user\] label", launches),
                ("launched successfully|Async agent", text("They are at work.").later(10)),
            ),
        ),
    )
    with Model(script) as model, Home(model.url) as home, terminal(home, host) as term:
        term.say("/bg:bg Audit three parts")
        term.wait_for("They are at work")
        term.wait_for(r"3\s+tasks\s+launched\s+together\s+have\s+ended")
        shown = term.settle(2.0)
        assert not re.search(r"Stop hook (?:feedback|says|error)", shown), shown
        told = "".join(dict.fromkeys(news(request) for request in model.by("parent")))
        account = told[told.index("The 3 tasks launched together have all ended (") :]
        assert re.search(r"Not complete: bg-\d \w+, bg-\d \w+\. What these were to do is not done", account), account
        assert account.count("\n> bg-") == 3
        assert "Conflicts are for the user to decide." in account
        assert told.count("have all ended (") == 1
        assert rows(home, "SELECT text FROM errors") == []
