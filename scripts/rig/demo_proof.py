"""Proofs of the demo's claims, from the requests, the ledger and the disk; a step that was not seen fails the demo."""

from __future__ import annotations

import re
from typing import Callable, NamedTuple, Optional, Protocol

from bg.host import versions
from bg.words.quoting import visible

from rig import demo_cast
from rig.demo_follow import Book, Follower, View
from rig.home import Home
from rig.request import Request

TERMINAL_ONLY = (2, 1, 100)  # older clients show a hook's line in a terminal only
ASKED_AGAIN = "Anything new?"  # typed if nothing has woken Claude
HOW_TO_ANSWER = "/bg-answer bg-1 Q1: <answer>"  # in the table's lines on a task that asks

COUNTS = {
    "runs": "SELECT 1 FROM runs",
    "reports": "SELECT 1 FROM reports",
    "signals": "SELECT 1 FROM signals",
    "questions": "SELECT 1 FROM questions",
    "answers": "SELECT 1 FROM answers",
    "hook errors": "SELECT 1 FROM errors",
}


class Seen(NamedTuple):
    """One step of the loop: whether it was seen (None if this client cannot show it), and the details in words."""

    name: str
    ok: Optional[bool]
    words: str


class Asked(Protocol):
    """Something that keeps the requests to the model: the scripted model on loopback, or the stand-in for a client."""

    def by(self, actor: str) -> list[Request]:
        """The requests that one actor answered."""


class Evidence(NamedTuple):
    """Everything from which a step may be proved."""

    model: Asked
    home: Home
    book: Book
    follower: Follower
    version: tuple[int, ...]
    status_cost: int
    exit_code: int

    def reminder(self, number: int) -> Optional[Request]:
        """The first request in which the parent was told of the run with this number, counted from 0."""
        ends = [row["ended"] for row in self.book.all("SELECT ended FROM runs WHERE ended IS NOT NULL ORDER BY ended")]
        if len(ends) <= number:
            return None
        later = (r for r in self.model.by("parent") if r.time > ends[number] - 1)
        told = (r for r in later if re.search(r"not from the user\] bg-\d+ \(", demo_cast.news(r)))
        wanted = (r for r in told if bool(demo_cast.questions_told(demo_cast.news(r))) == (number == 0))
        return next(wanted, None)


def steps(evidence: Evidence) -> list[Seen]:
    """Every step of the loop, in order."""
    return [step(evidence) for step in STEPS]


def limits(e: Evidence) -> list[str]:
    """The things that this client was seen not to do, each with what happened instead."""
    agents = {row["agent"] for row in e.book.all("SELECT agent FROM launches WHERE agent <> ''")}
    asked_again = any(ASKED_AGAIN in demo_cast.news(request) for request in e.model.by("parent"))
    found = {
        "wake an ended agent: a new agent went on with your answers": len(agents) > 1,
        "wake Claude with -p when an agent ends: it was told with your next prompt": asked_again,
        "show the plugin's screens with -p: the table came through Claude": not e.follower.screens,
    }
    return [limit for limit, holds in found.items() if holds]


def verdict(view: View, evidence: Evidence, seconds: float) -> int:
    """Show the steps that were seen, and the figures; return 1 if a step is missing."""
    view.gap()
    found = steps(evidence)
    if view.full:
        view.plain("What was seen, from the model's requests, the ledger and the disk:")
    else:
        seen = sum(step.ok is True for step in found)
        view.plain(f"{seen} of {len(found)} steps were seen: in what the model got, in the ledger, on disk.")
    for step in found:
        if view.full or not step.ok:
            _show(view, step)
    missing = _missing(found)
    if view.full:
        view.gap()
        view.plain(f"{figures(evidence)} {seconds:.0f} seconds.")
    else:
        view.plain(f"{seconds:.0f} seconds. `scripts/demo --full` shows every message, hook and proof.")
    if missing:
        view.plain(f"The loop is broken: {', '.join(missing)} not seen.")
    return 1 if missing else 0


def trial_verdict(view: View, evidence: Evidence, _seconds: float) -> int:
    """Show the steps that were seen on the user's own client, and its limits; return 1 if a step is missing."""
    found = steps(evidence)
    for step in found:
        if step.ok is not None:
            _show(view, step)
    for limit in limits(evidence):
        view.plain(f"  {'cannot':9} {limit}", 12, ("cannot", "quiet"))
    missing = _missing(found)
    said = evidence.follower.run.stderr.strip()
    if missing and said:
        view.plain(f"  {'it said':9} {visible(said[-400:])}", 12)
    view.gap()
    name = f"Claude Code {'.'.join(map(str, evidence.version))}"
    if missing:
        view.plain(f"The loop is broken on {name}: {', '.join(missing)} not seen.")
    else:
        view.plain(f"The loop works on {name}: launch, question, answer and report.")
    return 1 if missing else 0


def _show(view: View, step: Seen) -> None:
    word = {True: ("seen", "good"), False: ("NOT SEEN", "bad"), None: ("not here", "quiet")}[step.ok]
    view.plain(f"  {word[0]:9} {step.name}: {step.words}", 12, word)


def _missing(found: list[Seen]) -> list[str]:
    return [step.name for step in found if step.ok is False]


def figures(evidence: Evidence) -> str:
    """The line of figures."""
    book = evidence.book
    parent, agent, own = (len(evidence.model.by(actor)) for actor in ("parent", "agent", "housekeeping"))
    ends = [row["ended"] for row in book.all("SELECT ended FROM runs WHERE ended IS NOT NULL ORDER BY ended")]
    told = [evidence.reminder(number) for number in range(len(ends))]
    delays = [f"{request.time - end:.1f} s" for request, end in zip(told, ends) if request]
    rows = [f"{len(book.all(sql))} {name}" for name, sql in COUNTS.items()]
    task = book.one("SELECT label, state FROM tasks")
    return (
        f"{parent + agent + own} requests ({parent} Claude, {agent} agent, {own} the client's own); "
        f"from a run's end to the reminder {' and '.join(delays) or 'never'}; "
        f"the ledger holds {task.get('label', 'no task')} ({task.get('state', '-')}), {', '.join(rows)}."
    )


def _label(e: Evidence) -> Seen:
    label = re.compile(r"not from the user\] label: (bg-\d+)")
    said = [found[1] for r in e.model.by("parent") if (found := label.search(r.all_text()))]
    return Seen("launch", bool(said), f"Claude was told the label {said[0]}" if said else "no label reached Claude")


def _identity(e: Evidence) -> Seen:
    row = e.book.one("SELECT token, agent FROM launches")
    first = e.model.by("agent")[:1]
    ok = bool(row and row["agent"] and first and f"You are {row['token']}" in first[0].first_user_text())
    return Seen("identity", ok, f"the agent was told that it is {row['token']}" if ok else "the agent got no identity")


def _kept(e: Evidence) -> Seen:
    kept = e.book.all("SELECT text FROM reports")
    said = [
        b["text"]
        for r in e.model.by("agent")
        if r.reply
        for b in r.reply.blocks
        if b["type"] == "text" and "\n[" in b["text"]
    ]
    ok = bool(said) and {words.strip() for words in said} <= {row["text"].strip() for row in kept}
    return Seen(
        "record",
        ok,
        f"{len(kept)} reports are in the ledger word for word" if ok else "a report is missing from the ledger",
    )


def _questions(e: Evidence) -> Seen:
    request = e.reminder(0)
    told = demo_cast.news(request) if request else ""
    found = sum(question["text"] in told for question in demo_cast.QUESTIONS)
    return Seen("reminder", found == 2, f"{found} of 2 questions reached Claude, in the agent's words")


def _notice(e: Evidence) -> Seen:
    if e.version < TERMINAL_ONLY:
        return Seen("you see", None, "this client shows the plugin's lines in a terminal only")
    lines = [line for _, line in e.follower.notices if "bg-1" in line]
    ended = e.book.one("SELECT ended FROM runs ORDER BY began")
    asks = [line for at, line in e.follower.notices if ended and at > (ended["ended"] or 0)]
    return Seen("you see", len(asks) >= 2, f"{len(lines)} lines of the plugin on your screen")


def _status(e: Evidence) -> Seen:
    if not versions.host_of((e.version[0], e.version[1], e.version[2])).prints_blocked_prompts:
        shown = any(HOW_TO_ANSWER in text for r in e.model.by("parent") for text in [demo_cast.news(r)])
        return Seen("status", shown, "the table came through Claude: this client prints nothing of a hook under -p")
    shown = any(HOW_TO_ANSWER in screen for screen in e.follower.screens)
    return Seen(
        "status", shown and e.status_cost == 0, f"the table was shown for {e.status_cost} requests to the model"
    )


def _answers(e: Evidence) -> Seen:
    kept = sorted(row["text"] for row in e.book.all("SELECT text FROM answers"))
    return Seen(
        "answers",
        kept == sorted(demo_cast.ANSWERS.values()),
        f"{len(kept)} answers are in the ledger as you typed them",
    )


def _resume(e: Evidence) -> Seen:
    wanted = ["## CLARIFICATION RESPONSE", "## STATE RESTORATION", "## RESUME INSTRUCTIONS"]
    wanted += [f"{number}: {words}" for number, words in zip(("A1", "A2"), demo_cast.ANSWERS.values())]
    told = [demo_cast.news(r) for r in e.model.by("agent")]
    ok = any(all(line in text for line in wanted) for text in told)
    agents = len({row["agent"] for row in e.book.all("SELECT agent FROM launches WHERE agent <> ''")})
    proven = e.book.one("SELECT proven FROM resumes").get("proven") is not None
    who = "the same agent" if agents == 1 else "a new agent (this client cannot wake the old one)"
    return Seen(
        "resume",
        ok and proven,
        f"{who} went on with both answers, its state and the next step" if ok else "no resume was seen",
    )


def _file(e: Evidence) -> Seen:
    path = e.home.project / demo_cast.REPORT
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    ok = bool(text) and all(words in text for words in demo_cast.ANSWERS.values())
    return Seen(
        "work",
        ok,
        f"{demo_cast.REPORT} is on disk, {len(text)} characters, with your answers in it"
        if ok
        else "no file was written",
    )


def _report(e: Evidence) -> Seen:
    state = e.book.one("SELECT state FROM tasks").get("state", "unknown")
    markers = [row["marker"] for row in e.book.all("SELECT marker FROM signals ORDER BY id")]
    ok = bool(e.reminder(1)) and "COMPLETION_REPORT" in markers and state in ("done", "partial")
    return Seen(
        "report",
        ok,
        f"the completion reached Claude; the task is {state}"
        if ok
        else f"no completion reached Claude; the task is {state}",
    )


def _refuted(e: Evidence) -> Seen:
    told = [demo_cast.news(r) for r in e.model.by("agent")]
    back = [text for text in told if demo_cast.CLAIMED in text and "not from the user]" in text]
    asked = sum(row["corrections"] for row in e.book.all("SELECT corrections FROM runs"))
    ok = len(back) == 1 and asked == 1
    words = "a file that nobody wrote was claimed; the hook found that out and asked the agent again"
    return Seen("refuted", ok, words if ok else f"the false claim went through; the agent was asked {asked} times")


def _checked(e: Evidence) -> Seen:
    request = e.reminder(1)
    told = demo_cast.news(request) if request else ""
    seen = "Seen by the host:" in told
    ok = seen and "Does not match:" not in told
    return Seen("checked", ok, "what the second report declares was seen on disk" if ok else "it was not checked")


def _clean(e: Evidence) -> Seen:
    errors = len(e.book.all("SELECT 1 FROM errors")) + len(e.follower.hook_problems)
    open_ones = len(e.book.all("SELECT 1 FROM deliveries WHERE said IS NULL"))
    ok = not errors and not open_ones and e.exit_code == 0 and bool(e.book.place)
    return Seen("end", ok, f"{errors} hook errors, {open_ones} undelivered, the client's exit status is {e.exit_code}")


STEPS: tuple[Callable[[Evidence], Seen], ...] = (
    _label,
    _identity,
    _kept,
    _questions,
    _notice,
    _status,
    _answers,
    _resume,
    _file,
    _report,
    _refuted,
    _checked,
    _clean,
)
