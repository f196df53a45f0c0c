"""What a task asked in its last run, what was answered, and what can be typed now: lines that need no page."""

from __future__ import annotations

from bg.ledger import inbox, runs, user_answers
from bg.ledger.file import Ledger
from bg.ledger.inbox import Question
from bg.ledger.tasks import Task
from bg.words import actions
from bg.words.quoting import inline

_STATES = {"open": "open", "answered": "answered, not sent yet", "sent": "answered, and the agent has it"}


def told(book: Ledger, task: Task, command: str) -> str:
    """One task, what it asked, what was answered, and the line to type next."""
    state = task.state.replace("_", " ")
    lines = [f"{task.label} ({inline(task.description or task.text, 60)}): {state}"]
    asked = _of_last_run(book, task)
    for item in asked:
        lines.append(f"  {item.qid} {_STATES[item.state]}: {inline(item.text, 300)}")
        if item.state == "open" and item.context:
            lines.append(f"      why: {inline(item.context, 300)}")
        lines += [f"      {_said(answer)}" for answer in user_answers.answers_to(book, item)[-1:]]
    if not asked:
        lines.append("  It has asked nothing.")
    typed = actions.next_action(book, task, command)
    if typed:
        lines.append(f"Type: {typed}")
    if user_answers.last_given(book, task.label):
        lines.append(f"      {command} {task.label} undo   (takes the last answer back)")
    return "\n".join(lines)


def _of_last_run(book: Ledger, task: Task) -> list[Question]:
    last = runs.last_run(book, task.agent) if task.agent else None
    return [
        item
        for item in inbox.of_task(book, task.label)
        if item.state == "open" or (item.state in _STATES and last is not None and item.run >= last.run - 1)
    ]


def _said(answer: user_answers.Answer) -> str:
    return f"{answer.kind}: {inline(answer.text, 300)}"
