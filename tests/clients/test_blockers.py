"""Blockers on real clients: every type, every way to go on by its name, picked, typed or resolved by the parent itself."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from bg.words import recoveries
from directed import until
from generations import NEWEST
from loop import ROOT, block, launch, news, reacting, rows, wake
from requested import done, heard, launched_and_woken, leads, settle, states, told
from rig.home import Home
from rig.model import Model
from rig.request import Request
from rig.script import Reply, Script, asked, call, parent, text
from rig.session import Headless, arguments
from rig.terminal import Interactive
from test_interactive import OPTIONS, options, pick
from test_loop import later

WORK = {
    "completed_work": "- Items 1 to 50",
    "blocked_work": "- Item 51\n- Items 52 to 100",
    "state_snapshot": "Files: out/1-50.json\nWorking directory: out",
    "resume_requirements": "A decision on item 51",
}
JOINT = "SELECT 1 FROM deliveries WHERE kind = 'joint' AND surfaced > 0"
#: The blocker's type, what the user types about it, the heading of what the agent is told, and words of it.
CASES = (
    ("missing_info", "reduce: only the items of this year", "## SCOPE REDUCED", "no longer part of your task"),
    ("missing_info", "the format is ISO 8601", "## THE USER'S DECISION", "Go by these words"),
    ("external_dependency", "resolved: libxml is installed", "## BLOCKER RESOLVED", "Check it where you can"),
    ("error", "retry", "## RETRY", "First step: “Item 51”"),
    ("error", "restart", "## RESTART", "First step: the start of your task"),
    ("error", "skip", "## ERROR RECOVERY: SKIP", "First step: log “Item 51”, then “Items 52 to 100”"),
    ("resource_limit", "continue", "## CONTINUE AS IT IS", "Go on from your checkpoint with: “Item 51”"),
)


def stops(kind: str, details: str) -> Any:
    reason = "error" if kind == "error" else "blocker"
    return later(block("STOP_WORK", stop_reason=reason, blocker_type=kind, details=details, **WORK), 0.2)


@pytest.mark.versions("2.1.7", "2.1.197", NEWEST)
def test_every_type_of_blocker_and_every_way_to_go_on(host: str) -> None:
    """Seven agents stop; of each the parent hears the ways that fit; each goes on with what was typed, in its form."""
    actors = [
        (f"agent{n}", asked(f"STOPS-{n}."), [stops(kind, f"Nothing goes on at {n}"), done(f"Done after {n}.")])
        for n, (kind, *_) in enumerate(CASES, 1)
    ]
    rules = [(rf"label: bg-{n} for this task", launch(f"STOPS-{n}.")) for n in range(1, len(CASES) + 1)]
    rules += [(rf"answers for bg-{n} are recorded. Resume it now", wake) for n in range(1, len(CASES) + 1)]
    script = Script(*actors, ("parent", parent, reacting(*rules)))
    with Model(script) as model, Home(model.url) as home, Headless(home, host, arguments([ROOT])) as run:
        for number, (kind, typed, heading, words) in enumerate(CASES, 1):
            label = f"bg-{number}"
            leads(run, home, host, "/bg:bg Convert the items", label, "blocked")
            leads(run, home, host, f"/bg-answer {label} {typed}", label, "done")
            said = told(model, f"agent{number}")
            assert f"{heading}\n\nIssue: Nothing goes on at {number}\n" in said
            assert f"(the user's words): {typed}\n" in said
            assert words in said
            assert ("## WHAT THE FIRST TRY LEFT" if typed == "restart" else "## STATE RESTORATION") in said
            assert "> Files: out/1-50.json" in said
            offered = f"The ways to go on, each by its name: {', '.join(recoveries.choices(kind))}."
            assert any(offered in request.all_text() for request in model.by("parent")), (kind, offered)
        run.finish()
        assert set(recoveries.BY_BLOCKER) == {kind for kind, *_ in CASES}
        assert rows(home, "SELECT text FROM errors") == []


@pytest.mark.versions("2.1.7", "2.1.197", NEWEST)
def test_what_the_parent_has_put_right_itself(host: str) -> None:
    """It provides what was missing and wakes the agent with a word of its own: nothing is left to ask the user."""

    words = "resolved: I have run npm install; node_modules is there now."

    def fixed(request: Request) -> Reply:
        return wake(request, words)

    script = Script(
        ("agent", asked("AUDIT-TASK"), [stops("external_dependency", "node_modules is missing"), done("Audited.")]),
        (
            "parent",
            parent,
            reacting(
                (r"label: bg-1 for this task", launch("AUDIT-TASK")),
                (r"has stopped: external dependency", fixed),
                note=words,
            ),
        ),
    )
    with Model(script) as model, Home(model.url) as home, Headless(home, host, arguments([ROOT])) as run:
        leads(run, home, host, "/bg:bg Audit the packages", "bg-1", "done")
        run.finish()
        said = told(model, "agent")
        assert "## BLOCKER RESOLVED\n\nIssue: node_modules is missing\n" in said
        assert f"Resolution (your parent agent's words, not the user's):\n> {words}" in said
        assert rows(home, "SELECT state FROM questions") == [{"state": "withdrawn"}]
        assert rows(home, "SELECT text FROM errors") == []


@pytest.mark.versions("2.1.7", "2.1.197", NEWEST)
def test_parts_that_the_parent_hands_out_itself(host: str) -> None:
    """Three agents under the stopped one's label, of which one fails: linked to it, and never told as a success."""

    def three(request: Request) -> Reply:
        parts = [launch(f"PART-{number}.", f"batch {number}")(request) for number in (1, 2, 3)]
        return parts[0] + parts[1] + parts[2]

    failed = later(block("COMPLETION_REPORT", status="failed", summary="Part 2 broke."), 0.2)
    script = Script(
        ("agent", asked("CONVERT-TASK"), [stops("resource_limit", "Ten thousand items"), done("Put together.")]),
        ("part1", asked("PART-1."), [done("Part 1.")]),
        ("part2", asked("PART-2."), [failed]),
        ("part3", asked("PART-3."), [done("Part 3.")]),
        (
            "parent",
            parent,
            reacting(
                (r"label: bg-1 for this task", launch("CONVERT-TASK")),
                (r"has stopped: resource limit", three),
                (r"answers for bg-1 are recorded. Resume it now|wants bg-1 to go on. Resume it now", wake),
            ),
        ),
    )
    with Model(script) as model, Home(model.url) as home, Headless(home, host, arguments([ROOT])) as run:
        run.send("/bg:bg Convert the items")
        over = ["blocked", "done", "done", "failed"]
        settle(run, home, host, "the parts have ended", lambda: sorted(states(home).values()) == over)
        broke = "bg-1 has waited for this agent, which did not bring what was asked. Let the user choose"
        settle(run, home, host, "it is told", lambda: any(broke in each.all_text() for each in model.by("parent")))
        leads(run, home, host, "/bg-answer bg-1 go", "bg-1", "done")
        run.finish()
        assert rows(home, "SELECT qid, state FROM delegations") == [{"qid": "B1", "state": "launched"}]
        assert "your parent launched you for a part of it" in model.by("part3")[0].first_user_text()
        said = told(model, "agent")
        assert "## DELEGATED WORK ENDED (B1)" in said
        assert all(words in said for words in ("> Part 1.", "> Part 2 broke.", "> Part 3."))
        assert "SUCCESS: continue" not in model.by("parent")[-1].all_text()
        assert rows(home, "SELECT text FROM errors") == []


@pytest.mark.versions("2.1.7", "2.1.197", NEWEST)
def test_a_way_that_is_picked_in_the_dialog(host: str) -> None:
    """The parent asks in words of its own; the dialog shows the blocker and the ways that fit, and one is picked."""
    question = {"question": "bg-1 B1: what now?", "header": "Now", "multiSelect": False, "options": OPTIONS}
    script = Script(
        ("agent", asked("CONVERT-TASK"), [stops("error", "Item 51 cannot be parsed"), done("Skipped 51.")]),
        (
            "parent",
            parent,
            reacting(
                (r"label: bg-1 for this task", launch("CONVERT-TASK")),
                (r"has stopped: error", call("AskUserQuestion", questions=[question])),
                (r"Resume it now", wake),
            ),
        ),
    )
    with Model(script) as model, Home(model.url) as home, Interactive(home, host, [ROOT], options(host)) as term:
        term.say("/bg:bg Convert the items")
        term.wait_for(r"B1: it cannot go on: Item 51 cannot be parsed")
        for title in ("Retry", "Skip", "Hand over", "Restart"):
            term.wait_for(title)
        pick(term, "Skip", 1)
        model.wait_for(lambda request: request.actor == "agent" and "## ERROR RECOVERY: SKIP" in news(request))
        until(lambda: states(home) == {"bg-1": "done"}, lambda: states(home))
        assert rows(home, "SELECT source FROM answers") == [{"source": "dialog"}]
        assert rows(home, "SELECT text FROM errors") == []


@pytest.mark.versions("2.1.7", "2.1.197", NEWEST)
def test_nothing_is_undone_for_good_without_a_yes(host: str) -> None:
    """What cannot be undone is asked as such, and `go`, which leaves the rest to the agent, does not allow it."""
    leave = {"question_id": "Q1", "text": "Shall I drop the table?", "irreversible": "All 4,211 rows of users are gone"}
    script = Script(
        (
            "agent",
            asked("CLEAN-TASK"),
            [later(block("CLARIFICATION_NEEDED", questions=[leave]), 0.2), done("Left it.")],
        ),
        (
            "parent",
            parent,
            reacting((r"label: bg-1 for this task", launch("CLEAN-TASK")), (r"bg-1.{0,60}Resume it now", wake)),
        ),
    )
    with Model(script) as model, Home(model.url) as home, Headless(home, host, arguments([ROOT])) as run:
        leads(run, home, host, "/bg:bg Clean up", "bg-1", "needs_answer")
        leads(run, home, host, "/bg-answer bg-1 go", "bg-1", "done")
        run.finish()
        heard_by_parent = "\n".join(request.all_text() for request in model.by("parent"))
        assert "irreversible: All 4,211 rows of users are gone" in heard_by_parent
        assert "It asks before it does this, and does it only if the user says yes" in heard_by_parent
        assert "A1: (the user has not allowed it: do not do it" in told(model, "agent")
        assert rows(home, "SELECT text FROM errors") == []


@pytest.mark.versions("2.1.7", "2.1.197", NEWEST)
def test_the_parts_of_one_error_end_while_the_other_works(host: str) -> None:
    """It stops while the parent writes; the part in the user's words ends while the one that stopped works again."""
    stop = {"details": "Cannot read property 'length'", "state_snapshot": "out/1-50.json", "blocked_work": ""}
    failed = block("STOP_WORK", stop_reason="error", blocker_type="error", error_recovery="1. Skip it", **stop)
    reached = threading.Event()
    works = call("Bash", command="true", description="Work").after(reached)
    script = Script(
        ("hands", asked("HANDS-TASK"), [later(failed, 2), works, done("1 to 50."), done("1 to 50.")]),
        ("part", asked("PART-TASK"), [done("The rest.")]),
        (
            "parent",
            parent,
            reacting(
                (r"label: bg-1 for this task", launch("HANDS-TASK")),
                (r"launched successfully|Async agent", text("It is at work.").later(8)),
                (r"label: bg-2 for the delegated task", launched_and_woken("PART-TASK")),
                (r"whose work this was, still works. Pass it on now", wake),
            ),
        ),
    )
    with Model(script) as model, Home(model.url) as home, Headless(home, host, arguments([ROOT])) as run:
        leads(run, home, host, "/bg:bg Convert the items", "bg-1", "blocked")
        run.send("/bg-answer bg-1 hand over: the part that fails")
        settle(run, home, host, "the part is done", lambda: heard(home, "bg-2", "done"))
        by_message = host != "2.1.7"  # which cannot reach an agent while it works
        queued = "queued for delivery"
        settle(run, home, host, "it is passed on", lambda: not by_message or _said(model, queued))
        reached.set()
        settle(run, home, host, "both are done", lambda: states(home) == {"bg-1": "done", "bg-2": "done"})
        # Where it has heard of the other's end, its own report is the account of both.
        settle(run, home, host, "the account", lambda: by_message or bool(rows(home, JOINT)))
        run.finish()
        parents = "\n".join(request.all_text() for request in model.by("parent"))
        assert "retry, skip, hand over, restart" in parents
        assert (
            "The user hands work of bg-1 to another agent, in these words: “the part that fails”. The whole" in parents
        )
        assert "hands what is left" not in parents
        assert "It leaves this to you, and goes on with the rest" in model.by("part")[0].first_user_text()
        _, ended, rest = model.by("hands")[-1].all_text().partition("## DELEGATED WORK ENDED (B1)")
        assert bool(ended) == by_message
        assert ("then go on where you are." in rest and "STATE RESTORATION" not in rest) == by_message
        assert ("bg-1 and what others took over from it (bg-2) have all ended" in parents) != by_message
        assert rows(home, "SELECT text FROM errors") == []


def _said(model: Model, words: str) -> bool:
    return any(words in request.all_text() for request in model.by("parent"))
