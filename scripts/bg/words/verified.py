"""Verdicts of the check that the user named, in words: for the parent, the user's line, the table and the page."""

from __future__ import annotations

from bg.ledger.tasks import Task
from bg.ledger.values import Outcome, State
from bg.ledger.verifications import Verification
from bg.words import phrases
from bg.words.quoting import cited, inline, quote
from bg.words.replies import Reminder
from bg.words.texts import fill
from bg.words.times import age, took

SESSION, COMMIT = "the session", "the commit"
SHOWN, TOLD, ALL = 3, 15, 100  # lines of output: for the user, for the parent, on the task's page
WIDE = 1200
_WHY = {
    "too long": phrases.VERIFY_TOOK_TOO_LONG,
    "session ended": phrases.VERIFY_SESSION_ENDED,
    "killed": phrases.VERIFY_KILLED,
    "not started": phrases.VERIFY_NOT_STARTED,
    "no folder": phrases.VERIFY_NO_FOLDER,
    "no command": phrases.VERIFY_NO_COMMAND,
    "runner gone": phrases.VERIFY_RUNNER_GONE,
    "gone on": phrases.VERIFY_GONE_ON,
}
_OTHERS = {SESSION: phrases.VERIFY_SESSION, COMMIT: phrases.VERIFY_COMMIT}


def headline(row: Verification) -> str:
    """The state of the check, in a few words."""
    command = inline(row.command, 80)
    if row.begun is None and row.ended is None:
        return phrases.VERIFY_WAITS.format(command=command)
    if row.ended is None:
        return phrases.VERIFY_RUNS.format(command=command)
    if row.outcome == Outcome.PASSED:
        return phrases.VERIFIED.format(command=command, code=row.code)
    if row.outcome == Outcome.FAILED:
        return phrases.VERIFY_FAILED.format(command=command, code=row.code)
    why = _WHY.get(row.why, "{code}").format(age=age(row.seconds or 0), code=row.code)
    return phrases.VERIFY_UNKNOWN.format(command=command, why=why)


def beside(row: Verification) -> list[str]:
    """Notes beside the outcome: who else worked there, and which of the files that define the check have changed."""
    found = []
    if row.meanwhile:
        who = _OTHERS.get(row.meanwhile) or phrases.VERIFY_OTHER_AGENT.format(label=inline(row.meanwhile, 20))
        found.append(phrases.VERIFY_MEANWHILE.format(who=who))
    if row.changed:
        found.append(phrases.VERIFY_CHANGED.format(files=_files(row)))
    return found


def last_lines(row: Verification, most: int) -> str:
    """The last lines of the check's output, framed; empty for a check that passed."""
    lines = [line for line in row.output.splitlines() if line.strip()]
    return (
        quote("\n".join(line[-200:] for line in lines[-most:]), WIDE) if lines and row.outcome != Outcome.PASSED else ""
    )


def where_and_how_long(row: Verification) -> str:
    """The check's folder, commit and duration, in a sentence; empty if it never ran."""
    if row.ended is None or row.code is None:
        return ""
    commit = phrases.VERIFY_ON_COMMIT.format(head=inline(row.head, 10)) if row.head else ""
    commit += phrases.VERIFY_DIRTY if row.head and row.dirty else ""
    return phrases.VERIFY_ON.format(folder=cited(row.folder, 120), commit=commit, age=took(row.seconds or 0))


def reminder(row: Verification, task: Task, resume: str, *, gone_on: bool) -> Reminder:
    """The outcome for the parent, and the user's line with the last lines of a failure below it."""
    disputes = row.outcome == Outcome.FAILED and not row.meanwhile and task.state == State.DISPUTED and not gone_on
    of = phrases.VERIFY_RESUMED.format(run=row.run) if gone_on else ""
    states = [task.state] if disputes else []
    line = " · ".join([f"{task.label} {headline(row)}{of}", *states, *beside(row)])
    output = last_lines(row, TOLD)
    text = fill(
        "verified",
        label=task.label,
        description=cited(task.description or "", 80),
        of=of,
        headline=" · ".join([headline(row), *beside(row)]),
        facts=where_and_how_long(row),
        output=f"{phrases.VERIFY_OUTPUT}\n{output}" if output else "",
        disputed=phrases.VERIFY_DISPUTED if disputes else "",
        choice=f"{phrases.CHOICE.format(resume=resume)} {phrases.VERIFY_SAY_WHAT}" if disputes else "",
    )
    return Reminder(text, "\n".join(filter(None, [line, last_lines(row, SHOWN)])))


def _files(row: Verification) -> str:
    return ", ".join(inline(name, 60) for name in row.changed.splitlines()[:5])
