"""Answering: what the user said to one item is recorded, decides a delegation, or is given back to the user."""

from __future__ import annotations

import time

from bg.ledger import inbox, tasks
from bg.ledger.tasks import Row
from bg.loop import adopting as launch
from bg.loop import decisions
from bg.loop import sessions as session
from bg.loop.scene import Scene
from bg.record import Record
from bg.words.quoting import inline, neutral

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

APPROVE_AGAIN = "the ledger could not be used when you approved it; approve it again, so that its agent is launched."


class Taken(Record):
    """What came of the user's words, in a line for the user, and whether they are recorded."""

    line: str
    recorded: bool


def ever(scene: Scene, label: str, qid: str) -> list[Row]:
    """Everything that this task has asked by this id, the newest first."""
    return scene.book.all(
        "SELECT * FROM questions WHERE label = ? AND upper(qid) = ? ORDER BY id DESC", label, qid.upper()
    )


def take(scene: Scene, item: Row, text: str, source: str) -> Taken:
    """Inside a transaction: write one answer down; what is not written down is in the line, whole."""
    name = f"{item['label']} {item['qid']}"
    if item["state"] not in ("open", "answered"):
        return Taken(too_late(item, text), recorded=False)
    decision = None
    if inbox.kind(item) == inbox.DELEGATION:
        decision = decisions.read(text)
        if decision is None:
            return Taken(_asked_back(scene, item, text), recorded=False)
        if scene.late is not None and decision.verdict == decisions.YES:
            # Its agent is launched in the turn in which it is approved, and that turn is over.
            return Taken(f"{name}: {APPROVE_AGAIN} You said: {given_back(text)}", recorded=False)
    decided = "" if decision is None else inbox.APPROVED if decision.verdict == decisions.YES else inbox.DENIED
    replaced = inbox.answer(scene.book, item, text, source, decided)
    if decision is not None:
        _decide(scene, item, text, decision)
    said = decided or "answered"
    return Taken(f"{name} {said}: {inline(text, 120)}" + (f" ({replaced})" if replaced else ""), recorded=True)


def _asked_back(scene: Scene, item: Row, text: str) -> str:
    """What to type instead of words that are neither yes nor no."""
    name, typed = f"{item['label']} {item['qid']}", f"{scene.answer_command} {item['label']} {item['qid']}"
    earlier = inbox.given(scene.book, item)
    so = f"“{inline(earlier['text'], 120)}” stands" if earlier else "nothing was decided"
    return (
        f"{name}: neither yes nor no, so {so}. Type {typed}: approve or {typed}: deny. You said: {given_back(text)}"
    )


def given_back(text: str) -> str:
    """Words that were not recorded, whole, so that the user can copy them."""
    return neutral(text.strip())


def too_late(item: Optional[Row], text: str, label: str = "", qid: str = "") -> str:
    """Why an answer is not recorded: nothing waits for it any more, or never did."""
    if item is None:
        return f"{label} has no open {qid}; not recorded: {given_back(text)}"
    name = f"{item['label']} {item['qid']}"
    why = {
        "sent": "was answered already, and the agent has the answer",
        "withdrawn": "was taken back by the agent",
        "answered": "waits no longer for an answer",
        "open": "has been asked anew in other words",
    }[item["state"]]
    return f"{name} ({inline(item['text'], 80)}) {why}; not recorded: {given_back(text)}"


def _decide(scene: Scene, item: Row, text: str, decision: decisions.Decision) -> None:
    """An approval opens the window in which its agent is launched."""
    state, child = inbox.DENIED, ""
    if decision.verdict == decisions.YES:
        label = tasks.open_window(scene.book, scene.session, "delegation", item["text"])
        state, child = inbox.APPROVED, f"window:{label}"
        scene.answer.context.append(
            launch.window_line(label, "delegation")
            + f"\nThe user approved {item['label']} {item['qid']}. Launch this now, with lines for goal, deliverables "
            f"and done-when, and with the context it needs:\n{neutral(item['text'])[:1500]}"
        )
        if decision.qualified:
            scene.answer.context.append(
                "The user set a condition; write it into the prompt of the new agent word for word:\n"
                + neutral(text)[:1500]
            )
    number = int(item["qid"][1:]) - 1 if item["qid"][1:].isdigit() else 0
    scene.book.write(
        "UPDATE delegations SET state = ?, words = ?, child = ?, decided = ? WHERE state <> 'launched' AND id ="
        " (SELECT d.id FROM delegations d JOIN signals s ON s.id = d.signal WHERE s.agent = ? AND s.run = ?"
        " ORDER BY s.id LIMIT 1 OFFSET ?)",
        state,
        text,
        child,
        time.time(),
        item["agent"],
        item["run"],
        number,
    )


def owe(scene: Scene, task: Row) -> list[str]:
    """Inside a transaction: the parent is owed the next step; a line for the user where that is another session's."""
    session.claim(scene, task)
    if not scene.owe_next_step(task["label"]):
        return []
    return [f"{task['label']} belongs to another open session, which sends the answers at its next event."]
