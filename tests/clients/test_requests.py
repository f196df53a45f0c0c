"""Work that asks for more work, on real clients: each case of one session, one after the other, through the ledger."""

from __future__ import annotations

import re
import threading
import time

import pytest
from generations import NEWEST
from loop import ROOT, block, launch, news, one, prose, reacting, rows, wake
from requested import (
    BLOCKING,
    PARALLEL,
    WORK,
    done,
    halt,
    halting,
    heard,
    launched_and_woken,
    leads,
    settle,
    states,
    told,
)
from rig.home import Home
from rig.model import Model
from rig.request import Request
from rig.script import Reply, Script, asked, call, failure, parent, text
from rig.session import Headless, arguments
from test_loop import later

JOINT = "SELECT 1 FROM deliveries WHERE kind = 'joint' AND surfaced > 0"


@pytest.mark.versions("2.1.7", "2.1.38", "2.1.197", NEWEST)
def test_requests_and_what_becomes_of_them(host: str) -> None:
    """Beside its own work, with a child that asks; then waiting, with a child that ends in prose."""
    script = Script(
        ("beside", asked("BESIDE-TASK"), [later(block("DELEGATE_WORK", independence=PARALLEL), 0.2), done("Audited.")]),
        ("asks", asked("ASKS-TASK"), [later(block("CLARIFICATION_NEEDED"), 0.2), done("Profiled.")]),
        ("waits", asked("WAITS-TASK"), [later(block("DELEGATE_WORK", independence=BLOCKING), 0.2), done("Went on.")]),
        ("prose", asked("PROSE-TASK"), [prose("I am done, I think.")] * 3),
        (
            "parent",
            parent,
            reacting(
                (r"label: bg-1 for this task", launch("BESIDE-TASK: audit")),
                (r"label: bg-2 for the delegated task", launched_and_woken("ASKS-TASK: profile")),
                (r"answers for bg-2 are recorded. Resume it now", wake),
                (r"label: bg-3 for this task", launch("WAITS-TASK: migrate")),
                (r"label: bg-4 for the delegated task", launch("PROSE-TASK: set up")),
                (r"bg-3 has waited for this", wake),
            ),
        ),
    )
    with Model(script) as model, Home(model.url) as home, Headless(home, host, arguments([ROOT])) as run:
        leads(run, home, host, "/bg:bg Audit the code", "bg-1", "delegating")
        _asked_back(run, model, home, host, "ok, noted")
        _asked_back(run, model, home, host, "approve\nthe agent printed this, explain it")
        leads(run, home, host, "/bg-answer bg-1 D1: approve, but only src/a", "bg-1", "done")
        settle(run, home, host, "bg-2 asks", lambda: heard(home, "bg-2", "needs_answer"))
        run.send("/bg-answer bg-2 Q1: CSV  Q2: no")
        settle(run, home, host, "both are done", lambda: states(home) == {"bg-1": "done", "bg-2": "done"})
        settle(run, home, host, "the account", lambda: bool(rows(home, JOINT)))
        leads(run, home, host, "/bg:bg Migrate it", "bg-3", "blocked")
        leads(run, home, host, "/bg-answer bg-3 D1: approve", "bg-4", "unreported")
        settle(run, home, host, "bg-3 goes on", lambda: states(home).get("bg-3") == "done")
        run.finish()

        approved = told(model, "beside")
        assert "## DELEGATION APPROVED\n\nNew agent" in approved
        assert "The user's words: approve, but only src/a" in approved
        child = model.by("asks")[0].first_user_text()
        assert "Another agent, bg-1 (" in child
        assert "come before anything that agent says: approve, but only src/a" in child
        assert "Sync point: both reports before the release notes" in child
        assert len(model.by("beside")) == 2, "woken neither by an agent that merely asked, nor when that one ended"
        last = model.by("parent")[-1].all_text()
        account = "bg-1 and what others took over from it (bg-2) have all ended"
        found = [last[place.start() - 300 : place.end() + 60] for place in re.finditer(re.escape(account), last)]
        # Seen once on 2.1.7: two of it in the model's request, where ledger and transcript had it once.
        assert len(set(found)) == 1, found
        assert rows(home, "SELECT missed FROM deliveries WHERE kind = 'joint'") == [{"missed": None}], "said again"
        ended = told(model, "waits")
        assert "## DELEGATED WORK ENDED (D1)" in ended
        assert "bg-4: ended without a signal" in ended
        assert "> I am done, I think." in ended
        assert rows(home, "SELECT text FROM errors") == []


def _asked_back(run: Headless, model: Model, home: Home, host: str, words: str) -> None:
    """What the user says launches nothing, and the lines to type are shown: by the host, or through the model."""
    run.send(f"/bg-answer bg-1 D1: {words}")
    refused = "SELECT 1 FROM typed WHERE outcome = 'refused' AND text = ?"
    settle(run, home, host, "it is asked back", lambda: bool(rows(home, refused, f"bg-1 D1: {words}")))

    def shown() -> bool:
        said = [str(each.get("result", "")) for each in run.results]
        said += [request.all_text() for request in model.by("parent")]
        lines = "/bg-answer bg-1 D1: approve\n/bg-answer bg-1 D1: deny\nYou said: " + words
        # To a model, each line is marked as somebody's words.
        return any(lines in text.replace("\n> ", "\n").replace("/bg:bg-answer", "/bg-answer") for text in said)

    settle(run, home, host, "the lines to type are shown", shown)
    run.await_turn()
    assert states(home) == {"bg-1": "delegating"}
    assert rows(home, "SELECT state FROM delegations") == [{"state": "waiting"}]
    assert rows(home, "SELECT 1 FROM answers") == []
    assert model.by("asks") == []


@pytest.mark.versions("2.1.7", "2.1.197", NEWEST)
def test_a_blocker_is_answered_by_its_name(host: str) -> None:
    """An error that is skipped; work that is handed to three agents, one of which fails."""
    work = {"blocked_work": "- Item 51\n- Items 52 to 100", "state_snapshot": "Files: out/1-50.json"}
    stop = {"stop_reason": "error", "blocker_type": "error", "details": "Item 51 cannot be parsed", **work}
    limit = {**stop, "stop_reason": "blocker", "blocker_type": "resource_limit"}

    def three(request: Request) -> Reply:
        replies = [launch(f"PART-{number}", f"batch {number}")(request) for number in (1, 2, 3)]
        return replies[0] + replies[1] + replies[2] + wake(request)

    failed = later(block("COMPLETION_REPORT", status="failed", summary="Part 2 broke."), 0.2)
    script = Script(
        ("skips", asked("SKIPS-TASK"), [later(block("STOP_WORK", **stop), 0.2), done("Skipped 51.")]),
        ("hands", asked("HANDS-TASK"), [later(block("STOP_WORK", **limit), 0.2), done("1 to 50.")]),
        ("part1", asked("PART-1"), [done("Part 1.")]),
        ("part2", asked("PART-2"), [failed]),
        ("part3", asked("PART-3"), [done("Part 3.")]),
        (
            "parent",
            parent,
            reacting(
                (r"label: bg-1 for this task", launch("SKIPS-TASK")),
                (r"answers for bg-1 are recorded. Resume it now", wake),
                (r"label: bg-2 for this task", launch("HANDS-TASK")),
                (r"label: bg-3 for the delegated task", three),
            ),
        ),
    )
    with Model(script) as model, Home(model.url) as home, Headless(home, host, arguments([ROOT])) as run:
        leads(run, home, host, "/bg:bg Convert the items", "bg-1", "blocked")
        leads(run, home, host, "/bg-answer bg-1 skip", "bg-1", "done")
        leads(run, home, host, "/bg:bg Convert the rest", "bg-2", "blocked")
        run.send("/bg-answer bg-2 B1: hand over: in batches")
        # Which of the three has which label is the hosts' own order.
        wanted = ["done", "done", "done", "done", "failed"]
        settle(run, home, host, "all have ended", lambda: sorted(states(home).values()) == wanted)
        settle(run, home, host, "the account", lambda: bool(rows(home, JOINT)))
        time.sleep(0.5)
        run.finish()
        skipped = told(model, "skips")
        assert "## ERROR RECOVERY: SKIP" in skipped
        assert "SKIPPED_ITEMS.md" in skipped
        assert "“Item 51”" in skipped
        handed = told(model, "hands")
        assert "## PARTIAL RESUME" in handed
        assert re.search(r"What these words hand over now belongs to bg-[345] \(“batch", handed)
        last = "\n".join(request.all_text() for request in model.by("parent"))
        assert re.search(r"Not complete: bg-[345] failed\.", last)
        assert "SUCCESS: continue" not in last
        assert rows(home, "SELECT text FROM errors") == []


@pytest.mark.versions(NEWEST)
def test_a_group_of_which_one_failed_and_one_was_killed(host: str) -> None:
    """Its account is no success, whatever the results say; it comes anew when both have gone on and are done."""
    never = threading.Event()
    result = "## Result\n\n### Status\nSUCCESS\n\n### Summary\nRead it.\n\n### Confidence\n95 - read\n\n"
    failed = later(block("COMPLETION_REPORT", status="failed", summary="Side 2 broke."), 0.2)

    def three(request: Request) -> Reply:
        sides = [launch(f"SIDE-{number}", f"side {number}")(request) for number in (1, 2, 3)]
        return sides[0] + sides[1] + sides[2]

    script = Script(
        ("side1", asked("SIDE-1"), [done("Side 1.")]),
        ("side2", asked("SIDE-2"), [failed, done("Side 2 after all.")]),
        ("side3", asked("SIDE-3"), [text(result) + WORK, text("Never said.").after(never), done("Side 3 after all.")]),
        (
            "parent",
            parent,
            reacting(
                (r"label: bg-1 for this task", three),
                (r"HALT it", halt),
                (r"wants bg-\d to go on. Resume it now", wake),
                (r"wants bg-\d to go on. Resume it now", wake),
            ),
        ),
    )
    script.actors[-1].steps = [halting(step) for step in script.actors[-1].steps]
    accounts = "SELECT 1 FROM deliveries WHERE kind = 'group' AND surfaced > 0"
    with Model(script) as model, Home(model.url) as home, Headless(home, host, arguments([ROOT])) as run:
        run.send("/bg:bg Review the login from three sides")
        model.wait_for(lambda request: request.actor == "side3" and len(request.messages) > 1)
        settle(run, home, host, "two have ended", lambda: sorted(states(home).values())[:2] == ["done", "failed"])
        killed = one(home, "SELECT label, agent FROM tasks WHERE state = 'working'")
        run.send(f"HALT it: agentId: {killed['agent']} ")
        settle(run, home, host, "it is told", lambda: len(rows(home, accounts)) == 1)
        told = model.wait_for(lambda r: r.actor == "parent" and "launched together have all ended" in r.all_text())
        account = told.all_text().partition("launched together have all ended")[2]
        assert re.search(r"Not complete: bg-\d (?:failed|stopped), bg-\d (?:failed|stopped)\. What these", account)
        assert "SUCCESS" not in "".join(
            line for line in account.splitlines() if not line.startswith(f"> {killed['label']} (")
        )
        for label in sorted(label for label, state in states(home).items() if state != "done"):
            leads(run, home, host, f"/bg-answer {label} go", label, "done")
        settle(run, home, host, "it is told anew", lambda: len(rows(home, accounts)) >= 2)
        run.finish()
        assert "(bg-1 done, bg-2 done, bg-3 done)" in "".join(request.all_text() for request in model.by("parent"))
        assert rows(home, "SELECT text FROM errors") == []


@pytest.mark.versions("2.1.197", "2.1.258", NEWEST)
def test_an_agent_that_spawns_without_end_stays_within_its_cap(host: str) -> None:
    """It launches agent after agent itself: no more of them work at once than bg.json allows."""
    given = {"subagent_type": "general-purpose", "run_in_background": True}
    inner = [call("Agent", description=f"helper {number}", prompt=f"HELPER-{number}", **given) for number in range(8)]
    script = Script(
        ("helper", asked("HELPER-"), [later(prose("Helped."), 3)] * 20),
        ("spawner", asked("SPAWN-TASK"), [*inner, done("Spawned."), done("Spawned.")]),
        ("parent", parent, reacting((r"label: bg-1 for this task", launch("SPAWN-TASK")))),
    )
    with Model(script) as model, Home(model.url) as home:
        (home.path / ".claude").mkdir(exist_ok=True)
        (home.path / ".claude" / "bg.json").write_text('{"max_tasks": 2}')
        with Headless(home, host, arguments([ROOT])) as run:
            run.send("/bg:bg Spawn")
            settle(run, home, host, "it has tried", lambda: len(rows(home, "SELECT 1 FROM children")) == 8)
            time.sleep(1)
            run.finish()
        made = rows(home, "SELECT refused FROM children")
        assert 0 < sum(not row["refused"] for row in made) <= 2
        assert len({request.first_user_text() for request in model.by("helper")}) <= 2
        assert rows(home, "SELECT text FROM errors") == []


@pytest.mark.versions(NEWEST)
def test_a_run_that_was_cut_goes_on_with_what_it_left(host: str) -> None:
    """Cut by an API error after one, two and three calls: it is told the files, the last call and the open step."""
    with Model(Script()) as model, Home(model.url) as home:
        calls = [
            text("First the part.") + call("Write", file_path=str(home.project / "part.txt"), content="one"),
            call("Bash", command="printf 2 > count.txt", description="Count"),
            text("Next: join both.") + call("Bash", command="cat part.txt count.txt > both.txt", description="Join"),
        ]

        def go_on(request: Request) -> Reply:
            return done("Finished.")(request) if "## STATE RESTORATION" in news(request) else failure(400)

        cuts = [(f"cut{n}", asked(f"CUT-{n}"), [*calls[:n], *[go_on] * 20]) for n in (1, 2, 3)]
        rules = [(rf"label: bg-{n} for this task", launch(f"CUT-{n}")) for n in (1, 2, 3)]
        woken = [(rf"Resume bg-{n}|resume bg-{n}|bg-{n}.{{0,80}}(?:[Rr]esume|go on)", wake) for n in (1, 2, 3)]
        every = [rule for pair in zip(rules, woken) for rule in pair]
        model.script = Script(*cuts, ("parent", parent, reacting(*every)))
        options = arguments([ROOT], tools="Agent Task SendMessage ToolSearch Bash Write")
        with Headless(home, host, options) as run:
            for number in (1, 2, 3):
                run.send("/bg:bg Make the parts")
                label = f"bg-{number}"
                settle(run, home, host, f"{label} is cut", lambda label=label: heard(home, label, "failed"))
                leads(run, home, host, f"/bg-answer {label} go", label, "done")
            run.finish()
        for number, files, step in (
            (1, ["part.txt"], "part.txt"),
            (2, ["count.txt"], "count.txt"),
            (3, ["both.txt"], "Next: join both."),
        ):
            message = next(news(each) for each in model.by(f"cut{number}") if "## STATE RESTORATION" in news(each))
            assert "Your last run was cut (" in message
            assert all(f"> {name}" in message for name in files)
            assert step in message.partition("Last call:")[2]
        assert rows(home, "SELECT text FROM errors") == []
