"""The demo's play: a sample project with holes in its auth module, and the lines of the scripted model.

Nothing here knows what the plugin will answer: every line depends only on what the request told the model.
"""

from __future__ import annotations

import os
import re
import time
from pathlib import Path
from typing import Any

from bg.protocol import signals

from rig.request import Request
from rig.script import Reply, Script, call, parent, subagent, text

TASK = "Audit the authentication code in auth/ and write what you find to AUTH-AUDIT.md"
GOAL = "Goal: know the holes in auth/\nDeliverables: AUTH-AUDIT.md\nDone when: both files in auth/ are read and judged"
ANSWERS = {"Q1": "Only report. Change no code.", "Q2": "Yes, after 12 hours."}
REPORT = "AUTH-AUDIT.md"
CLAIMED = "auth/THREATS.md"  # a file that the first report claims, and that was never written
ASKS = "The background agent needs two decisions:"
OUTCOME = "The background agent has reported:"
PAUSE = 1.5  # seconds, so that an agent's last words come after its parent's turn, as they do in life

PROJECT = {
    "README.md": "# Sample shop\n\nA small project that the demo of the bg plugin made up.\n",
    "auth/login.py": '''"""Checks a password."""

USERS = {"admin": "correct horse"}


def login(name, password):
    return USERS.get(name) == password
''',
    "auth/sessions.py": '''"""Remembers who is logged in."""

import random

SESSIONS = {}


def open_session(name):
    token = str(random.random())
    SESSIONS[token] = name
    return token
''',
}

QUESTIONS = [
    {
        "question_id": "Q1",
        "text": "Should I fix what I find, or only report it?",
        "context": "Fixing auth/login.py changes how passwords are stored.",
    },
    {
        "question_id": "Q2",
        "text": "Should a session ever expire?",
        "context": "In auth/sessions.py none does; whether that is a fault is for you to decide.",
    },
]

FINDINGS = (
    ("auth/login.py", "USERS = {", "passwords are stored in clear text"),
    ("auth/login.py", "== password", "passwords are compared without a constant-time comparison"),
    ("auth/sessions.py", "random.random()", "session tokens come from a predictable generator"),
    ("auth/sessions.py", "SESSIONS[token]", "a session never ends"),
)


def lay_out(folder: Path) -> None:
    """Write the sample project."""
    for name, content in PROJECT.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
        os.utime(path, (time.time() - 3600,) * 2)  # so that it is older than the agent


def script(folder: Path) -> Script:
    """The script of the two speakers."""
    return Script(("agent", subagent, [Auditor(folder)] * 40), ("parent", parent, [claude] * 60))


def news(request: Request) -> str:
    """The text that the model was told since it last spoke."""
    fresh: list[Any] = []
    for message in request.messages:
        fresh = [] if message.get("role") == "assistant" else [*fresh, message]
    return Request({"messages": fresh}).all_text()


def questions_told(told: str) -> list[str]:
    """The questions of background agents in a text, each with its label and id."""
    return list(dict.fromkeys(re.findall(r"^> (bg-\d+ Q\d+: .*)$", told, re.MULTILINE)))


def claude(request: Request) -> Reply:
    """The parent's next reply: it hands over, puts questions to the user, wakes the agent, or tells the outcome."""
    told = news(request)
    if "Tool loaded" in told or "tool_reference" in str(request.messages[-1]):
        return _wake(request)
    label = re.search(r"not from the user\] label: (bg-\d+)", told)
    if label:
        return _launch(request, label[1])
    if "Resume it now" in told:
        return text("Thanks. I am passing that on.") + _wake(request)
    if "Show the user exactly" in told:
        lines = told.split("do nothing else:\n")[-1].split("</system-reminder>")[0].strip().splitlines()
        return text("\n".join(line[2:] for line in lines if line.startswith(">")))
    asked_now = questions_told(told)
    if asked_now:
        return text(f"{ASKS}\n" + "\n".join(asked_now))
    outcome = re.search(r"^Summary:\s*(?:> )?(.+(?:\n> .+)*)", told, re.MULTILINE)
    if outcome:
        return text(f"{OUTCOME} " + " ".join(outcome[1].replace("\n> ", " ").split()))
    if '"resumedAgentId"' in told or "Resuming agent" in told or "resumed" in told:
        return text("The agent continues with your answers.")
    if "launched successfully" in told:
        return text("Handed over. Keep working; I will tell you when it asks or ends.")
    return text("Nothing new from here.")


def _tool(request: Request) -> str:
    return "Agent" if "Agent" in request.tools() else "Task"


def _offered(request: Request, given: dict[str, Any]) -> dict[str, Any]:
    known = request.tool(_tool(request)).get("input_schema", {}).get("properties", {})
    return {key: value for key, value in given.items() if key in known}


def _launch(request: Request, label: str) -> Reply:
    given = {
        "description": f"{label}: audit the authentication code",
        "prompt": f"{TASK}\n{GOAL}",
        "subagent_type": "general-purpose",
        "run_in_background": True,
    }
    return call(_tool(request), **_offered(request, given))


def _wake(request: Request) -> Reply:
    """Wake the agent as the plugin's line says: SendMessage, a launch with `resume`, or a new agent."""
    told, note = request.all_text(), "The user has decided; please go on."
    named = re.findall(r'(?:to|resume): "([^"]+)"', told)
    if "SendMessage" in request.tools() and named:
        return call("SendMessage", to=named[-1], message=note, summary="the user's decisions")
    given = {"description": "go on", "prompt": note, "subagent_type": "general-purpose", "run_in_background": True}
    known = request.tool(_tool(request)).get("input_schema", {}).get("properties", {})
    if "resume" in known and named:
        return call(_tool(request), **_offered(request, {**given, "resume": named[-1]}))
    if "ToolSearch" in request.tools() and "cannot wake an ended agent" not in told:
        return call("ToolSearch", query="select:SendMessage", max_results=3)
    label = re.findall(r"begins `(bg-\d+):`", told)
    return call(
        _tool(request), **_offered(request, {**given, "description": f"{label[-1] if label else 'bg-1'}: go on"})
    )


class Auditor:
    """The background agent: reads, asks, and after the answers writes its audit and reports."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, request: Request) -> Reply:
        """The agent's next step."""
        told, last = request.all_text(), news(request)
        used = [result.tool for result in request.tool_results()]
        files = [name for name in PROJECT if name.startswith("auth/")]
        answered = "## CLARIFICATION RESPONSE" in told
        if not answered and used.count("Read") < len(files):
            reads = [call("Read", file_path=str(self.folder / name)) for name in files]
            return text("I read the module first.") + reads[0] + reads[1]
        if not answered:
            return self._ask(request)
        if "Write" not in used:
            heard = "\n".join(re.findall(r"^A\d+: .*$", last, re.MULTILINE)) or "no answers"
            path = str(self.folder / REPORT)
            return text(f"Understood: {'; '.join(heard.splitlines())}") + call(
                "Write", file_path=path, content=audit(heard)
            )
        return self._report(request)

    def _ask(self, request: Request) -> Reply:
        block = signals.render(
            "CLARIFICATION_NEEDED",
            {
                "agent_id": identity(request),
                "blocked_at": "judging auth/sessions.py",
                "reason": "What counts as a fault here, and what I may change, is the user's decision.",
                "questions": QUESTIONS,
                "can_resume_with": "an answer to both questions",
                "current_state": "Both files in auth/ are read; nothing is written yet.",
            },
        )
        return last_words(request, f"I have read both files.\n\n{block}")

    def _report(self, request: Request) -> Reply:
        """The report; the first one claims a file that nobody wrote; asked again, the agent no longer does."""
        false = CLAIMED not in request.all_text()
        files = [REPORT, CLAIMED] if false else [REPORT]
        fields = {
            "agent_id": identity(request),
            "status": "success",
            "deliverables": "\n".join(f"- {name}" for name in files),
            "summary": f"Both files in auth/ are read. {len(FINDINGS)} findings are in {REPORT}.",
            "evidence": "\n".join([*(f"- wrote {name}" for name in files), "- not done: repairs, which nobody wanted"]),
            "metrics_achieved": f"- 2 of 2 files in auth/ are read\n- {len(FINDINGS)} findings, with file and line",
            "issues_encountered": "None.",
            "recommendations": "Store password hashes, and take session tokens from the secrets module.",
        }
        known = signals.schema("COMPLETION_REPORT")["properties"]
        given = {key: value for key, value in fields.items() if key in known}
        words = "The audit is written." if false else f"{CLAIMED} was never written; the report is right now."
        return last_words(request, f"{words}\n\n{signals.render('COMPLETION_REPORT', given)}")


def last_words(request: Request, words: str) -> Reply:
    """The end of a run: as text, or by the hand-back tool if the client offers that."""
    reply = call("SubagentHandback", message=words) if "SubagentHandback" in request.tools() else text(words)
    return reply.later(PAUSE)


def audit(heard: str) -> str:
    """The file that the agent writes: the user's answers as it received them, and its findings with their lines."""
    lines = ["# Audit of auth/", "", "Decided by the user:", "", *(f"- {line}" for line in heard.splitlines()), ""]
    for number, (name, sign, words) in enumerate(FINDINGS, 1):
        at = next(n for n, line in enumerate(PROJECT[name].splitlines(), 1) if sign in line)
        lines.append(f"{number}. `{name}:{at}`: {words}.")
    return "\n".join(lines) + "\n"


def identity(request: Request) -> str:
    """The token that the plugin gave to the agent of this request."""
    found = re.search(r"You are (bg-\d+-\w+)", request.first_user_text())
    return found[1] if found else "nobody"
