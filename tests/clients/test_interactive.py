"""In a terminal, on each real client: what the user sees, is asked, and answers."""

from __future__ import annotations

import time

from generations import HAND_BACK
from loop import ROOT, block, launch, news, one, reacting, reminders, rows, wake
from rig.home import Home
from rig.model import Model
from rig.request import Request
from rig.script import Script, asked, call, parent, text
from rig.session import TOOLS, auto_mode
from rig.terminal import Interactive
from test_loop import CANNOT_RESUME, TASK, ended, later

OPTIONS = [{"label": "Yes", "description": "Do it"}, {"label": "No", "description": "Leave it"}]
DIALOG = [
    {
        "question": "bg-1 Q1: Which file format do you want?",
        "header": "Format",
        "multiSelect": False,
        "options": [{"label": "CSV", "description": "Plain"}, {"label": "XLSX", "description": "Excel"}],
    },
    {
        "question": "Should the archived invoices be included too?",
        "header": "Archived",
        "multiSelect": False,
        "options": OPTIONS,
    },
    {"question": "Shall I commit my own work now?", "header": "Commit", "multiSelect": False, "options": OPTIONS},
]


def options(host: str) -> list[str]:
    """Auto mode is where the newest client starts; the older ones ask for each tool unless it is allowed."""
    return auto_mode() if host in HAND_BACK else ["--allowedTools", TOOLS]


def pick(term: Interactive, question: str, downs: int) -> None:
    """Answer one question of the dialog."""
    term.wait_for(question)
    time.sleep(0.5)
    for _ in range(downs):
        term.keys("Down")
        time.sleep(0.2)
    term.keys("Enter")


def is_told(about: str):
    return lambda request: request.actor == "parent" and bool(reminders(request, about))


def test_the_user_is_asked_in_the_agents_words_and_answers_in_the_dialog(host: str) -> None:
    """The dialog shows the pending questions; an unrelated one is left alone; answers reach the agent."""
    script = Script(
        ("agent", asked("AUDIT-TASK"), [later(block("CLARIFICATION_NEEDED")), later(block("COMPLETION_REPORT"))]),
        (
            "parent",
            parent,
            reacting(
                (r"not from the user\] label", launch(TASK)),
                ("needs answers before", call("AskUserQuestion", questions=DIALOG)),
                ("Resume it now", wake),
            ),
        ),
    )
    with Model(script) as model, Home(model.url) as home, Interactive(home, host, [ROOT], options(host)) as term:
        term.say("/bg:bg Audit the authentication code")
        term.wait_for(r"(?:Agent|Task)\(bg-1: audit the auth code\)")
        if host == "2.1.38":
            ended(home, 1)
        pick(term, r"bg-1 \(audit the auth code\) Q1: Should the export be CSV, XLSX, or both\?", 1)
        pick(term, r"bg-1 \(audit the auth code\) Q2: Should archived invoices be included\?", 0)
        pick(term, r"Shall I commit my own work now\?", 1)
        time.sleep(0.7)
        term.keys("Enter")
        model.wait_for(is_told("reports partial success"))
        term.wait_for(r"bg-1 done in part")
        resumed = [request for request in model.requests if request.actor == "agent"][1]
        message = resumed.first_user_text() if host == CANNOT_RESUME else news(resumed)
        assert "Q1: Should the export be CSV, XLSX, or both?\nA1: XLSX" in message
        assert "Q2: Should archived invoices be included?\nA2: Yes" in message
        assert [row["source"] for row in rows(home, "SELECT source FROM answers")] == ["dialog", "dialog"]
        proofs = rows(home, "SELECT DISTINCT p.proof FROM answers a JOIN proofs p ON p.id = a.proof")
        assert proofs == [{"proof": "dialog"}]
        assert one(home, "SELECT state FROM tasks") == {"state": "partial"}
        assert rows(home, "SELECT * FROM errors") == []


def test_plain_chat_is_relayed_and_an_unrelated_message_answers_nothing(host: str) -> None:
    """What the parent sends in its own words arrives whole, marked as its own, and no question counts as answered."""
    note = "The user says in chat: both formats.\nArchived ones too."
    framed = note.replace("\n", "\n> ")

    def relay(request: Request):
        return wake(request, note)

    script = Script(
        ("agent", asked("AUDIT-TASK"), [later(block("CLARIFICATION_NEEDED")), later(block("COMPLETION_REPORT"))]),
        (
            "parent",
            parent,
            reacting(
                (r"not from the user\] label", launch(TASK)),
                (
                    "needs answers before",
                    text("bg-1 Q1: Should the export be CSV, XLSX, or both? bg-1 Q2: archived invoices?"),
                ),
                ("What is the time", text("Noon.")),
                ("Both formats, and archived", relay),
                note=note,
            ),
        ),
    )
    with Model(script) as model, Home(model.url) as home, Interactive(home, host, [ROOT], options(host)) as term:
        term.say("/bg:bg Audit the authentication code")
        model.wait_for(is_told("needs answers"))
        term.wait_for(r"bg-1 asks: “Should the export")
        term.say("What is the time?")
        term.wait_for("Noon")
        assert rows(home, "SELECT * FROM answers") == []
        term.say("/bg-status")
        term.wait_for(r"bg-1 +\d+\S+ +asks +audit the auth code")
        before = len(model.by("parent"))
        time.sleep(1)
        assert len(model.by("parent")) == before, "the status table cost a model request"
        _clear(term)
        term.say("Both formats, and archived ones too")
        model.wait_for(is_told("reports partial success"))
        resumed = [request for request in model.requests if request.actor == "agent"][1]
        message = resumed.first_user_text() if host == CANNOT_RESUME else news(resumed)
        assert f"in the words of your parent agent:\n> {framed}" in message
        assert rows(home, "SELECT * FROM answers") == []
        assert one(home, "SELECT kind FROM resumes") == {"kind": "CLARIFICATION_RESPONSE (relayed)"}
        assert {row["state"] for row in rows(home, "SELECT state FROM questions")} == {"sent"}


def _clear(term: Interactive) -> None:
    """The newest host leaves a blocked prompt in the input box."""
    term.keys("C-u")
    time.sleep(0.3)
